import PorticoBytes
import PorticoProtocol

/// Keeps apps, identity providers and our keys at hosts. Every change raises the version, so that a server that runs
/// sees what the command line wrote.
package struct BackendConfigurationStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func version() async throws -> Int64 {
        try await database.read { try $0.backendVersion() }
    }

    /// All of it, of one moment.
    package func configuration() async throws -> BackendConfiguration {
        try await database.scan { reader in
            BackendConfiguration(
                version: try reader.backendVersion(),
                apps: try reader.apps(),
                providers: try reader.providers(),
                handleKeys: try reader.handleKeys()
            )
        }
    }

    /// Puts an app in, or replaces the one of that id. ``StoreConflict`` where another has the name.
    /// Making one the default takes that from the others.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now, or nothing; `nil`: whatever is kept.
    package func put(_ app: App, replacing former: App?) async throws {
        try await database.change { transaction in
            let id = SQLValue.bytes(app.id.bytes)
            let kept = try transaction.first(
                "SELECT id, name, is_default, settings FROM apps WHERE id = $1",
                [id]
            ) { (app: try App(row: $0), document: try $0.document(3)) }
            try transaction.expect(kept?.app, toBe: former)
            var document = kept?.document ?? JSONObject()
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

    /// Puts a provider in, or replaces the one of that name.
    ///
    /// - Parameter former: As for an app.
    package func put(_ provider: ProviderRecord, replacing former: ProviderRecord?) async throws {
        try await database.change { transaction in
            let kept = try transaction.first(
                """
                SELECT name, kind, place, is_enabled, settings, sealed_secret FROM providers
                WHERE name = $1
                """,
                [.text(provider.name)],
                decode: ProviderRecord.init(row:)
            )
            try transaction.expect(kept, toBe: former)
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
        try rows(
            "SELECT id, name, is_default, settings FROM apps ORDER BY name",
            [],
            decode: App.init(row:)
        )
    }

    fileprivate func providers() throws -> [ProviderRecord] {
        try rows(
            """
            SELECT name, kind, place, is_enabled, settings, sealed_secret FROM providers
            ORDER BY place, name
            """,
            [],
            decode: ProviderRecord.init(row:)
        )
    }
}

extension App {
    /// Of the columns `id, name, is_default, settings`.
    fileprivate init(row: any SQLRow) throws {
        try self.init(
            id: row.uniqueID(0),
            name: row.text(1),
            isDefault: row.bool(2),
            document: row.document(3)
        )
    }
}

extension ProviderRecord {
    /// Of the columns `name, kind, place, is_enabled, settings, sealed_secret`.
    fileprivate init(row: any SQLRow) throws {
        try self.init(
            name: row.text(0),
            kind: row.text(1),
            place: row.int64(2),
            isEnabled: row.bool(3),
            settings: row.document(4),
            sealedSecret: row.optionalText(5)
        )
    }
}

extension SQLTransaction {
    /// Lets every process see that apps, identity providers or our keys have changed.
    func raiseBackendVersion() throws {
        try run("UPDATE backend_version SET version = version + 1", [])
    }
}

extension BackendConfigurationStore {
    package func put(_ app: App) async throws {
        try await put(app, replacing: nil)
    }

    package func put(_ provider: ProviderRecord) async throws {
        try await put(provider, replacing: nil)
    }
}
