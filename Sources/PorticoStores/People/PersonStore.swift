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

    /// Replaces what is kept of a person; id, realm and creation stay, and so does what providers and
    /// mailboxes have said of an address and a name that stay the same. `.conflict` is reported as thrown
    /// ``StoreConflict``.
    ///
    /// Where a person is disabled, or enabled again, every session and grant that there is ends for
    /// good, and so does a wish for a new password: enabling revives nothing. All sessions and grants
    /// end, too, where a person loses their DID or gets another one: it is the `sub` of some, and a
    /// session never becomes another account's.
    ///
    /// - Parameter former: What the change was made from. ``ChangedMeanwhile`` is thrown where
    ///   something else is kept by now; `nil`: whatever is kept.
    package func update(_ person: Person, replacing former: Person? = nil) async throws -> Change {
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
    /// kept of grants, dead at once, goes with the next purge.
    package func deletePerson(id: String, realmID: String) async throws -> Change {
        try await database.change { try $0.deletePerson(id: id, realmID: realmID) }
    }
}

extension SQLReader {
    func person(id: String, realmID: String) throws -> Person? {
        try first(Statement.byID, [.text(id), .text(realmID)]) { try Person($0) }
    }

    /// The person of that id, of whichever realm. An account of a client is none.
    func credentials(id: String) throws -> PersonCredentials? {
        try first(Statement.credentialsByID, [.text(id)], decode: PersonCredentials.init)
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
        try makeTokensDue(ofEndedSessionsOf: id, at: 0)
        try run("DELETE FROM sessions WHERE person_id = $1", [.text(id)])
        return .changed
    }

    /// As ``PersonStore/update(_:replacing:)``.
    func replace(_ person: Person, keptAs former: Person?) throws -> Change {
        let kept = try self.person(id: person.id, realmID: person.realmID)
        guard let kept else { return .notFound }
        var former = former
        // A sign-in changes nothing that is replaced.
        former?.lastSignInAt = kept.lastSignInAt
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
                is_email_verified = $4,
                email_proof = CASE WHEN NOT $4 THEN NULL
                    WHEN email_key = $3 AND is_email_verified THEN email_proof
                    ELSE 'authority' END,
                is_email_relay = CASE WHEN email_key = $3 THEN is_email_relay ELSE FALSE END,
                holds_email = CASE WHEN email_key = $3
                    AND (is_email_verified OR is_email_relay OR NOT $4)
                    THEN holds_email ELSE TRUE END,
                name = CASE WHEN given_name IS NOT DISTINCT FROM $5
                    AND family_name IS NOT DISTINCT FROM $6 THEN name END,
                is_name_own = CASE WHEN given_name IS NOT DISTINCT FROM $5
                    AND family_name IS NOT DISTINCT FROM $6 THEN is_name_own ELSE FALSE END,
                given_name = $5, family_name = $6, is_enabled = $7,
                not_before = $8, attributes = $9, updated_at = $10, required_actions = $11,
                epoch = CASE WHEN not_before < $8 OR is_enabled <> $7 OR $12
                    THEN epoch + 1 ELSE epoch END,
                signed_out_at = CASE WHEN not_before < $8 OR is_enabled <> $7 OR $12
                    THEN $10 ELSE signed_out_at END
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
        if endsSessions { try makeTokensDue(ofEndedSessionsOf: person.id, at: person.updatedAt) }
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
            let roleID = try neededRoleID(of: role, realmID: new.person.realmID)
            try give(roleID, to: new.person.id)
        }
        for groupID in new.groupIDs {
            guard try join(groupID, new.person.id, realmID: new.person.realmID) else {
                throw MissingReference()
            }
        }
        for credential in new.credentials { try insert(credential) }
        for identity in new.identities {
            guard try link(identity, to: new.person, at: new.person.createdAt) else {
                throw StoreConflict()
            }
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
    /// Sets the password and ends every session and grant that there is, whatever its times say.
    /// `now` in seconds since 1970.
    package func setPassword(
        _ password: PasswordHash,
        of personID: String,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            try transaction.set(password, of: personID, at: now) > 0 ? .changed : .notFound
        }
    }

    /// The same, by someone who may do it to some people only.
    ///
    /// - Parameter isAllowed: Looks at the person as they are when it is set.
    /// - Returns: `nil`, and nothing has changed, where it is not allowed.
    package func setPassword(
        _ password: PasswordHash,
        of personID: String,
        realmID: String,
        at now: Int64,
        if isAllowed: @escaping @Sendable (PersonWithRoles) -> Bool
    ) async throws -> Change? {
        try await database.change { transaction in
            guard let person = try transaction.person(id: personID, realmID: realmID) else {
                return .notFound
            }
            guard isAllowed(try transaction.withRoles(person)) else { return nil }
            return try transaction.set(password, of: personID, at: now) > 0 ? .changed : .notFound
        }
    }

    /// Sets the password of a person who is signed in: every session and grant that there is ends, and
    /// this browser gets a new session in place of its own.
    ///
    /// - Parameters:
    ///   - session: The one that they are signed in by.
    ///   - next: As it is kept, but for its epoch. It was authenticated when `session` was.
    ///   - notice: Where a mail is to tell of it.
    /// - Returns: The new session; `nil`, and nothing has changed, where `session` is over, or does not
    ///   prove the person now (``SessionStore/Proof``).
    package func changePassword(
        _ password: PasswordHash,
        in session: PersonSession,
        continuing next: PersonSession,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> PersonSession? {
        try await database.change { transaction in
            guard try transaction.proves(session, .now, at: now) else { return nil }
            try transaction.set(
                password,
                of: session.personID,
                at: now,
                notBefore: session.authenticatedAt
            )
            var next = next
            next.epoch = session.epoch + 1
            _ = try transaction.begin(next, replacing: nil)
            try transaction.queue(notice)
            return next
        }
    }
}

extension SQLTransaction {
    /// A new password, and the end of every session and grant, and of every unused wish for another.
    /// One is not demanded any more.
    ///
    /// - Parameter notBefore: What comes from before is dead by its time too; `nil`: from before now.
    /// - Returns: How many people have that id.
    @discardableResult
    func set(
        _ password: PasswordHash,
        of personID: String,
        at now: Int64,
        notBefore: Int64? = nil
    ) throws -> Int {
        try tellClients(ofPerson: personID)
        try forgetResets(of: personID)
        try forgetStrangers(of: personID)
        let changed = try run(
            """
            UPDATE people SET password_hash = $1, updated_at = $2, signed_out_at = $2,
                epoch = epoch + 1,
                not_before = CASE WHEN not_before < $3 THEN $3 ELSE not_before END,
                required_actions = TRIM(
                    REPLACE(' ' || required_actions || ' ', ' UPDATE_PASSWORD ', ' '))
            WHERE id = $4
            """,
            [
                .text(password.encoded), .int64(now), .int64(notBefore ?? now),
                .text(personID),
            ]
        )
        try makeTokensDue(ofEndedSessionsOf: personID, at: now)
        return changed
    }

    /// Does nothing where the password has changed meanwhile.
    func upgrade(_ upgrade: PasswordUpgrade, of personID: String) throws {
        try run(
            "UPDATE people SET password_hash = $1 WHERE id = $2 AND password_hash = $3",
            [
                .text(upgrade.stronger.encoded), .text(personID), .text(upgrade.former.encoded),
            ]
        )
    }
}

/// Where a person is signed in, as their realm's administration sees it.
extension PersonStore {
    /// Ends every session and grant that there is, offline ones too. `now` in seconds since 1970.
    package func signOutEverywhere(_ personID: String, realmID: String, at now: Int64) async throws
        -> Change
    {
        try await database.change {
            try $0.signOutEverywhere(personID, realmID: realmID, at: now)
        }
    }

    /// The clients (their ids) with a live grant in a live session of the person, by session.
    package func clientsBySession(of personID: String, realmID: String, at now: Int64) async throws
        -> [String: [String]]
    {
        let pairs = try await database.read { reader in
            try reader.rows(
                """
                SELECT DISTINCT b.id, g.client_id FROM live_sessions AS b
                JOIN live_grants AS g ON g.session_id = b.id
                WHERE b.person_id = $1 AND b.realm_id = $2 AND g.alive_until > $3
                ORDER BY b.id, g.client_id
                """,
                [.text(personID), .text(realmID), .int64(now)]
            ) { (session: try $0.text(0), client: try $0.text(1)) }
        }
        return Dictionary(grouping: pairs, by: \.session).mapValues { $0.map(\.client) }
    }
}

extension SQLTransaction {
    /// As ``PersonStore/signOutEverywhere(_:realmID:at:)``.
    func signOutEverywhere(_ personID: String, realmID: String, at now: Int64) throws -> Change {
        guard try hasPerson(personID, realmID: realmID) else { return .notFound }
        try tellClients(ofPerson: personID)
        try forgetResets(of: personID)
        try forgetStrangers(of: personID)
        try run(
            """
            UPDATE people SET epoch = epoch + 1, signed_out_at = $1,
                not_before = CASE WHEN not_before < $1 THEN $1 ELSE not_before END
            WHERE id = $2
            """,
            [.int64(now), .text(personID)]
        )
        try makeTokensDue(ofEndedSessionsOf: personID, at: now)
        return .changed
    }
}

private enum Statement {
    static let byID: SQLText =
        "SELECT \(PersonColumn.self) FROM people WHERE id = $1 AND realm_id = $2"

    static let credentialsByID: SQLText = """
        SELECT \(PersonColumn.self), password_hash, epoch FROM people
        WHERE id = $1 AND service_client_id IS NULL
        """

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
        WHERE realm_id = $1 AND email_key = $2 AND holds_email AND service_client_id IS NULL
        """

    static let insert: SQLText = """
        INSERT INTO people (\(PersonColumn.self), password_hash)
        SELECT \(valuesOf: PersonColumn.self), $23
        WHERE NOT EXISTS (SELECT 1 FROM deleted_people WHERE id = $1)
        ON CONFLICT DO NOTHING RETURNING id
        """
}
