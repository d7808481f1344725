import PorticoBytes
import PorticoProtocol

/// Keeps identity providers and our keys at hosts, and reads the apps, which are clients of a realm. Every change
/// changes the version, so that a server that runs sees what the command line wrote.
package struct BackendConfigurationStore: Sendable {
    let database: any SQLDatabase
    private let files: ProviderFiles?

    /// - Parameter files: `nil`: those of files are left out.
    package init(_ database: any SQLDatabase, files: ProviderFiles? = nil) {
        self.database = database
        self.files = files
    }

    package func version() async throws -> BackendConfiguration.Version {
        try await database.read { try $0.backendVersion() }
    }

    /// All of it, of one moment.
    ///
    /// - Parameter known: What was read before: identity providers and our keys are read anew only where one
    ///   has changed since. Clients and realms change often.
    package func configuration(since known: BackendConfiguration? = nil) async throws
        -> BackendConfiguration
    {
        try await database.scan { reader in
            let realm = try reader.backendRealm()
            let version = try reader.backendVersion()
            let same = known.flatMap { $0.version.backend == version.backend ? $0 : nil }
            return BackendConfiguration(
                version: version,
                realm: realm,
                apps: try realm.map { try reader.apps(realmID: $0.id) } ?? [],
                allProviders: try same?.allProviders ?? reader.providers(and: files),
                handleKeys: try same?.handleKeys ?? reader.handleKeys()
            )
        }
    }

    /// Makes a realm the backend's: whose people sign in at it.
    package func choose(realmID: String) async throws {
        try await database.change { transaction in
            try transaction.run("UPDATE backend_version SET realm_id = $1", [.text(realmID)])
            try transaction.raiseBackendVersion()
        }
    }

    /// A realm's providers, in the order of places, then names.
    package func providers(realmID: String) async throws -> [ProviderRecord] {
        try await database.scan { try $0.providers(realmID: realmID, and: files) }
    }

    /// Puts a provider in, or replaces the one of that name.
    ///
    /// - Parameters:
    ///   - former: What the change was made from. ``ChangedMeanwhile`` is thrown where something else is kept
    ///     by now, or nothing; `nil`: whatever is kept.
    ///   - choosing: Whether the first one's realm becomes the backend's.
    package func put(
        _ provider: ProviderRecord,
        replacing former: ProviderRecord? = nil,
        choosing: Bool = true
    ) async throws {
        try await database.change { transaction in
            let kept = try transaction.first(
                """
                SELECT realm_id, name, kind, place, is_enabled, settings, sealed_secret
                FROM providers WHERE realm_id = $1 AND name = $2
                """,
                [.text(provider.realmID), .text(provider.name)],
                decode: ProviderRecord.init(row:)
            )
            try transaction.expect(kept, toBe: former)
            try transaction.run(
                """
                INSERT INTO providers (realm_id, name, kind, place, is_enabled, settings,
                    sealed_secret)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                ON CONFLICT (realm_id, name) DO UPDATE SET kind = excluded.kind, place = excluded.place,
                    is_enabled = excluded.is_enabled, settings = excluded.settings,
                    sealed_secret = excluded.sealed_secret
                """,
                [
                    .text(provider.realmID), .text(provider.name), .text(provider.kind),
                    .int64(provider.place), .bool(provider.isEnabled),
                    SQLValue(provider.settings), SQLValue(provider.sealedSecret),
                ]
            )
            if choosing { try transaction.chooseFirst(realmID: provider.realmID) }
            try transaction.raiseBackendVersion()
        }
    }

    package func deleteProvider(name: String, realmID: String) async throws -> Change {
        try await database.change { transaction in
            let changed = try transaction.run(
                "DELETE FROM providers WHERE realm_id = $1 AND name = $2",
                [.text(realmID), .text(name)]
            )
            guard changed > 0 else { return .notFound }
            try transaction.raiseBackendVersion()
            return .changed
        }
    }
}

extension SQLReader {
    fileprivate func backendVersion() throws -> BackendConfiguration.Version {
        let version = try first("SELECT version FROM backend_version", []) { try $0.int64(0) }
        guard let version else { throw SQLError(.corrupt, code: 0) }
        return BackendConfiguration.Version(backend: version, realms: try lastChange())
    }

    func backendRealm() throws -> Realm? {
        let id = try first("SELECT realm_id FROM backend_version", []) { try $0.optionalText(0) }
        return try id?.flatMap(realm(id:))
    }

    /// Without their scopes, which the backend has no use for.
    fileprivate func apps(realmID: String) throws -> [Client] {
        try rows(
            """
            SELECT c.id, c.realm_id, c.client_id, c.source, c.settings FROM client_addresses AS a
            JOIN clients AS c ON c.id = a.client_id
            WHERE a.realm_id = $1 AND a.kind = 'hand_off' ORDER BY c.client_id
            """,
            [.text(realmID)],
            decode: Client.init(row:)
        )
    }

    /// One that is registered takes the place of a file's of the same name.
    ///
    /// - Parameter realmID: `nil`: those of all realms.
    fileprivate func providers(realmID: String? = nil, and files: ProviderFiles?) throws
        -> [ProviderRecord]
    {
        let registered = try providers(realmID: realmID)
        guard let files else { return registered }
        let taken = Set(registered.map { [ExactText($0.realmID), ExactText($0.name)] })
        let others = try parts(ofKind: files.kind, realmID: realmID).filter {
            !taken.contains([ExactText($0.realmID), ExactText($0.id)])
        }.map(files.read)
        return others.isEmpty
            ? registered
            : (registered + others).sorted { ($0.place, $0.name) < ($1.place, $1.name) }
    }

    private func parts(ofKind kind: String, realmID: String?) throws -> [RealmPart] {
        try rows(
            """
            SELECT p.realm_id, p.id, p.document, p.sealed FROM realm_parts AS p
            JOIN realms AS r ON r.id = p.realm_id
            WHERE p.kind = $1 AND ($2 IS NULL OR p.realm_id = $2) AND substr(r.name, 1, 1) <> '~'
            ORDER BY p.realm_id, p.id
            """,
            [.text(kind), SQLValue(realmID)]
        ) { row in
            RealmPart(
                realmID: try row.text(0),
                kind: kind,
                id: try row.text(1),
                document: try row.document(2),
                sealed: try row.optionalText(3)
            )
        }
    }

    private func providers(realmID: String?) throws -> [ProviderRecord] {
        try rows(
            """
            SELECT realm_id, name, kind, place, is_enabled, settings, sealed_secret
            FROM providers WHERE $1 IS NULL OR realm_id = $1 ORDER BY place, name
            """,
            [SQLValue(realmID)],
            decode: ProviderRecord.init(row:)
        )
    }
}

extension ProviderRecord {
    /// Of the columns `realm_id, name, kind, place, is_enabled, settings, sealed_secret`.
    fileprivate init(row: any SQLRow) throws {
        try self.init(
            realmID: row.text(0),
            name: row.text(1),
            kind: row.text(2),
            place: row.int64(3),
            isEnabled: row.bool(4),
            settings: row.document(5),
            sealedSecret: row.optionalText(6)
        )
    }
}

extension SQLTransaction {
    /// Makes the realm of the first app the backend's. An app that is the default takes that from the others.
    ///
    /// - Throws: ``AppsElsewhere``
    func keepHandOff(of client: Client) throws {
        try chooseFirst(realmID: client.realmID)
        if let realm = try backendRealm(), realm.id != client.realmID {
            throw AppsElsewhere(realm: realm.name)
        }
        guard client.handOff.isDefault else { return }
        for other in try apps(realmID: client.realmID)
        where other.handOff.isDefault && other.id != client.id {
            guard var (next, document) = try keptClient(other.id) else { continue }
            next.handOff.isDefault = false
            next.write(to: &document)
            try run(
                "UPDATE clients SET settings = $1 WHERE id = $2",
                [SQLValue(document), .text(next.id)]
            )
            try noteChange(ofClient: next.id, realmID: next.realmID)
        }
    }

    /// Makes a realm the backend's where none is, or where it is being deleted.
    fileprivate func chooseFirst(realmID: String) throws {
        try run(
            """
            UPDATE backend_version SET realm_id = $1
            WHERE realm_id IS NULL
                OR realm_id IN (SELECT id FROM realms WHERE substr(name, 1, 1) = '~')
            """,
            [.text(realmID)]
        )
    }

    /// Lets every process see that identity providers or our keys have changed.
    func raiseBackendVersion() throws {
        try run("UPDATE backend_version SET version = version + 1", [])
    }
}
