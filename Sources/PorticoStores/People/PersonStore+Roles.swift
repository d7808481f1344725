import PorticoBytes
import PorticoProtocol

/// The roles and groups of people.
extension PersonStore {
    /// Gives a person a role that the realm has; giving it twice changes nothing.
    package func assign(_ role: RoleName, to personID: String, realmID: String) async throws
        -> Change
    {
        try await database.change { transaction in
            guard try transaction.hasPerson(personID, realmID: realmID),
                let roleID = try transaction.roleID(of: role, realmID: realmID)
            else {
                return .notFound
            }
            try transaction.give(roleID, to: personID)
            return .changed
        }
    }

    /// `.notFound` also where the person does not have the role.
    package func remove(_ role: RoleName, from personID: String, realmID: String) async throws
        -> Change
    {
        try await database.change { transaction in
            guard try transaction.hasPerson(personID, realmID: realmID),
                let roleID = try transaction.roleID(of: role, realmID: realmID)
            else {
                return .notFound
            }
            return try transaction.change(
                "DELETE FROM person_roles WHERE person_id = $1 AND role_id = $2",
                [.text(personID), .text(roleID)]
            )
        }
    }
}

extension SQLReader {
    func hasPerson(_ id: String, realmID: String) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM people WHERE id = $1 AND realm_id = $2",
            [.text(id), .text(realmID)]
        )
    }
}

extension SQLTransaction {
    func give(_ roleID: String, to personID: String) throws {
        try run(
            """
            INSERT INTO person_roles (person_id, role_id) VALUES ($1, $2)
            ON CONFLICT DO NOTHING
            """,
            [.text(personID), .text(roleID)]
        )
    }
}

extension PersonStore {
    /// Makes a person a member of a group of the realm; twice changes nothing.
    package func join(_ groupID: String, person personID: String, realmID: String) async throws
        -> Change
    {
        try await database.change { transaction in
            guard try transaction.hasPerson(personID, realmID: realmID) else { return .notFound }
            return try transaction.join(groupID, personID, realmID: realmID) ? .changed : .notFound
        }
    }

    /// `.notFound` also where the person is no member.
    package func leave(_ groupID: String, person personID: String, realmID: String) async throws
        -> Change
    {
        try await database.change { transaction in
            guard try transaction.hasPerson(personID, realmID: realmID) else { return .notFound }
            return try transaction.change(
                "DELETE FROM person_groups WHERE person_id = $1 AND group_id = $2",
                [.text(personID), .text(groupID)]
            )
        }
    }
}

extension SQLTransaction {
    /// - Returns: `false` where the realm has no such group.
    func join(_ groupID: String, _ personID: String, realmID: String) throws -> Bool {
        guard
            try hasRow(
                "SELECT 1 FROM groups WHERE id = $1 AND realm_id = $2",
                [.text(groupID), .text(realmID)]
            )
        else { return false }
        try run(
            """
            INSERT INTO person_groups (person_id, group_id) VALUES ($1, $2)
            ON CONFLICT DO NOTHING
            """,
            [.text(personID), .text(groupID)]
        )
        return true
    }
}
