package import PorticoProtocol

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
            let changed = try transaction.run(
                "DELETE FROM person_roles WHERE person_id = $1 AND role_id = $2",
                [.text(personID), .text(roleID)]
            )
            return changed > 0 ? .changed : .notFound
        }
    }

    /// What the person allowed this client before; `nil`: nothing.
    package func consent(personID: String, clientID: String) async throws -> Scope? {
        try await database.read { try $0.consent(personID: personID, clientID: clientID) }
    }

    /// Adds to what the person allowed this client (its UUID). `now` in seconds since 1970.
    package func allow(_ scope: Scope, to clientID: String, by personID: String, at now: Int64)
        async throws
    {
        try await database.change { try $0.allow(scope, to: clientID, by: personID, at: now) }
    }
}

extension SQLReader {
    fileprivate func consent(personID: String, clientID: String) throws -> Scope? {
        try first(
            "SELECT scope FROM consents WHERE person_id = $1 AND client_id = $2",
            [.text(personID), .text(clientID)]
        ) { Scope(tokens: try $0.words(0)) }
    }

    func hasPerson(_ id: String, realmID: String) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM people WHERE id = $1 AND realm_id = $2",
            [.text(id), .text(realmID)]
        )
    }
}

extension SQLTransaction {
    func allow(_ scope: Scope, to clientID: String, by personID: String, at now: Int64) throws {
        let before = try consent(personID: personID, clientID: clientID)
        let scope = Scope(tokens: (before?.tokens ?? []) + scope.tokens)
        try run(
            """
            INSERT INTO consents (person_id, client_id, scope, updated_at)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (person_id, client_id)
                DO UPDATE SET scope = excluded.scope, updated_at = excluded.updated_at
            """,
            [.text(personID), .text(clientID), SQLValue(words: scope.tokens), .int64(now)]
        )
    }

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
