import PorticoBytes

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
            let matches = try matches(of: email)
            if !matches.isEmpty { return .matches(matches) }
        case .link:
            let matches = try matches(of: email)
            // Both: a stranger may have made the account, or the identity (docs/decisions/0020).
            if matches.count == 1, matches[0].verification.isProof,
                email?.verification.isProof == true,
                let outcome = try link(event, to: matches[0].accountID, at: now)
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
    private func link(_ event: SignInEvent, to accountID: UniqueID, at now: Int64) throws
        -> SignInOutcome?
    {
        guard let known = try account(accountID) else { return nil }
        guard !known.account.isBlocked else {
            try note(.init(.signInBlocked, event, of: accountID, at: now))
            return .blocked(accountID)
        }
        guard try insert(event.identity, of: accountID, at: now) else { return nil }
        try note(.init(.wayAdded, event, of: accountID, at: now))
        try queue(event.linkNotice, about: accountID)
        return .signedIn(try enter(event, known, at: now), isNew: false)
    }

    private func register(_ event: SignInEvent, at now: Int64) throws -> Account {
        var account = Account(
            id: event.newAccountID,
            email: nil,
            name: event.name,
            picture: event.picture,
            language: event.language,
            createdAt: now,
            lastSignInAt: now
        )
        let isNew = try hasRow(
            Statement.insert,
            account.values + [
                .text(event.identity.provider), SQLValue(event.session.address),
                SQLValue(event.userAgent),
            ]
        )
        guard isNew, try insert(event.identity, of: account.id, at: now) else {
            throw StoreConflict()
        }
        try adopt(event.identity.email, for: &account, at: now)
        let user = CountedAccount(account: account, epoch: 0)
        try begin(event, of: user, isNew: true, at: now)
        try note(.init(.registered, event, of: account.id, at: now))
        return account
    }

    /// Accounts with an address, the oldest first, at most five. A relay's address matches nothing.
    private func matches(of email: AccountEmail?) throws -> [AccountMatch] {
        guard let email, !email.isRelay else { return [] }
        let accounts = try rows(
            """
            SELECT id, is_email_verified, email_proof FROM accounts
            WHERE email_key = $1 AND NOT is_email_relay
            ORDER BY created_at, id LIMIT 5
            """,
            [.text(email.key)]
        ) { row in
            let verification = EmailVerification(
                isVerified: try row.bool(1),
                proof: try row.optionalText(2)
            )
            return (id: try row.uniqueID(0), verification: verification)
        }
        return try accounts.map { account in
            AccountMatch(
                accountID: account.id,
                verification: account.verification,
                providers: try rows(
                    """
                    SELECT provider FROM identities WHERE account_id = $1
                    ORDER BY last_used_at DESC, place DESC
                    """,
                    [.bytes(account.id.bytes)]
                ) { try $0.text(0) }
            )
        }
    }
}

extension SQLTransaction {
    /// Links an identity to an account.
    ///
    /// - Returns: `false` where it is linked already, or the account has another one at that
    ///   provider. Nothing happened then.
    func insert(_ identity: Identity, of accountID: UniqueID, at now: Int64) throws -> Bool {
        try hasRow(
            """
            INSERT INTO identities (issuer, subject, account_id, provider, place, email,
                is_email_verified, email_proof, is_email_relay, linked_at, last_used_at,
                sealed_token)
            SELECT $1, $2, $3, $4,
                (SELECT COALESCE(MAX(place), 0) + 1 FROM identities WHERE account_id = $3),
                $5, $6, $7, $8, $9, $9, $10
            WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING subject
            """,
            [
                .text(identity.key.issuer), .text(identity.key.subject), .bytes(accountID.bytes),
                .text(identity.provider), SQLValue(identity.email?.address),
                .bool(identity.email?.isVerified == true),
                SQLValue(identity.email?.verification.proof),
                .bool(identity.email?.isRelay == true), .int64(now),
                SQLValue(identity.sealedToken),
            ]
        )
    }

    /// Gives an account an identity's address: where it has none, or the same one on a weaker
    /// ground; and where no other account has it on as good a one.
    func adopt(_ email: AccountEmail?, for account: inout Account, at now: Int64) throws {
        guard let email else { return }
        if let own = account.email {
            guard email.verification > own.verification, own.isRelay == email.isRelay,
                sameBytes(own.key, email.key)
            else { return }
        }
        guard try email.isRelay || !isTaken(email, exceptBy: account.id) else { return }
        try set(email, of: account.id, at: now)
        account.email = email
    }

    /// Whether another account has an address: proven, or, where it is not proven here, verified.
    func isTaken(_ email: AccountEmail, exceptBy accountID: UniqueID) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM accounts
            WHERE email_key = $1 AND NOT is_email_relay AND id <> $2
                AND is_email_verified AND (email_proof IS NOT NULL OR NOT $3)
            """,
            [
                .text(email.key), .bytes(accountID.bytes), .bool(email.verification.isProof),
            ]
        )
    }

    /// Sets an account's address, and takes it from accounts that have it on a weaker ground.
    func set(_ email: AccountEmail, of accountID: UniqueID, at now: Int64) throws {
        if email.isVerified, !email.isRelay { try take(email, for: accountID, at: now) }
        try run(
            """
            UPDATE accounts SET email = $1, email_key = $2, is_email_verified = $3,
                email_proof = $4, is_email_relay = $5
            WHERE id = $6
            """,
            [
                .text(email.address), .text(email.key), .bool(email.isVerified),
                SQLValue(email.verification.proof), .bool(email.isRelay),
                .bytes(accountID.bytes),
            ]
        )
    }

    /// An unverified address is lost to a verified one, and one that is vouched for to a proven one.
    private func take(_ email: AccountEmail, for accountID: UniqueID, at now: Int64) throws {
        let losing = try rows(
            """
            SELECT id FROM accounts
            WHERE email_key = $1 AND NOT is_email_relay AND id <> $2
                AND (NOT is_email_verified OR (email_proof IS NULL AND $3))
            """,
            [.text(email.key), .bytes(accountID.bytes), .bool(email.verification.isProof)]
        ) { try $0.uniqueID(0) }
        for id in losing {
            try run(
                """
                UPDATE accounts SET email = NULL, email_key = NULL, is_email_verified = FALSE
                WHERE id = $1
                """,
                [.bytes(id.bytes)]
            )
            try note(Event(.emailLost, of: id, at: now))
        }
    }
}

private enum Statement {
    static let insert: SQLText = """
        INSERT INTO accounts (\(AccountColumn.self), epoch, registered_provider,
            registered_address, registered_user_agent)
        SELECT \(valuesOf: AccountColumn.self), 0, $15, $16, $17
        WHERE NOT EXISTS (SELECT 1 FROM deleted_accounts WHERE id = $1)
        ON CONFLICT DO NOTHING RETURNING id
        """
}
