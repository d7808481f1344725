import PorticoBytes
import PorticoProtocol

/// What people have besides a password.
extension PersonStore {
    /// A person's second factors, the ones to be offered first in front.
    package func secondFactors(of personID: String, realmID: String) async throws -> [Credential] {
        try await database.read { try $0.secondFactors(of: personID, realmID: realmID) }
    }

    /// A person's password as it is kept now, by their id.
    package func credentials(id: String, realmID: String) async throws -> PersonCredentials? {
        try await database.read { reader in
            let found = try reader.credentials(id: id)
            return found?.person.realmID == realmID ? found : nil
        }
    }

    /// Keeps a credential of a person; `.notFound` where the realm has no such person.
    package func add(_ credential: Credential, realmID: String) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.hasPerson(credential.personID, realmID: realmID) else {
                return .notFound
            }
            try transaction.insert(credential)
            return .changed
        }
    }

    /// Gives a credential another name; `.notFound` where that person has none of that id.
    package func label(credential id: String, of person: Person, _ label: String) async throws
        -> Change
    {
        try await database.change { transaction in
            try transaction.change(
                """
                UPDATE credentials SET label = $1 WHERE id = $2 AND person_id = $3
                    AND EXISTS (SELECT 1 FROM people WHERE id = $3 AND realm_id = $4)
                """,
                [.text(label), .text(id), .text(person.id), .text(person.realmID)]
            )
        }
    }

    package func removeCredential(id: String, of personID: String) async throws -> Change {
        try await database.change { transaction in
            try transaction.change(
                "DELETE FROM credentials WHERE id = $1 AND person_id = $2",
                [.text(id), .text(personID)]
            )
        }
    }

    /// A person's accounts at identity providers, in the order of linking.
    package func identities(of personID: String) async throws -> [Identity] {
        try await database.read { try $0.identities(of: personID) }
    }

    /// Keeps that a person has an account at an identity provider; `.conflict` where they have one
    /// there, or it is another's. `now` in seconds since 1970.
    package func link(_ identity: NewPerson.Identity, to person: Person, at now: Int64) async throws
        -> Creation
    {
        try await database.change {
            try $0.link(identity, to: person, at: now) ? .created : .conflict
        }
    }

    /// Takes an account at an identity provider from a person, and ends the sessions that it began.
    /// `now` in seconds since 1970.
    package func unlink(
        _ provider: String,
        from personID: String,
        realmID: String,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.hasPerson(personID, realmID: realmID),
                let identity = try transaction.identities(of: personID)
                    .first(where: { sameBytes($0.provider, provider) })
            else { return .notFound }
            try transaction.remove(identity, from: personID, at: now)
            return .changed
        }
    }

    /// The account that a client (its id) has for itself.
    package func serviceAccount(of clientID: String, realmID: String) async throws
        -> PersonWithRoles?
    {
        try await database.read { reader in
            try reader.first(Self.byServiceClient, [.text(clientID), .text(realmID)]) {
                try Person($0)
            }.map { try reader.withRoles($0) }
        }
    }

    private static let byServiceClient: SQLText =
        "SELECT \(PersonColumn.self) FROM people WHERE service_client_id = $1 AND realm_id = $2"
}

extension SQLReader {
    func secondFactors(of personID: String, realmID: String) throws -> [Credential] {
        try rows(
            """
            SELECT c.id, c.person_id, c.kind, c.label, c.created_at, c.priority, c.parameters,
                c.sealed_secret, c.used
            FROM credentials AS c JOIN people AS p ON p.id = c.person_id
            WHERE c.person_id = $1 AND p.realm_id = $2
            ORDER BY c.priority, c.created_at, c.id
            """,
            [.text(personID), .text(realmID)]
        ) { try Credential(row: $0) }
    }

    /// In the order of linking.
    func identities(of personID: String) throws -> [Identity] {
        try rows(
            Statement.identities,
            [.text(personID)],
            decode: Identity.init
        )
    }

    /// Who has an account at an identity provider.
    func owner(of identity: NewPerson.Identity, realmID: String) throws -> String? {
        try first(
            """
            SELECT person_id FROM identities
            WHERE realm_id = $1 AND provider = $2 AND subject = $3
            """,
            [.text(realmID), .text(identity.provider), .text(identity.subject)]
        ) { try $0.text(0) }
    }
}

extension Credential {
    init(row: any SQLRow) throws {
        guard let kind = Kind(rawValue: try row.text(2)) else {
            throw SQLDecodingError.outOfRange(column: 2)
        }
        self.init(
            id: try row.text(0),
            personID: try row.text(1),
            kind: kind,
            label: try row.text(3),
            createdAt: try row.int64(4),
            priority: try row.int64(5),
            parameters: try row.document(6),
            sealedSecret: try row.text(7),
            used: try row.int64(8)
        )
    }
}

extension SQLTransaction {
    func insert(_ credential: Credential) throws {
        try run(
            """
            INSERT INTO credentials (id, person_id, kind, label, created_at, priority, parameters,
                sealed_secret, used)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .text(credential.id), .text(credential.personID), .text(credential.kind.rawValue),
                .text(credential.label), .int64(credential.createdAt),
                .int64(credential.priority), SQLValue(credential.parameters),
                .text(credential.sealedSecret), .int64(credential.used),
            ]
        )
    }

    /// Spends a code, exactly once.
    ///
    /// - Returns: Whether it was there to be spent.
    func spendCode(_ use: CredentialUse, of personID: String) throws -> Bool {
        switch use.spent {
        case .step(let step):
            return try run(
                """
                UPDATE credentials SET used = $1
                WHERE id = $2 AND person_id = $3 AND kind = 'totp' AND used < $1
                """,
                [.int64(step), .text(use.id), .text(personID)]
            ) > 0
        case .code(let place):
            guard 0..<63 ~= place else { return false }
            return try run(
                """
                UPDATE credentials SET used = used | $1
                WHERE id = $2 AND person_id = $3 AND kind = 'recovery-codes' AND (used & $1) = 0
                """,
                [.int64(1 << Int64(place)), .text(use.id), .text(personID)]
            ) > 0
        }
    }

    /// - Returns: `false` where the person has an account at that provider, or it is another's.
    func link(_ identity: NewPerson.Identity, to person: Person, at now: Int64) throws -> Bool {
        guard try owner(of: identity, realmID: person.realmID) == nil else { return false }
        return try hasRow(
            """
            INSERT INTO identities (person_id, realm_id, provider, subject, username, place,
                is_email_verified, is_email_relay, linked_at, last_used_at)
            SELECT $1, $2, $3, $4, $5,
                (SELECT COALESCE(MAX(place), 0) + 1 FROM identities WHERE person_id = $1),
                FALSE, FALSE, $6, $6
            WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING person_id
            """,
            [
                .text(person.id), .text(person.realmID), .text(identity.provider),
                .text(identity.subject), SQLValue(identity.username), .int64(now),
            ]
        )
    }
}

/// What people, and operators for them, change about second factors.
extension PersonStore {
    package enum Enrolment: Hashable, Sendable {
        /// Also where it was before. With the number of other sessions that have ended.
        case added(ended: Int)
        /// The person has as many apps as anyone may have, or is gone.
        case refused
        /// The session does not prove the person now (``SessionStore/Proof``).
        case unproven
    }

    package enum FactorRemoval: Hashable, Sendable {
        case removed
        case notFound
        case unproven
    }

    /// How many apps a person may have.
    private static let mostApps: Int64 = 10

    /// Keeps a second factor that a person has just set up in a session, and queues the notice. New
    /// recovery codes take the place of those there were.
    ///
    /// With an app, one is not demanded any more; the session counts as one with a code, because the
    /// person has just typed one; and wishes for another password that the password alone proved are
    /// gone.
    ///
    /// - Parameter endsOthers: Whether the person's other sessions end
    ///   (``SessionStore/endAll(of:except:realmID:at:)``).
    package func enrol(
        _ credential: Credential,
        in session: PersonSession,
        endingOthers endsOthers: Bool,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> Enrolment {
        try await database.change { transaction in
            let personID = session.personID
            guard sameBytes(credential.personID, personID),
                try transaction.proves(session, .now, at: now)
            else { return .unproven }
            let isKept = try transaction.hasRow(
                "SELECT 1 FROM credentials WHERE id = $1 AND person_id = $2",
                [.text(credential.id), .text(personID)]
            )
            guard !isKept else { return .added(ended: 0) }
            switch credential.kind {
            case .totp:
                guard try transaction.hasRoom(forAppOf: personID, most: Self.mostApps) else {
                    return .refused
                }
                try transaction.startWithApp(session, at: now)
            case .recoveryCodes: try transaction.removeRecoveryCodes(of: personID)
            case .other: break
            }
            try transaction.insert(credential)
            try transaction.queue(notice)
            guard endsOthers else { return .added(ended: 0) }
            return .added(
                ended: try transaction.endSessions(
                    of: personID,
                    except: session.id,
                    realmID: session.realmID,
                    at: now
                )
            )
        }
    }

    /// Takes one second factor from a person who is signed in by that session, and queues the notice.
    /// With the last app the recovery codes go, too.
    package func removeSecondFactor(
        id: String,
        in session: PersonSession,
        notice: MailDraft?,
        at now: Int64
    ) async throws -> FactorRemoval {
        try await database.change { transaction in
            let personID = session.personID
            guard try transaction.proves(session, .now, at: now) else { return .unproven }
            let removed = try transaction.run(
                "DELETE FROM credentials WHERE id = $1 AND person_id = $2 AND kind <> 'other'",
                [.text(id), .text(personID)]
            )
            guard removed > 0 else { return .notFound }
            let hasApp = try transaction.hasRow(
                "SELECT 1 FROM credentials WHERE person_id = $1 AND kind = 'totp'",
                [.text(personID)]
            )
            if !hasApp { try transaction.removeRecoveryCodes(of: personID) }
            try transaction.queue(notice)
            return .removed
        }
    }

    /// Takes all second factors from a person; what is kept for an export only stays.
    package func removeSecondFactors(of personID: String) async throws -> Change {
        try await database.change { transaction in
            try transaction.change(
                "DELETE FROM credentials WHERE person_id = $1 AND kind <> 'other'",
                [.text(personID)]
            )
        }
    }
}

extension SQLTransaction {
    fileprivate func hasRoom(forAppOf personID: String, most: Int64) throws -> Bool {
        try hasRow(
            """
            SELECT 1 WHERE (
                SELECT COUNT(*) FROM credentials
                WHERE person_id = $1 AND kind = 'totp') < $2
            """,
            [.text(personID), .int64(most)]
        )
    }

    /// What changes with an app, besides that the person has it.
    fileprivate func startWithApp(_ session: PersonSession, at now: Int64) throws {
        try run(
            """
            UPDATE people SET updated_at = $1, required_actions = TRIM(
                REPLACE(' ' || required_actions || ' ', ' CONFIGURE_TOTP ', ' '))
            WHERE id = $2
            """,
            [.int64(now), .text(session.personID)]
        )
        try run(
            """
            UPDATE sessions SET amr = TRIM(amr || ' otp')
            WHERE id = $1 AND realm_id = $2 AND ' ' || amr || ' ' NOT LIKE '% otp %'
            """,
            [.text(session.id), .text(session.realmID)]
        )
        // A demanded one: no mailbox has proven it.
        try run(
            """
            DELETE FROM password_resets
            WHERE person_id = $1 AND used_at IS NULL AND email = ''
            """,
            [.text(session.personID)]
        )
    }

    fileprivate func removeRecoveryCodes(of personID: String) throws {
        try run(
            "DELETE FROM credentials WHERE person_id = $1 AND kind = 'recovery-codes'",
            [.text(personID)]
        )
    }
}

private enum Statement {
    static let identities: SQLText = """
        SELECT \(IdentityColumn.self) FROM identities WHERE person_id = $1 ORDER BY place
        """
}
