import PorticoBytes

extension AccountStore {
    /// Signs in a person whom a provider has proven, or registers them (docs/decisions/0030).
    ///
    /// The identity is known: a session of its account begins, and the identity is never moved; the
    /// address that it brings replaces the identity's, and the account's name only where that is
    /// missing. Unknown: an account is made, or what ``SignInEvent/emailRule`` says. An account
    /// takes an identity's address where it has none, or the same one on a weaker
    /// ``EmailVerification``; and only where no other account has it verified, or it is proven here
    /// and was only vouched for there. Accounts that have it on a weaker ground lose it: unverified
    /// to verified, vouched for to proven.
    ///
    /// Of any number of concurrent first sign-ins of one identity one makes the account, and all
    /// others sign in to it. Of any number with one attempt exactly one is not `.spent`.
    package func signIn(_ event: SignInEvent, at now: Int64) async throws -> SignInOutcome {
        try await database.change { transaction in
            guard try transaction.spendAll(event.spending) else { return .spent }
            if let known = try transaction.owner(of: event.identity, realmID: event.realmID) {
                return try transaction.signIn(event, to: known, at: now)
            }
            let outcome = try transaction.meet(event, at: now)
            if case .matches = outcome, let question = event.question {
                _ = try transaction.spendAll([question])
            }
            return outcome
        }
    }
}

extension SQLReader {
    /// The person who has an identity: by its issuer, or where only its provider's name was kept, by
    /// that.
    func owner(of identity: Identity, realmID: String) throws -> PersonCredentials? {
        try first(
            Statement.owner,
            [
                .text(realmID), .text(identity.subject), SQLValue(identity.issuer),
                .text(identity.provider),
            ],
            decode: PersonCredentials.init
        )
    }
}

extension SQLTransaction {
    /// Signs in to the account that an identity is linked to.
    func signIn(_ event: SignInEvent, to known: PersonCredentials, at now: Int64) throws
        -> SignInOutcome
    {
        guard known.person.isEnabled else {
            try note(.init(.signInBlocked, event, of: known.person.id, at: now))
            return .blocked(known.person.id)
        }
        try use(event.identity, of: known.person.id, at: now)
        return .signedIn(try enter(event, known, at: now), isNew: false)
    }

    /// What every sign-in to an account that is there does: fills in what the account lacks, begins
    /// the session, notes and tells it.
    ///
    /// - Returns: The person as they are now.
    func enter(_ event: SignInEvent, _ known: PersonCredentials, at now: Int64) throws -> Person {
        var person = known.person
        if person.fullName == nil { person.setName(event.name, isOwn: false) }
        person.picture = person.picture ?? event.picture
        person.lastSignInAt = now
        try run(
            "UPDATE people SET last_sign_in_at = $1, name = $2, attributes = $3 WHERE id = $4",
            [
                .int64(now), SQLValue(person.name),
                SQLValue(PersonAttributes.document(person.attributes)), .text(person.id),
            ]
        )
        try adopt(event.identity.email, for: &person, at: now)
        try begin(event, of: person, epoch: known.epoch, isNew: false, at: now)
        try note(.init(.signedIn, event, of: person.id, at: now))
        if person.email != nil, person.isEmailVerified, !event.knownHere.contains(person.id) {
            try queue(event.notice, about: person.id)
        }
        return person
    }

    /// Notes what an identity brings with it. An address or token that it does not bring this time
    /// stays.
    func use(_ identity: Identity, of personID: String, at now: Int64) throws {
        try run(
            """
            UPDATE identities SET last_used_at = $1,
                is_email_verified = CASE WHEN $2 IS NULL THEN is_email_verified ELSE $3 END,
                email_proof = CASE WHEN $2 IS NULL THEN email_proof ELSE $4 END,
                is_email_relay = CASE WHEN $2 IS NULL THEN is_email_relay ELSE $5 END,
                email = COALESCE($2, email), sealed_token = COALESCE($6, sealed_token),
                issuer = COALESCE(issuer, $7)
            WHERE person_id = $8 AND provider = (
                SELECT i.provider FROM identities AS i
                WHERE i.person_id = $8 AND i.subject = $9
                    AND (i.issuer = $7 OR (i.issuer IS NULL AND i.provider = $10))
                ORDER BY i.issuer IS NULL LIMIT 1)
            """,
            [
                .int64(now), SQLValue(identity.email?.address),
                .bool(identity.email?.isVerified == true),
                SQLValue(identity.email?.verification.proof),
                .bool(identity.email?.isRelay == true), SQLValue(identity.sealedToken),
                SQLValue(identity.issuer), .text(personID), .text(identity.subject),
                .text(identity.provider),
            ]
        )
    }

    /// Begins a session, or keeps it for its app.
    func begin(
        _ event: SignInEvent,
        of person: Person,
        epoch: Int64,
        isNew: Bool,
        at now: Int64
    ) throws {
        let session = event.session
        if let other = session.replacesByHandle,
            let replaced = try first(
                """
                SELECT id FROM sessions
                WHERE id = $1 AND (person_id <> $2 OR cookie_hash IS NOT NULL)
                """,
                [.text(other), .text(person.id)],
                decode: { try $0.text(0) }
            )
        {
            try endSession(replaced, at: now)
        }
        let kept = PersonSession(session, of: person, epoch: epoch, by: event.identity, at: now)
        // WEB-SESS-1: no cookie from before a sign-in is worth anything after it.
        try begin(
            kept,
            isNew: isNew,
            replacing: session.replaces,
            // A host's tokens are sealed for its id.
            mayGoOn: event.handleSession == nil
        )
        if let handle = event.handleSession {
            try insert(handle, of: session.id, at: now)
            try endOldestHandleSessions(of: person.id, but: session.id, at: now)
        }
    }
}

extension Event {
    /// Something that a sign-in did.
    init(_ kind: Kind, _ event: SignInEvent, of personID: String, at now: Int64) {
        self.init(kind, of: personID, at: now)
        provider = event.identity.provider
        clientID = event.session.form.app
        device = event.session.device
        address = event.session.address
    }
}

/// A person whose identity no account has yet (docs/decisions/0030).
extension SQLTransaction {
    func meet(_ event: SignInEvent, at now: Int64) throws -> SignInOutcome {
        let email = event.identity.email
        switch event.emailRule {
        case .never, .separate:
            break
        case .askFirst:
            return .matches([])
        case .ask:
            let matches = try matches(of: email, realmID: event.realmID)
            if !matches.isEmpty { return .matches(matches) }
        case .link:
            let matches = try matches(of: email, realmID: event.realmID)
            // Both: a stranger may have made the account, or the identity (docs/decisions/0020).
            if matches.count == 1, matches[0].verification.isProof,
                email?.verification.isProof == true,
                let outcome = try link(event, to: matches[0].personID, at: now)
            {
                return outcome
            }
            if !matches.isEmpty { return .matches(matches) }
        }
        guard event.isSignUpOpen else { return .signUpClosed }
        return .signedIn(try register(event, at: now), isNew: true)
    }

    /// Links an identity to the one account that its address names, and signs in to it.
    ///
    /// - Returns: `nil` where the account has another identity at that provider.
    private func link(_ event: SignInEvent, to personID: String, at now: Int64) throws
        -> SignInOutcome?
    {
        guard let known = try credentials(id: personID) else { return nil }
        guard known.person.isEnabled else {
            try note(.init(.signInBlocked, event, of: personID, at: now))
            return .blocked(personID)
        }
        guard try insert(event.identity, of: known.person, at: now) else { return nil }
        try note(.init(.wayAdded, event, of: personID, at: now))
        try queue(event.linkNotice, about: personID)
        return .signedIn(try enter(event, known, at: now), isNew: false)
    }

    private func register(_ event: SignInEvent, at now: Int64) throws -> Person {
        // Keycloak's files need a user name: theirs is their id until they choose one.
        var person = Person(
            id: event.newPersonID,
            realmID: event.realmID,
            username: LoginName.folded(event.newPersonID),
            createdAt: now
        )
        person.requiredActions = try defaultActions(realmID: event.realmID)
        person.setName(event.name, isOwn: false)
        person.picture = event.picture
        person.language = event.language
        person.lastSignInAt = now
        guard try insert(NewPerson(person: person, password: nil)) == .created,
            try insert(event.identity, of: person, at: now)
        else { throw StoreConflict() }
        try joinDefaults(person, at: now)
        try run(
            """
            UPDATE people SET registered_by = $1, registered_address = $2,
                registered_user_agent = $3 WHERE id = $4
            """,
            [
                .text(event.identity.provider), SQLValue(event.session.address),
                SQLValue(event.userAgent), .text(person.id),
            ]
        )
        try adopt(event.identity.email, for: &person, at: now)
        try begin(event, of: person, epoch: 0, isNew: true, at: now)
        try note(.init(.registered, event, of: person.id, at: now))
        return person
    }

    /// Gives a new person the roles and groups that the realm's new people get.
    private func joinDefaults(_ person: Person, at now: Int64) throws {
        let arguments: [SQLValue] = [.text(person.id), .text(person.realmID)]
        try run(
            """
            INSERT INTO person_roles (person_id, role_id)
            SELECT $1, role_id FROM default_roles WHERE realm_id = $2
            """,
            arguments
        )
        try run(
            """
            INSERT INTO person_groups (person_id, group_id)
            SELECT $1, group_id FROM default_groups WHERE realm_id = $2
            """,
            arguments
        )
    }

    /// People with an address, the oldest first, at most five. A relay's address matches nothing.
    private func matches(of email: Mailbox?, realmID: String) throws -> [AccountMatch] {
        guard let email, !email.isRelay else { return [] }
        let accounts = try rows(
            """
            SELECT id, is_email_verified, email_proof, password_hash IS NOT NULL FROM people
            WHERE realm_id = $1 AND email_key = $2 AND NOT is_email_relay
                AND service_client_id IS NULL
            ORDER BY created_at, id LIMIT 5
            """,
            [.text(realmID), .text(email.key)]
        ) { row in
            let verification = EmailVerification(
                isVerified: try row.bool(1),
                proof: try row.optionalText(2)
            )
            return (try row.text(0), verification, hasPassword: try row.bool(3))
        }
        return try accounts.map { id, verification, hasPassword in
            AccountMatch(
                personID: id,
                verification: verification,
                providers: try rows(
                    """
                    SELECT provider FROM identities WHERE person_id = $1
                    ORDER BY last_used_at DESC, place DESC
                    """,
                    [.text(id)]
                ) { try $0.text(0) },
                hasPassword: hasPassword
            )
        }
    }
}

extension SQLTransaction {
    /// Links an identity to a person.
    ///
    /// - Returns: `false` where it is linked already, or the person has another one at that
    ///   provider. Nothing happened then.
    func insert(_ identity: Identity, of person: Person, at now: Int64) throws -> Bool {
        try hasRow(
            """
            INSERT INTO identities (realm_id, issuer, subject, person_id, provider, place, email,
                is_email_verified, email_proof, is_email_relay, linked_at, last_used_at,
                sealed_token)
            SELECT $1, $2, $3, $4, $5,
                (SELECT COALESCE(MAX(place), 0) + 1 FROM identities WHERE person_id = $4),
                $6, $7, $8, $9, $10, $10, $11
            WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING subject
            """,
            [
                .text(person.realmID), SQLValue(identity.issuer), .text(identity.subject),
                .text(person.id), .text(identity.provider), SQLValue(identity.email?.address),
                .bool(identity.email?.isVerified == true),
                SQLValue(identity.email?.verification.proof),
                .bool(identity.email?.isRelay == true), .int64(now),
                SQLValue(identity.sealedToken),
            ]
        )
    }

    /// Gives a person an identity's address: where they have none, or the same one on a weaker
    /// ground; and where no one else of the realm has it on as good a one.
    func adopt(_ email: Mailbox?, for person: inout Person, at now: Int64) throws {
        guard let email else { return }
        if let own = person.mailbox {
            guard email.verification > own.verification, own.isRelay == email.isRelay,
                sameBytes(own.key, email.key)
            else { return }
        }
        guard try email.isRelay || !isTaken(email, exceptBy: person) else { return }
        try set(email, of: &person, at: now)
    }

    /// Whether someone else of the realm has an address: proven, or, where it is not proven here,
    /// verified.
    func isTaken(_ email: Mailbox, exceptBy person: Person) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM people
            WHERE realm_id = $1 AND email_key = $2 AND NOT is_email_relay AND id <> $3
                AND is_email_verified AND (email_proof IS NOT NULL OR NOT $4)
            """,
            [
                .text(person.realmID), .text(email.key), .text(person.id),
                .bool(email.verification.isProof),
            ]
        )
    }

    /// Sets a person's address, and takes it from those who have it on a weaker ground. The person holds
    /// it from then on, unless someone else still does.
    func set(_ email: Mailbox, of person: inout Person, at now: Int64) throws {
        var holds = email.isVerified && !email.isRelay
        if holds {
            try take(email, for: person, at: now)
            holds = try !isHeld(email, exceptBy: person)
        }
        try run(
            """
            UPDATE people SET email = $1, email_key = $2, is_email_verified = $3,
                email_proof = $4, is_email_relay = $5, holds_email = $6
            WHERE id = $7
            """,
            [
                .text(email.address), .text(email.key), .bool(email.isVerified),
                SQLValue(email.verification.proof), .bool(email.isRelay),
                .bool(holds), .text(person.id),
            ]
        )
        person.mailbox = email
        person.holdsEmail = holds
    }

    private func isHeld(_ email: Mailbox, exceptBy person: Person) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM people
            WHERE realm_id = $1 AND email_key = $2 AND holds_email AND id <> $3
            """,
            [.text(person.realmID), .text(email.key), .text(person.id)]
        )
    }

    /// An address that was not proven is lost to a proven one; an unverified one that is not held, to one
    /// that is vouched for.
    private func take(_ email: Mailbox, for person: Person, at now: Int64) throws {
        let losing = try rows(
            """
            SELECT id FROM people
            WHERE realm_id = $1 AND email_key = $2 AND NOT is_email_relay AND id <> $3
                AND (CASE WHEN $4 THEN email_proof IS NULL OR NOT is_email_verified
                    ELSE NOT is_email_verified AND NOT holds_email END)
            """,
            [
                .text(person.realmID), .text(email.key), .text(person.id),
                .bool(email.verification.isProof),
            ]
        ) { try $0.text(0) }
        for id in losing {
            try run(
                """
                UPDATE people SET email = NULL, email_key = NULL, is_email_verified = FALSE,
                    email_proof = NULL
                WHERE id = $1
                """,
                [.text(id)]
            )
            try note(Event(.emailLost, of: id, at: now))
        }
    }
}

private enum Statement {
    static let owner: SQLText = """
        SELECT \(PersonColumn.self, of: "p"), p.password_hash, p.epoch
        FROM identities AS i JOIN people AS p ON p.id = i.person_id
        WHERE i.realm_id = $1 AND i.subject = $2
            AND (i.issuer = $3 OR (i.issuer IS NULL AND i.provider = $4))
        ORDER BY i.issuer IS NULL
        """
}
