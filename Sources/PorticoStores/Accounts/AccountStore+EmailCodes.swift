import PorticoBytes

/// Codes that prove a mailbox.
extension AccountStore {
    /// How many codes may be presented until one is right.
    static let triesPerCode: Int64 = 5

    /// Keeps the code that confirms an address, in place of an earlier one of the same `owner`,
    /// and queues the mail that brings it, to that address unless it names another.
    ///
    /// - Parameter profile: What the person says of themselves in the same form.
    package func startConfirmation(
        _ confirmation: EmailConfirmation,
        mail: MailDraft,
        saying profile: ProfileChange? = nil
    ) async throws {
        try await database.change { transaction in
            if let profile { try transaction.update(profile) }
            try transaction.keep(confirmation, mail)
        }
    }

    /// Presents a code. Of five wrong ones the fifth spends it; the right one spends it too.
    package func confirm(_ presentation: EmailCodePresentation, at now: Int64) async throws
        -> EmailConfirmationOutcome
    {
        try await database.change { transaction in
            switch try transaction.present(
                presentation.codeHash,
                by: presentation.owner,
                at: now
            ) {
            case .wrong(let outcome): return outcome
            case .right(let address):
                switch presentation.then {
                case .setEmail(let personID, let noticeID):
                    return try transaction.confirm(
                        address,
                        of: personID,
                        noticeID: noticeID,
                        at: now
                    )
                case .claim(let personID, let event):
                    return try transaction.claim(personID, by: address, event, at: now)
                case .prove(let sessionID, let cookieHash):
                    return try transaction.prove(sessionID, by: address, cookieHash, at: now)
                }
            }
        }
    }
}

enum PresentedCode {
    /// The address that it proves.
    case right(address: String)
    /// One of `wrong`, `expired` and `unknown`.
    case wrong(EmailConfirmationOutcome)
}

extension SQLTransaction {
    /// Keeps a code, with its mail, in place of the owner's earlier one.
    func keep(_ confirmation: EmailConfirmation, _ mail: MailDraft) throws {
        try run(
            """
            INSERT INTO email_codes (owner, address, code_hash, expires_at, tries)
            VALUES ($1, $2, $3, $4, 0)
            ON CONFLICT (owner) DO UPDATE SET address = excluded.address,
                code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries = 0
            """,
            [
                .bytes(confirmation.owner.bytes), .text(confirmation.address),
                .bytes(confirmation.codeHash.bytes), .int64(confirmation.expiresAt),
            ]
        )
        try queue(mail, to: mail.to ?? confirmation.address)
    }

    /// Compares a code and spends it, or one of its tries.
    func present(_ codeHash: Hash256, by owner: Hash256, at now: Int64) throws -> PresentedCode {
        let owner = SQLValue.bytes(owner.bytes)
        let kept = try first(
            "SELECT address, code_hash, expires_at, tries FROM email_codes WHERE owner = $1",
            [owner]
        ) {
            (
                address: try $0.text(0), hash: try $0.hash(1), expiresAt: try $0.int64(2),
                tries: try $0.int64(3)
            )
        }
        guard let kept else { return .wrong(.unknown) }
        guard kept.expiresAt > now else { return .wrong(.expired) }
        let isRight = kept.hash == codeHash
        let triesLeft = AccountStore.triesPerCode - kept.tries - 1
        if isRight || triesLeft <= 0 {
            try run("DELETE FROM email_codes WHERE owner = $1", [owner])
        } else {
            try run("UPDATE email_codes SET tries = tries + 1 WHERE owner = $1", [owner])
        }
        return isRight
            ? .right(address: kept.address)
            : .wrong(.wrong(triesLeft: Int(clamping: triesLeft), address: kept.address))
    }

    /// Makes a proven address the account's.
    fileprivate func confirm(
        _ address: String,
        of personID: String,
        noticeID: UniqueID,
        at now: Int64
    ) throws -> EmailConfirmationOutcome {
        guard var person = try credentials(id: personID)?.person else { return .unknown }
        let email = Mailbox(address: address, verification: .mailedCode)
        guard try !isTaken(email, exceptBy: person) else { return .taken }
        if let former = person.mailbox, !sameBytes(former.key, email.key) {
            // Before they have another one: the address that is replaced is told (WEB-BRUTE-3).
            try queue(
                MailDraft(.emailChanged, id: noticeID, to: person, at: now),
                about: personID
            )
        }
        try set(email, of: &person, at: now)
        try note(Event(.emailConfirmed, of: personID, at: now))
        return .confirmed(person)
    }

    /// The person with the mailbox of an account's address gets the account (docs/decisions/0020).
    fileprivate func claim(
        _ personID: String,
        by address: String,
        _ event: SignInEvent,
        at now: Int64
    ) throws -> EmailConfirmationOutcome {
        let proven = Mailbox(address: address, verification: .mailedCode)
        guard var claimed = try credentials(id: personID), claimed.person.realmID == event.realmID
        else { return .unknown }
        guard try !isTaken(proven, exceptBy: claimed.person) else { return .taken }
        guard let email = claimed.person.mailbox, !email.isRelay, sameBytes(email.key, proven.key)
        else { return .unknown }
        guard claimed.person.isEnabled else {
            try note(.init(.signInBlocked, event, of: personID, at: now))
            return .blocked
        }
        let owner = try owner(of: event.identity, realmID: event.realmID)
        guard owner == nil || owner?.person.id == personID, try spendAll(event.spending) else {
            return .spent
        }
        if !email.verification.isProof {
            // The pre-registration attack: sign-ins from before the mailbox was proven go.
            try endAll(of: personID, at: now)
            try run("UPDATE people SET password_hash = NULL WHERE id = $1", [.text(personID)])
            try forgetFormerOwner(
                of: personID,
                realmID: event.realmID,
                except: event.identity
            )
            try set(proven, of: &claimed.person, at: now)
            claimed = try credentials(id: personID) ?? claimed
        }
        if owner != nil {
            try use(event.identity, of: personID, at: now)
        } else {
            guard try insert(event.identity, of: claimed.person, at: now) else {
                return .secondOfProvider
            }
            try queue(event.linkNotice, about: personID)
        }
        try note(.init(.accountClaimed, event, of: personID, at: now))
        var event = event
        event.session.provenAt = now
        return .confirmed(try enter(event, claimed, at: now))
    }

    /// A person with a session and the mailbox of its account's address is the account's person.
    fileprivate func prove(
        _ sessionID: String,
        by address: String,
        _ cookieHash: Hash256?,
        at now: Int64
    ) throws -> EmailConfirmationOutcome {
        guard var person = try person(ofLiveSession: sessionID, at: now),
            let email = person.mailbox, sameBytes(email.address, address)
        else { return .unknown }
        try run(
            """
            UPDATE sessions
            SET proven_at = $1, cookie_hash = COALESCE($2, cookie_hash) WHERE id = $3
            """,
            [.int64(now), SQLValue(cookieHash), .text(sessionID)]
        )
        try note(.proven, ofSession: sessionID, at: now)
        var proven = email
        proven.verification = .mailedCode
        try adopt(proven, for: &person, at: now)
        return .confirmed(person)
    }
}
