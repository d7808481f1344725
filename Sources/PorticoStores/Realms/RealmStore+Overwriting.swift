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
    /// Notes that are written together with new things, by their ids: that an import brought them.
    package var begun: [String: RealmPart] = [:]

    package init() {}

    /// Without notes.
    package var count: Int {
        (realm == nil ? 0 : 1) + clients.count + scopes.count + roles.count + groups.count
            + parts.count + keys.count + keptKeys.count + disabledKeys.count + contents.count
            + groupRoles.count + limits.count
    }
}

extension RealmStore {
    fileprivate enum Step: Sendable {
        case realm(Realm)
        case key(SigningKeyRecord)
        case keptKey(KeptKey)
        case disabledKey(KeptKey)
        case client(Client)
        case scope(ClientScope)
        case role(Role)
        case contents(RoleName, Set<RoleName>)
        case group(Group)
        case groupRoles(String, Set<RoleName>)
        case limits(RoleLimit.Owner, Set<RoleName>)
        case part(RealmPart)

        /// Of a thing that may be new.
        var newID: String? {
            switch self {
            case .client(let client): client.id
            case .scope(let scope): scope.id
            case .role(let role): role.id
            case .group(let group): group.id
            default: nil
            }
        }
    }

    /// Up to so many rows are written in one transaction.
    private static let atOnce = 500

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

    /// Writes changes over a realm: in one transaction where they are few. Where they are many, a
    /// program that ends meanwhile leaves some of them, and doing it again does the rest. Notes come
    /// last: a thing that was written without its note is as the file has it.
    ///
    /// - Parameter version: Of the snapshot that the changes were made from.
    /// - Throws: ``ChangedMeanwhile`` where something else changed a realm since. What was written by
    ///   then stays: make the changes anew, from what is here now.
    package func overwrite(
        _ realmID: String,
        with changes: RealmChanges,
        from version: Int64
    ) async throws {
        let begun = changes.begun
        var steps: [Step] = changes.keys.map(Step.key) + changes.keptKeys.map(Step.keptKey)
        steps += changes.disabledKeys.map(Step.disabledKey)
        steps += changes.clients.map(Step.client) + changes.scopes.map(Step.scope)
        steps += changes.roles.map(Step.role)
        steps += changes.contents.map { Step.contents($0.role, $0.parts) }
        steps += changes.groups.map(Step.group)
        steps += changes.groupRoles.map { Step.groupRoles($0.groupID, $0.roles) }
        steps += changes.limits.map { Step.limits($0.owner, $0.roles) }
        steps += changes.parts.map(Step.part)
        if let realm = changes.realm { steps.append(.realm(realm)) }
        let chunk = steps.count <= Self.atOnce ? Self.atOnce : 100
        steps += changes.imported.map(Step.part)
        try await database.change(steps, inChunksOf: chunk) { transaction, step in
            guard try transaction.realmVersion() == version else { throw ChangedMeanwhile() }
            try transaction.apply(step, realmID)
            if let id = step.newID, let note = begun[id] { try transaction.put(note) }
        }
        try await database.change { try $0.raiseRealmVersion() }
    }
}

extension SQLTransaction {
    fileprivate func apply(_ step: RealmStore.Step, _ realmID: String) throws {
        switch step {
        case .realm(let realm): try overwrite(realm)
        case .key(let key):
            try forgetKey(key.keyID, realmID)
            try insert(key)
        case .keptKey(let key): try insert(key)
        case .disabledKey(let key):
            try forgetKey(key.keyID, realmID)
            try insert(key)
        case .client(let client): try overwrite(client)
        case .scope(let scope):
            try run(
                """
                INSERT INTO client_scopes (id, realm_id, name, settings) VALUES ($1, $2, $3, $4)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, settings = excluded.settings
                """,
                [
                    .text(scope.id), .text(realmID), .text(scope.name),
                    SQLValue(scope.representation),
                ]
            )
        case .role(let role):
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
        case .contents(let role, let parts):
            guard let id = try roleID(of: role, realmID: realmID) else { throw MissingReference() }
            try run("DELETE FROM role_parts WHERE role_id = $1", [.text(id)])
            for part in parts { try add(RolePart(role: role, part: part), realmID: realmID) }
        case .group(let group):
            try run(
                """
                INSERT INTO groups (id, realm_id, parent_id, name, description, attributes)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (id) DO UPDATE SET description = excluded.description,
                    attributes = excluded.attributes
                """,
                [
                    .text(group.id), .text(realmID), SQLValue(group.parentID), .text(group.name),
                    .text(group.description),
                    SQLValue(PersonAttributes.document(group.attributes)),
                ]
            )
        case .groupRoles(let groupID, let roles):
            try run("DELETE FROM group_roles WHERE group_id = $1", [.text(groupID)])
            for role in roles {
                guard let id = try roleID(of: role, realmID: realmID) else {
                    throw MissingReference()
                }
                try give(id, toGroup: groupID)
            }
        case .limits(let owner, let roles):
            switch owner {
            case .client(let id):
                try run("DELETE FROM client_role_limits WHERE client_id = $1", [.text(id)])
            case .scope(let id):
                try run("DELETE FROM scope_role_limits WHERE scope_id = $1", [.text(id)])
            }
            for role in roles { try add(RoleLimit(owner: owner, role: role), realmID: realmID) }
        case .part(let part): try put(part)
        }
    }

    private func forgetKey(_ keyID: String, _ realmID: String) throws {
        let key: [SQLValue] = [.text(realmID), .text(keyID)]
        try run("DELETE FROM signing_keys WHERE realm_id = $1 AND key_id = $2", key)
        try run("DELETE FROM kept_keys WHERE realm_id = $1 AND key_id = $2", key)
    }

    private func overwrite(_ realm: Realm) throws {
        let kept = try first("SELECT settings FROM realms WHERE id = $1", [.text(realm.id)]) {
            try $0.document(0)
        }
        guard var document = kept else { throw MissingReference() }
        realm.write(to: &document)
        try run(
            "UPDATE realms SET settings = $1 WHERE id = $2",
            [SQLValue(document), .text(realm.id)]
        )
    }

    private func overwrite(_ client: Client) throws {
        let kept = try first("SELECT settings FROM clients WHERE id = $1", [.text(client.id)]) {
            try $0.document(0)
        }
        guard var document = kept else {
            guard try insert(client) == .created else { throw StoreConflict() }
            return
        }
        client.write(to: &document)
        try run(
            "UPDATE clients SET settings = $1 WHERE id = $2",
            [SQLValue(document), .text(client.id)]
        )
    }
}
