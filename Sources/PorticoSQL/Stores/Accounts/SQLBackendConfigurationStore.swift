import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Apps and identity providers in SQL.
package struct SQLBackendConfigurationStore: BackendConfigurationStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func version() async throws -> Int64 {
        try await database.read { try $0.backendVersion() }
    }

    package func configuration() async throws -> BackendConfiguration {
        try await database.scan { reader in
            BackendConfiguration(
                version: try reader.backendVersion(),
                apps: try reader.apps(),
                providers: try reader.providers()
            )
        }
    }

    package func put(_ app: App) async throws {
        try await database.change { transaction in
            let id = SQLValue.bytes(app.id.bytes)
            let kept = try transaction.first("SELECT settings FROM apps WHERE id = $1", [id]) {
                try $0.document(0)
            }
            var document = kept ?? JSONObject()
            app.write(to: &document)
            if app.isDefault {
                try transaction.run("UPDATE apps SET is_default = FALSE WHERE id <> $1", [id])
            }
            try transaction.run(
                """
                INSERT INTO apps (id, name, is_default, settings) VALUES ($1, $2, $3, $4)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name,
                    is_default = excluded.is_default, settings = excluded.settings
                """,
                [id, .text(app.name), .bool(app.isDefault), SQLValue(document)]
            )
            try transaction.raiseBackendVersion()
        }
    }

    package func deleteApp(name: String) async throws -> Change {
        try await database.change { transaction in
            let changed = try transaction.run("DELETE FROM apps WHERE name = $1", [.text(name)])
            guard changed > 0 else { return .notFound }
            try transaction.raiseBackendVersion()
            return .changed
        }
    }

    package func put(_ provider: ProviderRecord) async throws {
        try await database.change { transaction in
            try transaction.run(
                """
                INSERT INTO providers (name, kind, place, is_enabled, settings, sealed_secret)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, place = excluded.place,
                    is_enabled = excluded.is_enabled, settings = excluded.settings,
                    sealed_secret = excluded.sealed_secret
                """,
                [
                    .text(provider.name), .text(provider.kind), .int64(provider.place),
                    .bool(provider.isEnabled), SQLValue(provider.settings),
                    SQLValue(provider.sealedSecret),
                ]
            )
            try transaction.raiseBackendVersion()
        }
    }

    package func deleteProvider(name: String) async throws -> Change {
        try await database.change { transaction in
            let changed = try transaction.run(
                "DELETE FROM providers WHERE name = $1",
                [.text(name)]
            )
            guard changed > 0 else { return .notFound }
            try transaction.raiseBackendVersion()
            return .changed
        }
    }
}

extension SQLReader {
    fileprivate func backendVersion() throws -> Int64 {
        let version = try first("SELECT version FROM backend_version", []) { try $0.int64(0) }
        guard let version else { throw SQLError(.corrupt, code: 0) }
        return version
    }

    fileprivate func apps() throws -> [App] {
        try rows("SELECT id, name, is_default, settings FROM apps ORDER BY name", []) { row in
            try App(
                id: row.uniqueID(0),
                name: row.text(1),
                isDefault: row.bool(2),
                document: row.document(3)
            )
        }
    }

    fileprivate func providers() throws -> [ProviderRecord] {
        try rows(
            """
            SELECT name, kind, place, is_enabled, settings, sealed_secret FROM providers
            ORDER BY place, name
            """,
            []
        ) { row in
            ProviderRecord(
                name: try row.text(0),
                kind: try row.text(1),
                place: try row.int64(2),
                isEnabled: try row.bool(3),
                settings: try row.document(4),
                sealedSecret: try row.optionalText(5)
            )
        }
    }
}

extension SQLTransaction {
    /// Lets every process see that apps or identity providers have changed.
    fileprivate func raiseBackendVersion() throws {
        try run("UPDATE backend_version SET version = version + 1", [])
    }
}
