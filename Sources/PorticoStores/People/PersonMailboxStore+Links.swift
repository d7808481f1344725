package import PorticoBytes
import PorticoProtocol

/// Whom a mailed link is for, and until what it is good: it is spent by its use, and dies with a new
/// password, a sign-out everywhere, and another address.
package struct PersonLink: Hashable, Sendable {
    /// The link's own.
    package var id: UniqueID
    package var realmID: String
    package var personID: String
    /// The address that it was sent to.
    package var email: String
    /// The person's ``PersonCredentials/epoch`` when it was sent.
    package var epoch: Int64
    /// What they are to do (``RequiredAction``).
    package var actions: [String]
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(
        id: UniqueID,
        realmID: String,
        personID: String,
        email: String,
        epoch: Int64,
        actions: [String],
        expiresAt: Int64
    ) {
        self.id = id
        self.realmID = realmID
        self.personID = personID
        self.email = email
        self.epoch = epoch
        self.actions = actions
        self.expiresAt = expiresAt
    }

    /// Whether it confirms the address that it was sent to.
    package var confirmsAddress: Bool { actions.contains(RequiredAction.verifyEmail) }

    /// Whether it asks for a new password.
    package var choosesPassword: Bool { actions.contains(RequiredAction.updatePassword) }

    /// What following it must show besides that the mailbox was read.
    ///
    /// - Parameters:
    ///   - isProven: Whether the address was confirmed before.
    ///   - isSignedIn: Whether the browser has a session of that very account, as good as
    ///     ``SessionStore/Proof/strength``.
    package func demand(isProven: Bool, isSignedIn: Bool) -> Demand {
        if choosesPassword { return .password }
        guard confirmsAddress, !isProven else { return .nothing }
        return isSignedIn ? .click : .password
    }

    package enum Demand: Hashable, Sendable {
        /// A new password: the mailbox's owner has the account from then on.
        case password
        /// A click in a session of the account: mailbox and account are one person's.
        case click
        /// A click anywhere, by which no more is known of the account than before.
        case nothing
    }

    /// What a link is followed with.
    package enum Proof: Sendable {
        case password(PasswordHash)
        /// A click in a browser with that session.
        case session(PersonSession)
        /// A click in a browser without one.
        case none
    }

    fileprivate var spent: SpentOnce {
        SpentOnce(
            hash: Hash256(of: Array("mailed link ".utf8) + id.bytes),
            expiresAt: expiresAt
        )
    }
}

/// Links that an administrator has mailed.
extension PersonMailboxStore {
    /// Puts a mail in that no other event causes. Without `to` there is none.
    package func send(_ mail: MailDraft) async throws {
        try await database.change { try $0.queue(mail) }
    }

    /// Whether the link was followed before.
    package func isSpent(_ link: PersonLink) async throws -> Bool {
        try await database.read { try $0.wasSpent(link.spent.hash) }
    }

    /// What has come back by a link, which is spent by that.
    ///
    /// A new password ends every session and grant (``PersonStore/setPassword(_:of:at:)``), and the
    /// address is verified: with what was set before it was proven, as
    /// ``SQLTransaction/setByMailbox(_:of:notice:at:)`` says. A click in a session of the account
    /// verifies the address. Another click verifies nothing. Actions that were not done by it are
    /// demanded at the next sign-in.
    ///
    /// `.notFound` where the link is dead or spent, where the person may not sign in, and where the
    /// proof is not the one that it takes (``PersonLink/demand(isProven:isSignedIn:)``). Of any number of
    /// concurrent calls exactly one gets `.changed`.
    ///
    /// - Parameter notice: The mail that tells of a new password.
    package func follow(
        _ link: PersonLink,
        with proof: PersonLink.Proof,
        notice: MailDraft,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            guard now < link.expiresAt, let isProven = try transaction.isProven(link) else {
                return .notFound
            }
            var isConfirmed = isProven
            switch (proof, link.demand(isProven: isProven, isSignedIn: false)) {
            case (.password(let hash), .password):
                guard try transaction.spend([link.spent]) == nil else { return .notFound }
                try transaction.setByMailbox(hash, of: link.personID, notice: notice, at: now)
                isConfirmed = true
            case (.session(let session), .password) where !link.choosesPassword:
                guard session.personID == link.personID, session.realmID == link.realmID,
                    try transaction.proves(session, .strength, at: now),
                    try transaction.spend([link.spent]) == nil
                else { return .notFound }
                try transaction.confirmAddress(of: link.personID, at: now)
                isConfirmed = true
            case (.session, .nothing), (.none, .nothing):
                guard try transaction.spend([link.spent]) == nil else { return .notFound }
            default: return .notFound
            }
            try transaction.demand(link, isConfirmed: isConfirmed, at: now)
            return .changed
        }
    }
}

extension SQLTransaction {
    /// Whether the address of a link was confirmed before; `nil` where the link is dead, or the person
    /// may not sign in.
    fileprivate func isProven(_ link: PersonLink) throws -> Bool? {
        try first(
            """
            SELECT is_email_verified AND email_proof IS NOT NULL FROM people
            WHERE id = $1 AND realm_id = $2 AND email_key = $3 AND epoch = $4 AND is_enabled
                AND service_client_id IS NULL
            """,
            [
                .text(link.personID), .text(link.realmID), .text(LoginName.folded(link.email)),
                .int64(link.epoch),
            ]
        ) { try $0.bool(0) }
    }

    /// Demands what the link asks for and following it has not done.
    fileprivate func demand(_ link: PersonLink, isConfirmed: Bool, at now: Int64) throws {
        let kept = try first(
            "SELECT required_actions FROM people WHERE id = $1",
            [.text(link.personID)]
        ) { try $0.words(0) }
        let done = [RequiredAction.verifyEmail, RequiredAction.updatePassword]
        var actions = kept ?? []
        if isConfirmed { actions.removeAll { $0 == RequiredAction.verifyEmail } }
        actions += link.actions.filter { !done.contains($0) && !actions.contains($0) }
        try run(
            "UPDATE people SET required_actions = $1, updated_at = $2 WHERE id = $3",
            [SQLValue(words: actions), .int64(now), .text(link.personID)]
        )
    }

    /// The mailbox and the account are one person's.
    func confirmAddress(of personID: String, at now: Int64) throws {
        if let person = try credentials(id: personID)?.person { try prove(person, at: now) }
        try run(
            """
            UPDATE people SET updated_at = $1, required_actions = TRIM(
                REPLACE(' ' || required_actions || ' ', ' VERIFY_EMAIL ', ' '))
            WHERE id = $2
            """,
            [.int64(now), .text(personID)]
        )
    }

    /// The person's mailbox has answered: the address is theirs, and lost to those who never proved it.
    func prove(_ person: Person, at now: Int64) throws {
        guard let address = person.email else { return }
        var person = person
        try set(Mailbox(address: address, verification: .mailedCode), of: &person, at: now)
        try run("UPDATE people SET updated_at = $1 WHERE id = $2", [.int64(now), .text(person.id)])
    }

    /// Sets a password that was chosen by way of the mailbox, which proves the person's address, and
    /// queues the notice to it.
    ///
    /// Until then anyone may have set the account up with that address (docs/decisions/0082): where it
    /// was not proven before, second factors, accounts at other providers and what apps were allowed go
    /// with the former password, and the notice says so. Where the realm demands an app of new people,
    /// one is demanded in place of one that goes.
    func setByMailbox(
        _ password: PasswordHash,
        of personID: String,
        notice: MailDraft,
        at now: Int64
    ) throws {
        let kept = try first(
            """
            SELECT email, is_email_verified AND email_proof IS NOT NULL, realm_id FROM people
            WHERE id = $1
            """,
            [.text(personID)]
        ) { (address: try $0.optionalText(0), isProven: try $0.bool(1), realmID: try $0.text(2)) }
        guard let kept else { return }
        try set(password, of: personID, at: now)
        var notice = notice
        if !kept.isProven {
            notice.message = .accountReclaimed
            try forgetFormerOwner(of: personID, realmID: kept.realmID)
        }
        try confirmAddress(of: personID, at: now)
        if let address = kept.address { try queue(notice, to: address) }
    }

    /// - Parameter identity: Stays, if the person has it, by its issuer or by its provider's name.
    func forgetFormerOwner(
        of personID: String,
        realmID: String,
        except identity: Identity? = nil
    ) throws {
        let hadApp = try hasRow(
            "SELECT 1 FROM credentials WHERE person_id = $1 AND kind = 'totp'",
            [.text(personID)]
        )
        try run("DELETE FROM credentials WHERE person_id = $1", [.text(personID)])
        try run(
            """
            DELETE FROM identities
            WHERE person_id = $1 AND NOT (COALESCE(subject = $2, FALSE)
                AND COALESCE(issuer = $3, provider = $4))
            """,
            [
                .text(personID), SQLValue(identity?.subject), SQLValue(identity?.issuer),
                SQLValue(identity?.provider),
            ]
        )
        try run("DELETE FROM consents WHERE person_id = $1", [.text(personID)])
        let app = RequiredAction.configureTOTP
        guard hadApp, try defaultActions(realmID: realmID).contains(app) else { return }
        try run(
            """
            UPDATE people SET required_actions = TRIM(required_actions || ' CONFIGURE_TOTP')
            WHERE id = $1 AND ' ' || required_actions || ' ' NOT LIKE '% CONFIGURE_TOTP %'
            """,
            [.text(personID)]
        )
    }
}
