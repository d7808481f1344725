import PorticoProtocol

/// The roles of realms and clients, and which of them contain others.
extension RealmStore {
    /// Roles of a realm in the order of client and name, the realm's own first.
    package func roles(realmID: String) async throws -> [Role] {
        try await database.scan { try $0.roles(realmID: realmID) }
    }

    /// Those of the roles that the realm has.
    package func existing(_ roles: [RoleName], realmID: String) async throws -> [RoleName] {
        try await database.read { reader in
            try roles.filter { try reader.roleID(of: $0, realmID: realmID) != nil }
        }
    }

    /// `.conflict` where the realm, or its client, has a role of that name.
    package func create(_ role: Role) async throws -> Creation {
        try await database.change(ofRealm: role.realmID) { try $0.insert(role) }
    }

    /// Replaces what is kept of a role, its name too; realm and client stay. `.conflict` is reported
    /// as thrown ``StoreConflict``.
    ///
    /// - Parameter former: As for a realm.
    package func update(_ role: Role, replacing former: Role?) async throws -> Change {
        try await database.change { transaction in
            let kept = try transaction.first(
                """
                SELECT r.id, r.realm_id, c.client_id, r.name, r.description, r.attributes
                FROM roles AS r LEFT JOIN clients AS c ON c.id = r.client_id
                WHERE r.id = $1 AND r.realm_id = $2
                """,
                [.text(role.id), .text(role.realmID)],
                decode: Role.init(row:)
            )
            guard kept != nil else { return .notFound }
            try transaction.expect(kept, toBe: former)
            try transaction.run(
                """
                UPDATE roles SET name = $1, description = $2, attributes = $3
                WHERE id = $4 AND realm_id = $5
                """,
                [
                    .text(role.name), .text(role.description),
                    SQLValue(PersonAttributes.document(role.attributes)), .text(role.id),
                    .text(role.realmID),
                ]
            )
            try transaction.noteChange(ofRealm: role.realmID)
            return .changed
        }
    }

    /// Deletes a role and takes it from everyone.
    package func deleteRole(id: String) async throws -> Change {
        try await database.change { transaction in
            let realmID = try transaction.first(
                "DELETE FROM roles WHERE id = $1 RETURNING realm_id",
                [.text(id)]
            ) { try $0.text(0) }
            guard let realmID else { return .notFound }
            try transaction.noteChange(ofRealm: realmID)
            return .changed
        }
    }

    /// Makes a role contain another one of the realm; twice changes nothing. Roles may contain each
    /// other.
    package func add(_ part: RolePart, realmID: String) async throws -> Change {
        try await database.change(ofRealm: realmID) { transaction in
            guard let ids = try transaction.ids(of: part, realmID: realmID) else {
                return .notFound
            }
            try transaction.add(ids)
            return .changed
        }
    }

    /// `.notFound` also where the role does not contain that one itself.
    package func remove(_ part: RolePart, realmID: String) async throws -> Change {
        try await database.change(ofRealm: realmID) { transaction in
            guard let ids = try transaction.ids(of: part, realmID: realmID) else {
                return .notFound
            }
            return try transaction.change(
                "DELETE FROM role_parts WHERE role_id = $1 AND part_id = $2",
                [.text(ids.role), .text(ids.part)]
            )
        }
    }

    /// The parts of a realm's roles.
    package func roleParts(realmID: String) async throws -> [RolePart] {
        try await database.scan { try $0.roleParts(realmID: realmID) }
    }
}

extension SQLReader {
    func roles(realmID: String) throws -> [Role] {
        try rows(
            """
            SELECT r.id, r.realm_id, c.client_id, r.name, r.description, r.attributes
            FROM roles AS r LEFT JOIN clients AS c ON c.id = r.client_id
            WHERE r.realm_id = $1
            ORDER BY c.client_id IS NOT NULL, c.client_id, r.name
            """,
            [.text(realmID)],
            decode: Role.init(row:)
        )
    }

    func roleParts(realmID: String) throws -> [RolePart] {
        try rows(
            """
            SELECT c.client_id, r.name, d.client_id, p.name FROM role_parts AS x
            JOIN roles AS r ON r.id = x.role_id LEFT JOIN clients AS c ON c.id = r.client_id
            JOIN roles AS p ON p.id = x.part_id LEFT JOIN clients AS d ON d.id = p.client_id
            WHERE r.realm_id = $1 ORDER BY c.client_id, r.name, d.client_id, p.name
            """,
            [.text(realmID)]
        ) { try RolePart($0, from: 0) }
    }

    /// What a realm's roles and groups amount to.
    func roleGraph(realmID: String) throws -> RoleGraph {
        RoleGraph(
            parts: try roleParts(realmID: realmID),
            groups: try groups(realmID: realmID)
        )
    }

    func roleID(of role: RoleName, realmID: String) throws -> String? {
        guard let clientID = role.clientID else {
            return try first(
                "SELECT id FROM roles WHERE realm_id = $1 AND client_id IS NULL AND name = $2",
                [.text(realmID), .text(role.name)]
            ) { try $0.text(0) }
        }
        return try first(
            """
            SELECT r.id FROM clients AS c JOIN roles AS r ON r.client_id = c.id
            WHERE c.realm_id = $1 AND c.client_id = $2 AND r.name = $3
            """,
            [.text(realmID), .text(clientID), .text(role.name)]
        ) { try $0.text(0) }
    }

    /// - Throws: ``MissingReference`` where the realm does not have it.
    func neededRoleID(of role: RoleName, realmID: String) throws -> String {
        guard let id = try roleID(of: role, realmID: realmID) else { throw MissingReference() }
        return id
    }

    fileprivate func ids(of part: RolePart, realmID: String) throws -> (role: String, part: String)?
    {
        guard let role = try roleID(of: part.role, realmID: realmID),
            let part = try roleID(of: part.part, realmID: realmID)
        else { return nil }
        return (role, part)
    }
}

extension Role {
    /// Of the columns `id, realm_id, client_id, name, description, attributes`, of which the third is that of
    /// the client.
    fileprivate init(row: any SQLRow) throws {
        self.init(
            id: try row.text(0),
            realmID: try row.text(1),
            clientID: try row.optionalText(2),
            name: try row.text(3),
            description: try row.text(4),
            attributes: try PersonAttributes.read(row.document(5))
        )
    }
}

extension RoleName {
    /// Of the `client_id` of its client, and its name.
    init(_ row: any SQLRow, from first: Int) throws {
        self.init(clientID: try row.optionalText(first), name: try row.text(first + 1))
    }
}

extension RolePart {
    fileprivate init(_ row: any SQLRow, from first: Int) throws {
        self.init(role: try RoleName(row, from: first), part: try RoleName(row, from: first + 2))
    }
}

extension SQLTransaction {
    func insert(_ role: Role) throws -> Creation {
        try create(
            """
            INSERT INTO roles (id, realm_id, client_id, name, description, attributes)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            try values(of: role)
        )
    }

    /// Writes a role of that id: it is new, or what is kept of it is replaced but its client and name.
    func overwrite(_ role: Role) throws {
        let isWritten = try hasRow(
            """
            INSERT INTO roles (id, realm_id, client_id, name, description, attributes)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO UPDATE SET description = excluded.description,
                attributes = excluded.attributes
                WHERE realm_id = excluded.realm_id
            RETURNING id
            """,
            try values(of: role)
        )
        guard isWritten else { throw StoreConflict() }
    }

    private func values(of role: Role) throws -> [SQLValue] {
        var owner: String?
        if let clientID = role.clientID {
            owner = try clientUUID(clientID, realmID: role.realmID)
            guard owner != nil else { throw MissingReference() }
        }
        return [
            .text(role.id), .text(role.realmID), SQLValue(owner), .text(role.name),
            .text(role.description), SQLValue(PersonAttributes.document(role.attributes)),
        ]
    }

    func add(_ part: RolePart, realmID: String) throws {
        guard let ids = try ids(of: part, realmID: realmID) else { throw MissingReference() }
        try add(ids)
    }

    fileprivate func add(_ ids: (role: String, part: String)) throws {
        try run(
            """
            INSERT INTO role_parts (role_id, part_id) VALUES ($1, $2)
            ON CONFLICT DO NOTHING
            """,
            [.text(ids.role), .text(ids.part)]
        )
    }
}
