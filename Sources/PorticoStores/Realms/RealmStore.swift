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

    /// The realm of that id, as it is kept now; `nil` for one that is being imported or deleted, too.
    package func realm(id: String) async throws -> Realm? {
        try await database.read { reader in
            try reader.keptRealm(id).map(\.realm).flatMap { $0.name.hasPrefix("~") ? nil : $0 }
        }
    }

    /// Whether the realm has a client of that `client_id`, enabled or not.
    package func hasClient(_ clientID: String, realmID: String) async throws -> Bool {
        try await database.read { try $0.clientUUID(clientID, realmID: realmID) != nil }
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

    /// Replaces what is kept of a realm; name, id and issuer stay. A role, group or scope that it does not
    /// have is ``MissingReference``.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    package func update(_ realm: Realm, replacing former: Realm?) async throws -> Change {
        try await database.change { transaction in
            guard let kept = try transaction.keptRealm(realm.id) else { return .notFound }
            try transaction.expect(kept.realm, toBe: former)
            try transaction.keep(realm, replacing: kept)
            try transaction.raiseRealmVersion()
            return .changed
        }
    }

    package func update(_ realm: Realm) async throws -> Change {
        try await update(realm, replacing: nil)
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
        ).map(withDefaults)
    }

    /// A realm with the document that its settings are kept in.
    func keptRealm(_ id: String) throws -> (realm: Realm, document: JSONObject)? {
        let kept = try first(
            "SELECT id, name, issuer, settings FROM realms WHERE id = $1",
            [.text(id)]
        ) { (realm: try Realm(row: $0), document: try $0.document(3)) }
        return try kept.map { (try withDefaults($0.realm), $0.document) }
    }

    /// A realm as its row has it, with what new people and clients get: every reading of realms ends here.
    func withDefaults(_ realm: Realm) throws -> Realm {
        var realm = realm
        realm.defaultRoles = try rows(
            """
            SELECT c.client_id, r.name FROM default_roles AS d
            JOIN roles AS r ON r.id = d.role_id LEFT JOIN clients AS c ON c.id = r.client_id
            WHERE d.realm_id = $1 ORDER BY d.place
            """,
            [.text(realm.id)]
        ) { try RoleName($0, from: 0) }
        realm.defaultGroupIDs = try rows(
            "SELECT group_id FROM default_groups WHERE realm_id = $1 ORDER BY place",
            [.text(realm.id)]
        ) { try $0.text(0) }
        (realm.defaultClientScopes, realm.optionalClientScopes) = try scopeLists(
            """
            SELECT s.name, u.is_default FROM scopes_of_new_clients AS u
            JOIN client_scopes AS s ON s.id = u.scope_id
            WHERE u.realm_id = $1 ORDER BY u.place
            """,
            of: realm.id
        )
        return realm
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
    /// Without what new people and clients get: that follows once it is there
    /// (``keepDefaults(of:replacing:)``).
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

    /// - Parameter kept: With its document: members that nothing here knows stay.
    func keep(_ realm: Realm, replacing kept: (realm: Realm, document: JSONObject)) throws {
        var document = kept.document
        realm.write(to: &document)
        try run(
            "UPDATE realms SET settings = $1 WHERE id = $2",
            [SQLValue(document), .text(realm.id)]
        )
        try keepDefaults(of: realm, replacing: kept.realm)
    }

    /// What new people and clients of a realm get.
    ///
    /// - Parameter former: What is kept; `nil`: nothing is yet.
    func keepDefaults(of realm: Realm, replacing former: Realm?) throws {
        let id = SQLValue.text(realm.id)
        if former?.defaultRoles ?? [] != realm.defaultRoles {
            try run("DELETE FROM default_roles WHERE realm_id = $1", [id])
            for (place, role) in realm.defaultRoles.enumerated() {
                guard let roleID = try roleID(of: role, realmID: realm.id) else {
                    throw MissingReference()
                }
                try run(
                    "INSERT INTO default_roles (realm_id, role_id, place) VALUES ($1, $2, $3)",
                    [id, .text(roleID), .int64(Int64(place))]
                )
            }
        }
        if former?.defaultGroupIDs ?? [] != realm.defaultGroupIDs {
            try run("DELETE FROM default_groups WHERE realm_id = $1", [id])
            for (place, groupID) in realm.defaultGroupIDs.enumerated() {
                let found = try run(
                    """
                    INSERT INTO default_groups (realm_id, group_id, place)
                    SELECT realm_id, id, $1 FROM groups WHERE realm_id = $2 AND id = $3
                    """,
                    [.int64(Int64(place)), id, .text(groupID)]
                )
                guard found > 0 else { throw MissingReference() }
            }
        }
        if former?.defaultClientScopes ?? [] != realm.defaultClientScopes
            || former?.optionalClientScopes ?? [] != realm.optionalClientScopes
        {
            try run("DELETE FROM scopes_of_new_clients WHERE realm_id = $1", [id])
            try assign(
                (realm.defaultClientScopes, realm.optionalClientScopes),
                by: """
                    INSERT INTO scopes_of_new_clients (realm_id, scope_id, is_default, place)
                    SELECT $1, id, $2, $3 FROM client_scopes WHERE realm_id = $4 AND name = $5
                    """,
                to: realm.id,
                realmID: realm.id
            )
        }
    }
}
