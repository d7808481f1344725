import PorticoProtocol

/// What of a realm is written over what is kept. Everything else of it stays.
package struct RealmChanges: Sendable {
    package var realm: Realm?
    /// New ones, and those that differ.
    package var clients: [Client] = []
    package var scopes: [ClientScope] = []
    package var roles: [Role] = []
    package var groups: [Group] = []
    package var parts: [RealmPart] = []
    /// New ones only.
    package var keys: [SigningKeyRecord] = []
    package var keptKeys: [KeptKey] = []
    /// In place of those that signed or verified under their `kid`s.
    package var disabledKeys: [KeptKey] = []
    /// Each with everything that it contains.
    package var contents: [(role: RoleName, parts: Set<RoleName>)] = []
    /// The ids of groups, each with all its roles.
    package var groupRoles: [(groupID: String, roles: Set<RoleName>)] = []
    /// Each with all roles that it shows.
    package var limits: [(owner: RoleLimit.Owner, roles: Set<RoleName>)] = []
    /// What the import notes of things (``RealmPart/imported``), those that do not differ too.
    package var imported: [RealmPart] = []

    package init() {}

    /// Without notes.
    package var count: Int {
        let things = [clients.count, scopes.count, roles.count, groups.count, parts.count]
        let keys = [keys.count, keptKeys.count, disabledKeys.count]
        let rest = [contents.count, groupRoles.count, limits.count]
        return (things + keys + rest).reduce(realm == nil ? 0 : 1, +)
    }
}

extension RealmStore {
    /// Whether someone is signed in to the realm or was until lately, has chosen a password here, or has
    /// used a second factor: who adds one here uses it.
    package func isInUse(_ realmID: String) async throws -> Bool {
        try await database.read { reader in
            try reader.hasRow(
                """
                SELECT 1 FROM browser_sessions WHERE realm_id = $1
                UNION ALL SELECT 1 FROM grants WHERE realm_id = $1
                UNION ALL SELECT 1 FROM people WHERE realm_id = $1 AND epoch > 0
                UNION ALL SELECT 1 FROM people AS p JOIN credentials AS c ON c.person_id = p.id
                WHERE p.realm_id = $1 AND c.used <> 0
                """,
                [.text(realmID)]
            )
        }
    }

    /// Writes changes over a realm, all or none: what was taken away here from a thing that was written
    /// without its note would come back with the next import.
    ///
    /// - Parameter state: Of what the changes were made from.
    /// - Throws: ``ChangedMeanwhile`` where something else changed the realm since: make the changes
    ///   anew, from what is here now.
    package func overwrite(
        _ realmID: String,
        with changes: RealmChanges,
        from state: RealmState
    ) async throws {
        // Documents are read, merged and written down first, so that no one waits for that. They
        // are of that state, or nothing is written.
        let clients = try await database.scan { reader in
            try changes.clients.map { try reader.overwritten($0) }
        }
        let notes = changes.imported.map(\.values)
        try await database.changeAndPause { transaction in
            try transaction.expect(realmID, toBe: state)
            try transaction.write(changes, clients, realmID)
            for note in notes { try transaction.put(note) }
            try transaction.raiseRealmVersion()
        }
    }
}

/// A client, and the document that its settings are kept in from now on.
private struct OverwrittenClient: Sendable {
    let client: Client
    let isNew: Bool
    let settings: SQLValue
}

extension SQLReader {
    fileprivate func overwritten(_ client: Client) throws -> OverwrittenClient {
        let kept = try first("SELECT settings FROM clients WHERE id = $1", [.text(client.id)]) {
            try $0.document(0)
        }
        var document = kept ?? JSONObject()
        client.write(to: &document)
        return OverwrittenClient(
            client: client,
            isNew: kept == nil,
            settings: SQLValue(document)
        )
    }
}

extension SQLTransaction {
    /// All but notes. Each names only what was written before it.
    fileprivate func write(
        _ changes: RealmChanges,
        _ clients: [OverwrittenClient],
        _ realmID: String
    ) throws {
        for key in changes.keys {
            try forgetKey(key.keyID, realmID)
            try insert(key)
        }
        for key in changes.keptKeys { try insert(key) }
        for key in changes.disabledKeys {
            try forgetKey(key.keyID, realmID)
            try insert(key)
        }
        for client in clients { try overwrite(client) }
        for scope in changes.scopes { try overwrite(scope, realmID) }
        for role in changes.roles { try overwrite(role, realmID) }
        for (role, parts) in changes.contents {
            guard let id = try roleID(of: role, realmID: realmID) else { throw MissingReference() }
            try run("DELETE FROM role_parts WHERE role_id = $1", [.text(id)])
            for part in parts { try add(RolePart(role: role, part: part), realmID: realmID) }
        }
        for group in changes.groups { try overwrite(group, realmID) }
        for (groupID, roles) in changes.groupRoles {
            try run("DELETE FROM group_roles WHERE group_id = $1", [.text(groupID)])
            for role in roles {
                guard let id = try roleID(of: role, realmID: realmID) else {
                    throw MissingReference()
                }
                try give(id, toGroup: groupID)
            }
        }
        for (owner, roles) in changes.limits {
            switch owner {
            case .client(let id):
                try run("DELETE FROM client_role_limits WHERE client_id = $1", [.text(id)])
            case .scope(let id):
                try run("DELETE FROM scope_role_limits WHERE scope_id = $1", [.text(id)])
            }
            for role in roles { try add(RoleLimit(owner: owner, role: role), realmID: realmID) }
        }
        for part in changes.parts { try put(part) }
        if let realm = changes.realm {
            guard let kept = try keptRealm(realm.id) else { throw MissingReference() }
            try keep(realm, in: kept.document)
        }
    }

    private func forgetKey(_ keyID: String, _ realmID: String) throws {
        let key: [SQLValue] = [.text(realmID), .text(keyID)]
        try run("DELETE FROM signing_keys WHERE realm_id = $1 AND key_id = $2", key)
        try run("DELETE FROM kept_keys WHERE realm_id = $1 AND key_id = $2", key)
    }

    private func overwrite(_ written: OverwrittenClient) throws {
        if written.isNew {
            let creation = try insert(written.client, settings: written.settings)
            guard creation == .created else { throw StoreConflict() }
        } else {
            try run(
                "UPDATE clients SET settings = $1 WHERE id = $2",
                [written.settings, .text(written.client.id)]
            )
        }
    }

    private func overwrite(_ scope: ClientScope, _ realmID: String) throws {
        try run(
            """
            INSERT INTO client_scopes (id, realm_id, name, settings) VALUES ($1, $2, $3, $4)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, settings = excluded.settings
            """,
            [.text(scope.id), .text(realmID), .text(scope.name), SQLValue(scope.document)]
        )
    }

    private func overwrite(_ role: Role, _ realmID: String) throws {
        try run(
            """
            INSERT INTO roles (id, realm_id, client_id, name, description, attributes)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO UPDATE SET description = excluded.description,
                attributes = excluded.attributes
            """,
            [
                .text(role.id), .text(realmID), SQLValue(role.clientID), .text(role.name),
                .text(role.description), SQLValue(PersonAttributes.document(role.attributes)),
            ]
        )
    }

    private func overwrite(_ group: Group, _ realmID: String) throws {
        try run(
            """
            INSERT INTO groups (id, realm_id, parent_id, name, description, attributes)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO UPDATE SET description = excluded.description,
                attributes = excluded.attributes
            """,
            [
                .text(group.id), .text(realmID), SQLValue(group.parentID), .text(group.name),
                .text(group.description), SQLValue(PersonAttributes.document(group.attributes)),
            ]
        )
    }
}
