import PorticoProtocol

/// Keeps realms with their clients, scopes, roles, groups and keys: what changes seldom and is held
/// in memory by every process.
///
/// A change that names something that is not there throws ``MissingReference``; ``StoreConflict``
/// is thrown where an answer has no word for it. Nothing has happened then.
package struct RealmStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// A number that grows with every change of a realm, client or signing key, whichever process
    /// made it.
    package func version() async throws -> Int64 {
        try await database.read { try $0.realmVersion() }
    }

    /// All realms with what is held in memory of them, consistent with one another and with the version
    /// returned.
    package func snapshot() async throws -> RealmSnapshotRecord {
        try await database.scan { reader in
            RealmSnapshotRecord(
                version: try reader.realmVersion(),
                realms: try reader.allRealms(),
                clients: try reader.allClients(),
                keys: try reader.allKeys(),
                keptKeys: try reader.allKeptKeys(),
                scopes: try reader.allScopes(),
                roleLimits: try reader.allRoleLimits(),
                graphs: try reader.roleGraphs()
            )
        }
    }

    /// The realm of that id; `nil` for one that is being imported or deleted, too.
    package func realm(id: String) async throws -> Realm? {
        try await database.read {
            try $0.first(
                """
                SELECT id, name, issuer, settings FROM realms
                WHERE id = $1 AND substr(name, 1, 1) <> '~'
                """,
                [.text(id)],
                decode: Realm.init(row:)
            )
        }
    }

    /// Whether the realm has a client of that `client_id`, enabled or not.
    package func hasClient(_ clientID: String, realmID: String) async throws -> Bool {
        try await database.read {
            try $0.first(
                "SELECT 1 FROM clients WHERE realm_id = $1 AND client_id = $2",
                [.text(realmID), .text(clientID)]
            ) { _ in true } ?? false
        }
    }

    /// The names of all realms, without what is kept of them.
    package func names() async throws -> Set<String> {
        let names = try await database.read {
            try $0.rows("SELECT name FROM realms WHERE substr(name, 1, 1) <> '~'", []) {
                try $0.text(0)
            }
        }
        return Set(names)
    }

    /// The names and issuers of all realms, without what is kept of them.
    package func issuers() async throws -> [(name: String, issuer: String)] {
        try await database.read {
            try $0.rows(
                "SELECT name, issuer FROM realms WHERE substr(name, 1, 1) <> '~' ORDER BY name",
                []
            ) { (name: try $0.text(0), issuer: try $0.text(1)) }
        }
    }

    /// Creates a realm with everything in it: all or nothing. Groups stand behind their parents.
    ///
    /// Of any number of concurrent calls for one name exactly one gets `.created`. A realm's
    /// issuer is its own, too: another's is `.conflict` (docs/decisions/0036).
    package func create(_ new: NewRealm) async throws -> Creation {
        try await database.change { transaction in
            guard try transaction.insert(new.realm) == .created else { return .conflict }
            for row in new.rows { try transaction.insert(row, realmID: new.realm.id) }
            for person in new.people where try transaction.insert(person) == .conflict {
                throw StoreConflict()
            }
            try transaction.raiseRealmVersion()
            return .created
        }
    }

    /// Replaces what is kept of a realm; name, id and issuer stay.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    package func update(_ realm: Realm, replacing former: Realm?) async throws -> Change {
        try await database.change { transaction in
            guard let kept = try transaction.keptRealm(realm.id) else { return .notFound }
            try transaction.expect(kept.realm, toBe: former)
            try transaction.keep(realm, in: kept.document)
            try transaction.raiseRealmVersion()
            return .changed
        }
    }

    /// Deletes a realm and everything in it: one short transaction hides it, others remove what it
    /// had. What is left where the program ends meanwhile is for ``removeDeleted()``.
    ///
    /// Sessions and grants are dead with the people; what is kept of them goes with the next purge.
    package func deleteRealm(id: String) async throws -> Change {
        let change = try await database.change { transaction -> Change in
            guard var (realm, document) = try transaction.keptRealm(id), !realm.isHidden
            else { return .notFound }
            realm.isEnabled = false
            realm.write(to: &document)
            try transaction.run(
                "UPDATE realms SET name = $1, issuer = $2, settings = $3 WHERE id = $4",
                [
                    .text(Self.removed + id), .text("removed:" + id), SQLValue(document),
                    .text(id),
                ]
            )
            // No key is left that could sign them.
            try transaction.run(
                "DELETE FROM logout_deliveries WHERE realm_id = $1",
                [.text(id)]
            )
            try transaction.raiseRealmVersion()
            return .changed
        }
        if change == .changed { try await removeRows(of: id) }
        return change
    }

}

extension SQLReader {
    func realmVersion() throws -> Int64 {
        let version = try first("SELECT version FROM realm_version", []) { try $0.int64(0) }
        guard let version else { throw SQLError(.corrupt, code: 0) }
        return version
    }

    func allRealms() throws -> [Realm] {
        try rows(
            """
            SELECT id, name, issuer, settings FROM realms
            WHERE substr(name, 1, 1) <> '~' ORDER BY name
            """,
            [],
            decode: Realm.init(row:)
        )
    }

}

extension SQLTransaction {
    /// A realm with the document that its settings are kept in.
    func keptRealm(_ id: String) throws -> (realm: Realm, document: JSONObject)? {
        try first(
            "SELECT id, name, issuer, settings FROM realms WHERE id = $1",
            [.text(id)]
        ) { (realm: try Realm(row: $0), document: try $0.document(3)) }
    }

    /// - Parameter document: What is kept so far. Members that nothing here knows stay.
    func keep(_ realm: Realm, in document: JSONObject) throws {
        var document = document
        realm.write(to: &document)
        try run(
            "UPDATE realms SET settings = $1 WHERE id = $2",
            [SQLValue(document), .text(realm.id)]
        )
    }
}

extension Realm {
    /// Of the columns `id, name, issuer, settings`.
    init(row: any SQLRow) throws {
        try self.init(
            id: row.text(0),
            name: row.text(1),
            issuer: row.text(2),
            document: row.document(3)
        )
    }
}

extension SQLTransaction {
    func insert(_ realm: Realm) throws -> Creation {
        var document = JSONObject()
        realm.write(to: &document)
        let isNew = try hasRow(
            """
            INSERT INTO realms (id, name, issuer, settings) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [.text(realm.id), .text(realm.name), .text(realm.issuer), SQLValue(document)]
        )
        return isNew ? .created : .conflict
    }
}

extension RealmStore {
    package func update(_ realm: Realm) async throws -> Change {
        try await update(realm, replacing: nil)
    }

    package func update(_ client: Client) async throws -> Change {
        try await update(client, replacing: nil)
    }
}
