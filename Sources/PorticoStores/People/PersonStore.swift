import PorticoBytes
import PorticoProtocol

/// Keeps people, their passwords, roles and what they allowed.
///
/// Where a change ends a person's sessions (disabled, deleted, signed out everywhere, a new
/// password), each client with a back-channel logout URI that got a grant in one of them is put down
/// to be told, once for each session, in the same transaction (``LogoutDeliveryStore``).
package struct PersonStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// The person of that id with the roles they have.
    package func person(id: String, realmID: String) async throws -> PersonWithRoles? {
        try await database.read { reader in
            guard let person = try reader.person(id: id, realmID: realmID) else { return nil }
            return try reader.withRoles(person)
        }
    }

    /// The person that `login` names: a user name, or an e-mail address where `byEmail`; compared in
    /// their one spelling (``LoginName/folded(_:)``). With the password hash, for signing in.
    /// A user name comes before another person's e-mail address. An account of a client is none.
    package func credentials(realmID: String, login: String, byEmail: Bool) async throws
        -> PersonCredentials?
    {
        let key = SQLValue.text(LoginName.folded(login))
        return try await database.read { reader in
            let byName = try reader.first(
                Statement.credentialsByUsername,
                [.text(realmID), key],
                decode: PersonCredentials.init
            )
            guard byName == nil, byEmail else { return byName }
            return try reader.first(
                Statement.credentialsByEmail,
                [.text(realmID), key],
                decode: PersonCredentials.init
            )
        }
    }

    /// People, without the accounts of clients, in the order of user names, after `cursor` (a user name), at most `limit`.
    package func people(realmID: String, after cursor: String?, limit: Int) async throws -> [Person]
    {
        try await database.scan { reader in
            try reader.rows(
                Statement.page,
                [.text(realmID), .text(cursor ?? ""), .int64(Int64(max(0, limit)))]
            ) { try Person($0) }
        }
    }

    /// Creates a person with password and roles, all or nothing.
    ///
    /// `.conflict` where user name, e-mail address or DID is taken; exactly one of many concurrent calls
    /// for one user name creates it. The id of a deleted person is taken. A role that the realm does
    /// not have throws ``MissingReference``.
    package func create(_ person: NewPerson) async throws -> Creation {
        try await database.change { try $0.insert(person) }
    }

    /// Replaces what is kept of a person; id, realm and creation stay. `.conflict` is reported as
    /// thrown ``StoreConflict``.
    ///
    /// Where a person is disabled, or enabled again, every session and grant that there is ends for
    /// good, and so does a wish for a new password: enabling revives nothing. All sessions and grants
    /// end, too, where a person loses their DID or gets another one: it is the `sub` of some, and a
    /// session never becomes another account's.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    package func update(_ person: Person, replacing former: Person?) async throws -> Change {
        try await database.change { try $0.replace(person, keptAs: former) }
    }

    /// The same, by someone who may do it to some people only.
    ///
    /// - Parameter isAllowed: Looks at the person as they are when they are changed.
    /// - Returns: `nil`, and nothing has changed, where it is not allowed.
    package func update(
        _ person: Person,
        replacing former: Person,
        if isAllowed: @escaping @Sendable (PersonWithRoles) -> Bool
    ) async throws -> Change? {
        try await database.change { transaction in
            let kept = try transaction.person(id: person.id, realmID: person.realmID)
            guard let kept else { return .notFound }
            guard isAllowed(try transaction.withRoles(kept)) else { return nil }
            return try transaction.replace(person, keptAs: former)
        }
    }

    /// Deletes a person: sessions, grants and roles go with them. The id is not used again. What is
    /// kept of sessions and grants, dead at once, goes with the next purge.
    package func deletePerson(id: String, realmID: String) async throws -> Change {
        try await database.change { try $0.deletePerson(id: id, realmID: realmID) }
    }
}

extension SQLReader {
    func person(id: String, realmID: String) throws -> Person? {
        try first(Statement.byID, [.text(id), .text(realmID)]) { try Person($0) }
    }
}

extension PersonCredentials {
    /// - Parameter row: The columns of ``PersonColumn``, then `password_hash` and `epoch`.
    init(_ row: any SQLRow) throws {
        self.init(
            person: try Person(row),
            password: try row.optionalText(PersonColumn.count).map(PasswordHash.init),
            epoch: try row.int64(PersonColumn.count + 1)
        )
    }
}

extension SQLTransaction {
    /// As ``PersonStore/deletePerson(id:realmID:)``.
    func deletePerson(id: String, realmID: String) throws -> Change {
        guard try person(id: id, realmID: realmID) != nil else { return .notFound }
        try tellClients(ofPerson: id)
        try run(
            "DELETE FROM people WHERE id = $1 AND realm_id = $2",
            [.text(id), .text(realmID)]
        )
        try run(
            "INSERT INTO deleted_people (id, realm_id) VALUES ($1, $2)",
            [.text(id), .text(realmID)]
        )
        return .changed
    }

    /// As ``PersonStore/update(_:replacing:)``.
    func replace(_ person: Person, keptAs former: Person?) throws -> Change {
        let kept = try self.person(id: person.id, realmID: person.realmID)
        guard let kept else { return .notFound }
        try expect(kept, toBe: former)
        let losesDID = person.losesDID(of: kept)
        // Disabled, signed out everywhere, or another account: their sessions are over.
        let endsSessions = try hasRow(
            """
            SELECT 1 FROM people
            WHERE id = $1 AND realm_id = $2 AND (not_before < $3 OR (is_enabled AND NOT $4) OR $5)
            """,
            [
                .text(person.id), .text(person.realmID), .int64(person.notBefore),
                .bool(person.isEnabled), .bool(losesDID),
            ]
        )
        if endsSessions {
            try tellClients(ofPerson: person.id)
            try forgetStrangers(of: person.id)
        }
        let changed = try run(
            """
            UPDATE people SET username = $1, email = $2, email_key = $3,
                is_email_verified = $4, given_name = $5, family_name = $6, is_enabled = $7,
                not_before = $8, attributes = $9, updated_at = $10, required_actions = $11,
                epoch = CASE WHEN not_before < $8 OR is_enabled <> $7 OR $12
                    THEN epoch + 1 ELSE epoch END
            WHERE id = $13 AND realm_id = $14
            """,
            [
                .text(LoginName.folded(person.username)), SQLValue(person.email),
                SQLValue(person.email.map(LoginName.folded)), .bool(person.isEmailVerified),
                SQLValue(person.givenName), SQLValue(person.familyName),
                .bool(person.isEnabled), .int64(person.notBefore),
                SQLValue(PersonAttributes.document(person.attributes)),
                .int64(person.updatedAt), SQLValue(words: person.requiredActions),
                .bool(losesDID), .text(person.id), .text(person.realmID),
            ]
        )
        guard changed > 0 else { return .notFound }
        try noteDID(of: person)
        if !person.isEnabled { try forgetResets(of: person.id) }
        return .changed
    }

    /// A new person with password and roles. The id of a deleted person is taken.
    func insert(_ new: NewPerson) throws -> Creation {
        if let did = new.person.did {
            let isTaken = try hasRow(
                "SELECT 1 FROM people WHERE realm_id = $1 AND did = $2",
                [.text(new.person.realmID), .text(did)]
            )
            guard !isTaken else { return .conflict }
        }
        let isNew = try hasRow(
            Statement.insert,
            new.person.values + [SQLValue(new.password?.encoded)]
        )
        guard isNew else { return .conflict }
        if new.person.did != nil { try noteDID(of: new.person) }
        for role in new.roles {
            guard let roleID = try roleID(of: role, realmID: new.person.realmID) else {
                throw MissingReference()
            }
            try give(roleID, to: new.person.id)
        }
        for groupID in new.groupIDs {
            guard try join(groupID, new.person.id, realmID: new.person.realmID) else {
                throw MissingReference()
            }
        }
        for credential in new.credentials { try insert(credential) }
        for identity in new.identities where try !link(identity, to: new.person) {
            throw StoreConflict()
        }
        for consent in new.consents {
            try allow(
                Consent(scope: consent.scope),
                to: consent.clientID,
                by: new.person.id,
                at: consent.at
            )
        }
        return .created
    }
}

extension PersonStore {
    package func update(_ person: Person) async throws -> Change {
        try await update(person, replacing: nil)
    }
}

private enum Statement {
    static let byID: SQLText =
        "SELECT \(PersonColumn.self) FROM people WHERE id = $1 AND realm_id = $2"

    static let page: SQLText = """
        SELECT \(PersonColumn.self) FROM people
        WHERE realm_id = $1 AND username > $2 AND service_client_id IS NULL
        ORDER BY username LIMIT $3
        """

    static let credentialsByUsername: SQLText = """
        SELECT \(PersonColumn.self), password_hash, epoch FROM people
        WHERE realm_id = $1 AND username = $2 AND service_client_id IS NULL
        """

    static let credentialsByEmail: SQLText = """
        SELECT \(PersonColumn.self), password_hash, epoch FROM people
        WHERE realm_id = $1 AND email_key = $2 AND service_client_id IS NULL
        """

    static let insert: SQLText = """
        INSERT INTO people (\(PersonColumn.self), password_hash)
        SELECT \(valuesOf: PersonColumn.self), $16
        WHERE NOT EXISTS (SELECT 1 FROM deleted_people WHERE id = $1)
        ON CONFLICT DO NOTHING RETURNING id
        """
}
