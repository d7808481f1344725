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
    /// Each with everything that it contains.
    package var contents: [(role: RoleName, parts: Set<RoleName>)] = []
    /// The ids of groups, each with all its roles.
    package var groupRoles: [(groupID: String, roles: Set<RoleName>)] = []
    /// Each with all roles that it shows.
    package var limits: [(owner: RoleLimit.Owner, roles: Set<RoleName>)] = []
    /// What is here no more.
    package var deletions: [RealmDeletion] = []

    package init() {}

    package var count: Int {
        let things = [clients.count, scopes.count, roles.count, groups.count, parts.count]
        let rest = [keys.count, contents.count, groupRoles.count, limits.count]
        return (things + rest + [deletions.count]).reduce(realm == nil ? 0 : 1, +)
    }
}

/// Something of a realm that is deleted.
package enum RealmDeletion: Hashable, Sendable {
    /// With its roles and the account that it has for itself.
    case client(id: String)
    /// - Parameter claims: As for ``RealmStore/deleteScope(id:realmID:claims:)``.
    case scope(id: String, claims: [String])
    case role(id: String)
    /// With those below it.
    case group(id: String)
    case part(kind: String, id: String)
}

extension RealmStore {
    /// Writes changes over a realm, all or none.
    ///
    /// - Parameters:
    ///   - state: Of what the changes were made from.
    ///   - role: Someone who can use it is left, if there is one now.
    /// - Throws: ``ChangedMeanwhile`` where something else changed the realm since: make the changes
    ///   anew, from what is here now; ``LastHolder``.
    package func overwrite(
        _ realmID: String,
        with changes: RealmChanges,
        from state: RealmState,
        keeping role: LastingRole? = nil
    ) async throws {
        // Documents are read, merged and written down first, so that no one waits for that. They
        // are of that state, or nothing is written.
        let clients = try await database.scan { reader in
            try changes.clients.map { client in
                let kept = try reader.keptClient(client.id)
                var document = kept?.document ?? JSONObject()
                client.write(to: &document)
                return OverwrittenClient(
                    client: client,
                    former: kept?.client,
                    settings: SQLValue(document)
                )
            }
        }
        try await database.changeAndPause { transaction in
            try transaction.expect(realmID, toBe: state)
            try transaction.keeping(role, ofRealm: realmID) {
                try transaction.write(changes, clients, realmID)
            }
            try transaction.noteChange(ofRealm: realmID)
        }
    }
}

/// A client, and the document that its settings are kept in from now on.
private struct OverwrittenClient: Sendable {
    let client: Client
    /// `nil`: it is new.
    let former: Client?
    let settings: SQLValue
}

extension SQLTransaction {
    /// Each names only what was written before it.
    fileprivate func write(
        _ changes: RealmChanges,
        _ clients: [OverwrittenClient],
        _ realmID: String
    ) throws {
        for key in changes.keys { try insert(key) }
        for scope in changes.scopes { try overwrite(scope, realmID) }
        for client in clients { try overwrite(client) }
        for one in clients { try keepTargets(of: one.client, replacing: one.former) }
        for role in changes.roles { try overwrite(role) }
        for (role, parts) in changes.contents {
            let id = try neededRoleID(of: role, realmID: realmID)
            try run("DELETE FROM role_parts WHERE role_id = $1", [.text(id)])
            for part in parts { try add(RolePart(role: role, part: part), realmID: realmID) }
        }
        for group in changes.groups { try overwrite(group, realmID) }
        for (groupID, roles) in changes.groupRoles {
            try run("DELETE FROM group_roles WHERE group_id = $1", [.text(groupID)])
            for role in roles {
                let id = try neededRoleID(of: role, realmID: realmID)
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
            try keep(realm, replacing: kept)
        }
        // Last, because what was written over named some of them until now.
        for deletion in changes.deletions { try delete(deletion, realmID) }
    }

    /// One that went with another one is gone already.
    private func delete(_ deletion: RealmDeletion, _ realmID: String) throws {
        switch deletion {
        case .client(let id): _ = try deleteClient(id: id)
        case .scope(let id, let claims):
            _ = try deleteScope(id: id, realmID: realmID, claims: claims)
        case .role(let id):
            try run(
                "DELETE FROM roles WHERE id = $1 AND realm_id = $2",
                [.text(id), .text(realmID)]
            )
        case .group(let id):
            try run(
                "DELETE FROM groups WHERE id = $1 AND realm_id = $2",
                [.text(id), .text(realmID)]
            )
        case .part(let kind, let id): _ = try deletePart(kind, id: id, realmID: realmID)
        }
    }

    private func overwrite(_ written: OverwrittenClient) throws {
        guard let former = written.former else {
            let creation = try insert(written.client, settings: written.settings)
            guard creation == .created else { throw StoreConflict() }
            return
        }
        let isWritten = try hasRow(
            "UPDATE clients SET settings = $1 WHERE id = $2 AND realm_id = $3 RETURNING id",
            [written.settings, .text(written.client.id), .text(written.client.realmID)]
        )
        guard isWritten else { throw StoreConflict() }
        try keepScopes(of: written.client, replacing: former)
        try keepFindable(written.client)
    }

    /// - Throws: ``StoreConflict`` where another realm has something of that id.
    private func overwrite(_ scope: ClientScope, _ realmID: String) throws {
        let isWritten = try hasRow(
            """
            INSERT INTO client_scopes (id, realm_id, name, is_limited, settings)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name,
                is_limited = excluded.is_limited, settings = excluded.settings
                WHERE realm_id = excluded.realm_id
            RETURNING id
            """,
            [
                .text(scope.id), .text(realmID), .text(scope.name), .bool(scope.isLimited),
                SQLValue(scope.document),
            ]
        )
        guard isWritten else { throw StoreConflict() }
    }

    private func overwrite(_ group: Group, _ realmID: String) throws {
        let isWritten = try hasRow(
            """
            INSERT INTO groups (id, realm_id, parent_id, name, description, attributes)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO UPDATE SET description = excluded.description,
                attributes = excluded.attributes
                WHERE realm_id = excluded.realm_id
            RETURNING id
            """,
            [
                .text(group.id), .text(realmID), SQLValue(group.parentID), .text(group.name),
                .text(group.description), SQLValue(PersonAttributes.document(group.attributes)),
            ]
        )
        guard isWritten else { throw StoreConflict() }
    }
}
