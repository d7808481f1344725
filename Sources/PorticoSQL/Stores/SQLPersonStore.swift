import PorticoProtocol
package import PorticoStores

/// People in SQL.
package struct SQLPersonStore: PersonStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func person(id: String, realmID: String) async throws -> PersonWithRoles? {
        try await database.read { reader in
            guard let person = try reader.person(id: id, realmID: realmID) else { return nil }
            return PersonWithRoles(person: person, roles: try reader.roles(ofPerson: id))
        }
    }

    package func credentials(realmID: String, login: String, byEmail: Bool) async throws
        -> PersonCredentials?
    {
        let key = SQLValue.text(LoginName.folded(login))
        return try await database.read { reader in
            let byName = try reader.first(
                """
                SELECT id, realm_id, username, email, is_email_verified, given_name, family_name,
                    is_enabled, not_before, attributes, created_at, updated_at, password_hash,
                    epoch
                FROM people WHERE realm_id = $1 AND username = $2
                """,
                [.text(realmID), key],
                decode: PersonCredentials.init(row:)
            )
            guard byName == nil, byEmail else { return byName }
            return try reader.first(
                """
                SELECT id, realm_id, username, email, is_email_verified, given_name, family_name,
                    is_enabled, not_before, attributes, created_at, updated_at, password_hash,
                    epoch
                FROM people WHERE realm_id = $1 AND email_key = $2
                """,
                [.text(realmID), key],
                decode: PersonCredentials.init(row:)
            )
        }
    }

    package func people(realmID: String, after cursor: String?, limit: Int) async throws -> [Person]
    {
        try await database.scan { reader in
            try reader.rows(
                """
                SELECT id, realm_id, username, email, is_email_verified, given_name, family_name,
                    is_enabled, not_before, attributes, created_at, updated_at
                FROM people WHERE realm_id = $1 AND username > $2 ORDER BY username LIMIT $3
                """,
                [.text(realmID), .text(cursor ?? ""), .int64(Int64(max(0, limit)))]
            ) { try PersonRow.person($0) }
        }
    }

    package func create(_ person: NewPerson) async throws -> Creation {
        try await database.change { try $0.insert(person) }
    }

    package func update(_ person: Person, replacing former: Person?) async throws -> Change {
        try await database.change { transaction in
            let kept = try transaction.person(id: person.id, realmID: person.realmID)
            guard let kept else { return .notFound }
            try transaction.expect(kept, toBe: former)
            // Disabled, or signed out everywhere: their sessions are over.
            let endsSessions = try transaction.hasRow(
                """
                SELECT 1 FROM people
                WHERE id = $1 AND realm_id = $2 AND (not_before < $3 OR (is_enabled AND NOT $4))
                """,
                [
                    .text(person.id), .text(person.realmID), .int64(person.notBefore),
                    .bool(person.isEnabled),
                ]
            )
            if endsSessions { try transaction.tellClients(ofPerson: person.id) }
            let changed = try transaction.run(
                """
                UPDATE people SET username = $1, email = $2, email_key = $3,
                    is_email_verified = $4, given_name = $5, family_name = $6, is_enabled = $7,
                    not_before = $8, attributes = $9, updated_at = $10,
                    epoch = CASE WHEN not_before < $8 OR is_enabled <> $7
                        THEN epoch + 1 ELSE epoch END
                WHERE id = $11 AND realm_id = $12
                """,
                [
                    .text(LoginName.folded(person.username)), SQLValue(person.email),
                    SQLValue(person.email.map(LoginName.folded)), .bool(person.isEmailVerified),
                    SQLValue(person.givenName), SQLValue(person.familyName),
                    .bool(person.isEnabled), .int64(person.notBefore),
                    SQLValue(PersonAttributes.document(person.attributes)),
                    .int64(person.updatedAt), .text(person.id), .text(person.realmID),
                ]
            )
            guard changed > 0 else { return .notFound }
            if !person.isEnabled { try transaction.forgetResets(of: person.id) }
            return .changed
        }
    }

    package func deletePerson(id: String, realmID: String) async throws -> Change {
        try await database.change { transaction in
            let isThere = try transaction.hasRow(
                "SELECT 1 FROM people WHERE id = $1 AND realm_id = $2",
                [.text(id), .text(realmID)]
            )
            if isThere { try transaction.tellClients(ofPerson: id) }
            let changed = try transaction.run(
                "DELETE FROM people WHERE id = $1 AND realm_id = $2",
                [.text(id), .text(realmID)]
            )
            guard changed > 0 else { return .notFound }
            try transaction.run(
                "INSERT INTO deleted_people (id, realm_id) VALUES ($1, $2)",
                [.text(id), .text(realmID)]
            )
            return .changed
        }
    }
}

extension SQLReader {
    fileprivate func person(id: String, realmID: String) throws -> Person? {
        try first(
            """
            SELECT id, realm_id, username, email, is_email_verified, given_name, family_name,
                is_enabled, not_before, attributes, created_at, updated_at
            FROM people WHERE id = $1 AND realm_id = $2
            """,
            [.text(id), .text(realmID)]
        ) { try PersonRow.person($0) }
    }
}

extension PersonCredentials {
    fileprivate init(row: any SQLRow) throws {
        self.init(
            person: try PersonRow.person(row),
            password: try row.optionalText(PersonRow.width).map(PasswordHash.init),
            epoch: try row.int64(PersonRow.width + 1)
        )
    }
}

extension SQLTransaction {
    /// A new person with password and roles. An id that somebody had before is taken.
    func insert(_ new: NewPerson) throws -> Creation {
        let isNew = try hasRow(
            """
            INSERT INTO people (id, realm_id, username, email, email_key, is_email_verified,
                given_name, family_name, is_enabled, not_before, attributes, created_at,
                updated_at, password_hash)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14
            WHERE NOT EXISTS (SELECT 1 FROM deleted_people WHERE id = $1)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            PersonRow.values(new.person) + [SQLValue(new.password?.encoded)]
        )
        guard isNew else { return .conflict }
        for role in new.roles {
            guard let roleID = try roleID(of: role, realmID: new.person.realmID) else {
                throw MissingReference()
            }
            try give(roleID, to: new.person.id)
        }
        return .created
    }
}
