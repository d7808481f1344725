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
            let changed = try transaction.run(
                "DELETE FROM person_groups WHERE person_id = $1 AND group_id = $2",
                [.text(personID), .text(groupID)]
            )
            return changed > 0 ? .changed : .notFound
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
