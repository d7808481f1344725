import PorticoProtocol

/// The groups of realms.
extension RealmStore {
    package enum GroupChange: StoreOutcome, Sendable {
        case changed
        case notFound
        /// A group of that name is there.
        case conflict
        /// The group would lie in itself.
        case cycle

        var hasHappened: Bool { self == .changed }
    }

    /// Groups of a realm with their roles, parents before their children.
    package func groups(realmID: String) async throws -> [GroupWithRoles] {
        try await database.scan { try $0.groups(realmID: realmID) }
    }

    /// `.conflict` where the parent has a group of that name. A parent that the realm does not have
    /// throws ``MissingReference``, a path that another group has ``StoreConflict``.
    package func create(_ group: Group) async throws -> Creation {
        try await database.change { transaction in
            let creation = try transaction.insert(GroupWithRoles(group: group))
            if creation == .created {
                try transaction.noteChange(ofRealm: group.realmID)
                try transaction.expectOwnPath(group)
            }
            return creation
        }
    }

    /// Replaces what is kept of a group, its place too; its realm stays. A path that another group
    /// has, for it or one below it, throws ``StoreConflict``. Default groups follow.
    ///
    /// - Parameter former: As for a realm.
    package func update(_ group: Group, replacing former: Group?) async throws -> GroupChange {
        try await database.change { transaction in
            guard let kept = try transaction.group(group.id, realmID: group.realmID) else {
                return .notFound
            }
            try transaction.expect(kept, toBe: former)
            if let parentID = group.parentID {
                guard try transaction.hasGroup(parentID, realmID: group.realmID) else {
                    return .notFound
                }
                guard try !transaction.lies(parentID, in: group.id) else { return .cycle }
            }
            guard try !transaction.hasTwin(of: group) else { return .conflict }
            try transaction.keep(group)
            try transaction.noteChange(ofRealm: group.realmID)
            if kept.name != group.name || kept.parentID != group.parentID {
                try transaction.expectOwnPath(group)
            }
            return .changed
        }
    }

    /// Deletes a group with those in it; their members stay in the realm.
    package func deleteGroup(id: String, realmID: String) async throws -> Change {
        try await database.change(ofRealm: realmID) {
            try $0.change(
                "DELETE FROM groups WHERE id = $1 AND realm_id = $2",
                [.text(id), .text(realmID)]
            )
        }
    }

    /// Gives a group's members a role, or takes it from them.
    package func set(_ role: RoleName, of groupID: String, to isGiven: Bool, realmID: String)
        async throws -> Change
    {
        try await database.change(ofRealm: realmID) { transaction in
            guard try transaction.hasGroup(groupID, realmID: realmID),
                let roleID = try transaction.roleID(of: role, realmID: realmID)
            else { return .notFound }
            guard isGiven else {
                return try transaction.change(
                    "DELETE FROM group_roles WHERE group_id = $1 AND role_id = $2",
                    [.text(groupID), .text(roleID)]
                )
            }
            try transaction.give(roleID, toGroup: groupID)
            return .changed
        }
    }
}

extension SQLReader {
    /// The groups of a realm, parents before their children.
    func groups(realmID: String) throws -> [GroupWithRoles] {
        let roles = try grouped(
            """
            SELECT g.group_id, c.client_id, r.name FROM roles AS r
            JOIN group_roles AS g ON g.role_id = r.id LEFT JOIN clients AS c ON c.id = r.client_id
            WHERE r.realm_id = $1 ORDER BY g.group_id, c.client_id, r.name
            """,
            [.text(realmID)]
        ) { try RoleName($0, from: 1) }
        return try rows(
            """
            WITH RECURSIVE tree (id, depth) AS (
                SELECT id, 0 FROM groups WHERE parent_id IS NULL AND realm_id = $1
                UNION ALL
                SELECT g.id, t.depth + 1 FROM groups AS g JOIN tree AS t ON g.parent_id = t.id)
            SELECT g.id, g.realm_id, g.parent_id, g.name, g.description, g.attributes
            FROM groups AS g JOIN tree AS t ON t.id = g.id ORDER BY t.depth, g.name, g.id
            """,
            [.text(realmID)]
        ) { row in
            let group = try Group(row: row)
            return GroupWithRoles(group: group, roles: roles[group.id] ?? [])
        }
    }

    fileprivate func group(_ id: String, realmID: String) throws -> Group? {
        try first(
            """
            SELECT id, realm_id, parent_id, name, description, attributes FROM groups
            WHERE id = $1 AND realm_id = $2
            """,
            [.text(id), .text(realmID)],
            decode: Group.init(row:)
        )
    }

    fileprivate func hasGroup(_ id: String, realmID: String) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM groups WHERE id = $1 AND realm_id = $2",
            [.text(id), .text(realmID)]
        )
    }

    /// Whether a group is `other`, or lies in it.
    fileprivate func lies(_ id: String, in other: String) throws -> Bool {
        try hasRow(
            """
            WITH RECURSIVE above (id) AS (
                SELECT id FROM groups WHERE id = $1
                UNION SELECT g.parent_id FROM groups AS g JOIN above AS a ON g.id = a.id)
            SELECT 1 FROM above WHERE id = $2
            """,
            [.text(id), .text(other)]
        )
    }

    /// Whether another group of that name is in the same place.
    fileprivate func hasTwin(of group: Group) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM groups WHERE realm_id = $1 AND name = $2 AND id <> $3
                AND COALESCE(parent_id, '') = $4
            """,
            [
                .text(group.realmID), .text(group.name), .text(group.id),
                .text(group.parentID ?? ""),
            ]
        )
    }
}

extension SQLTransaction {
    fileprivate func keep(_ group: Group) throws {
        try run(
            """
            UPDATE groups SET parent_id = $1, name = $2, description = $3, attributes = $4
            WHERE id = $5
            """,
            [
                SQLValue(group.parentID), .text(group.name), .text(group.description),
                SQLValue(PersonAttributes.document(group.attributes)), .text(group.id),
            ]
        )
    }

    /// Paths name groups, and a name may have a slash: `a/b` at the top is not made beside `b` in `a`.
    /// Behind ``noteChange(ofRealm:)``, so that no one makes the other one at the same time.
    fileprivate func expectOwnPath(_ group: Group) throws {
        let hasSlash = try hasRow(
            "SELECT 1 FROM groups WHERE realm_id = $1 AND name LIKE '%/%'",
            [.text(group.realmID)]
        )
        guard hasSlash else { return }
        let hasTwin = try hasRow(
            """
            WITH RECURSIVE tree (id, path, is_changed) AS (
                SELECT id, '/' || name, CASE WHEN id = $1 THEN 1 ELSE 0 END FROM groups
                WHERE realm_id = $2 AND parent_id IS NULL
                UNION ALL
                SELECT g.id, t.path || '/' || g.name,
                    CASE WHEN g.id = $1 THEN 1 ELSE t.is_changed END
                FROM groups AS g JOIN tree AS t ON g.parent_id = t.id)
            SELECT 1 FROM tree AS a JOIN tree AS b ON b.path = a.path AND b.id <> a.id
            WHERE a.is_changed = 1
            """,
            [.text(group.id), .text(group.realmID)]
        )
        guard !hasTwin else { throw StoreConflict() }
    }
}

extension Group {
    /// Of the columns `id, realm_id, parent_id, name, description, attributes`.
    fileprivate init(row: any SQLRow) throws {
        self.init(
            id: try row.text(0),
            realmID: try row.text(1),
            parentID: try row.optionalText(2),
            name: try row.text(3),
            description: try row.text(4),
            attributes: try PersonAttributes.read(row.document(5))
        )
    }
}

extension SQLTransaction {
    func insert(_ new: GroupWithRoles) throws -> Creation {
        let group = new.group
        if let parentID = group.parentID {
            guard try hasGroup(parentID, realmID: group.realmID) else { throw MissingReference() }
        }
        let isNew = try hasRow(
            """
            INSERT INTO groups (id, realm_id, parent_id, name, description, attributes)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                .text(group.id), .text(group.realmID), SQLValue(group.parentID),
                .text(group.name), .text(group.description),
                SQLValue(PersonAttributes.document(group.attributes)),
            ]
        )
        guard isNew else { return .conflict }
        for role in new.roles {
            let roleID = try neededRoleID(of: role, realmID: group.realmID)
            try give(roleID, toGroup: group.id)
        }
        return .created
    }

    func give(_ roleID: String, toGroup groupID: String) throws {
        try run(
            """
            INSERT INTO group_roles (group_id, role_id) VALUES ($1, $2)
            ON CONFLICT DO NOTHING
            """,
            [.text(groupID), .text(roleID)]
        )
    }
}
