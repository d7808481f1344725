import PorticoBytes
import PorticoStores

/// Somebody whose identity is no account's yet (`pages.md` A4).
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
            if matches.count == 1, matches[0].isEmailVerified, email?.isVerified == true,
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
            """
            INSERT INTO accounts (id, email, email_key, is_email_verified, is_email_relay, name,
                is_name_own, picture, language, is_blocked, is_welcomed, created_at,
                last_sign_in_at, epoch, registered_provider, registered_address,
                registered_user_agent)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $14, $15, $16
            WHERE NOT EXISTS (SELECT 1 FROM deleted_accounts WHERE id = $1)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            AccountRow.values(account) + [
                .text(event.identity.provider), SQLValue(event.session.address),
                SQLValue(event.userAgent),
            ]
        )
        guard isNew, try insert(event.identity, of: account.id, at: now) else {
            throw StoreConflict()
        }
        try adopt(event.identity.email, for: &account)
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
            SELECT id, is_email_verified FROM accounts
            WHERE email_key = $1 AND NOT is_email_relay
            ORDER BY created_at, id LIMIT 5
            """,
            [.text(email.key)]
        ) { (id: try $0.uniqueID(0), isVerified: try $0.bool(1)) }
        return try accounts.map { account in
            AccountMatch(
                accountID: account.id,
                isEmailVerified: account.isVerified,
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
                is_email_verified, is_email_relay, linked_at, last_used_at, sealed_token)
            SELECT $1, $2, $3, $4,
                (SELECT COALESCE(MAX(place), 0) + 1 FROM identities WHERE account_id = $3),
                $5, $6, $7, $8, $8, $9
            WHERE TRUE
            ON CONFLICT DO NOTHING RETURNING subject
            """,
            [
                .text(identity.key.issuer), .text(identity.key.subject), .bytes(accountID.bytes),
                .text(identity.provider), SQLValue(identity.email?.address),
                .bool(identity.email?.isVerified == true),
                .bool(identity.email?.isRelay == true), .int64(now),
                SQLValue(identity.sealedToken),
            ]
        )
    }

    /// Gives an account an identity's address: where it has none, or the same one, which the
    /// provider vouches for now; and where no other account has it verified.
    func adopt(_ email: AccountEmail?, for account: inout Account) throws {
        guard let email else { return }
        if let own = account.email {
            guard !own.isVerified, email.isVerified, own.isRelay == email.isRelay,
                sameBytes(own.key, email.key)
            else { return }
        }
        guard try email.isRelay || !isVerified(email, exceptBy: account.id) else { return }
        try set(email, of: account.id)
        account.email = email
    }

    /// Whether another account has an address, verified.
    func isVerified(_ email: AccountEmail, exceptBy accountID: UniqueID) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM accounts
            WHERE email_key = $1 AND is_email_verified AND NOT is_email_relay AND id <> $2
            """,
            [.text(email.key), .bytes(accountID.bytes)]
        )
    }

    /// Sets an account's address. A verified one is taken from accounts that never proved it.
    func set(_ email: AccountEmail, of accountID: UniqueID) throws {
        if email.isVerified, !email.isRelay {
            try run(
                """
                UPDATE accounts SET email = NULL, email_key = NULL
                WHERE email_key = $1 AND NOT is_email_verified AND NOT is_email_relay AND id <> $2
                """,
                [.text(email.key), .bytes(accountID.bytes)]
            )
        }
        try run(
            """
            UPDATE accounts SET email = $1, email_key = $2, is_email_verified = $3,
                is_email_relay = $4
            WHERE id = $5
            """,
            [
                .text(email.address), .text(email.key), .bool(email.isVerified),
                .bool(email.isRelay), .bytes(accountID.bytes),
            ]
        )
    }
}
