package import PorticoBytes

/// More than one way to sign in (WEB-ACC-1, WEB-ACC-4).
extension AccountStore {
    /// Links an identity to the account of a live session. Whatever comes of it, the attempt is
    /// spent.
    package func link(_ event: LinkEvent, at now: Int64) async throws -> LinkOutcome {
        try await database.change { transaction in
            guard try transaction.spend(event.spending) else { return .spent }
            guard var account = try transaction.account(ofLiveSession: event.sessionID, at: now)
            else { return .sessionEnded }
            if let owner = try transaction.account(with: event.identity.key) {
                return owner.account.id == account.id ? .alreadyLinked : .taken
            }
            guard try transaction.insert(event.identity, of: account.id, at: now) else {
                return .secondOfProvider
            }
            try transaction.adopt(event.identity.email, for: &account, at: now)
            try transaction.note(
                .wayAdded,
                ofSession: event.sessionID,
                provider: event.identity.provider,
                at: now
            )
            try transaction.queue(event.notice, about: account.id)
            return .linked
        }
    }

    /// Removes an identity from an account, and ends the sessions that it began. Never the last
    /// one that the person can sign in by, of any number of concurrent calls (WEB-ACC-4).
    ///
    /// - Parameter usable: The providers, by name, that people can sign in with now.
    package func unlink(
        provider: String,
        from accountID: UniqueID,
        usable: [String],
        notice: MailDraft?,
        at now: Int64
    ) async throws -> UnlinkOutcome {
        try await database.change { transaction in
            try transaction.unlink(
                provider,
                from: accountID,
                usable: usable,
                notice: notice,
                at: now
            )
        }
    }

    /// Takes an identity away that its provider has given up, and with the last one the account,
    /// which no one could sign in to any more. An identity that was linked after `issuedAt` stays:
    /// the provider's word is older than the person's.
    ///
    /// - Parameter noticeID: Of the mail that tells the account's verified address which of both it
    ///   was, in the account's language.
    /// - Returns: Whether there was such an identity.
    package func forget(
        _ key: IdentityKey,
        linkedUntil issuedAt: Int64,
        noticeID: UniqueID,
        at now: Int64
    ) async throws -> Bool {
        try await database.change { transaction in
            guard let account = try transaction.account(with: key)?.account,
                let identity = try transaction.identities(of: account.id)
                    .first(where: { $0.key == key && $0.linkedAt <= issuedAt })
            else { return false }
            let outcome = try transaction.unlink(
                identity.provider,
                from: account.id,
                // No one signs in by what the provider has given up, whatever is left.
                usable: nil,
                notice: MailDraft(
                    .wayRemoved(provider: identity.provider),
                    id: noticeID,
                    to: account,
                    at: now
                ),
                at: now
            )
            if outcome == .lastOne {
                _ = try transaction.delete(account.id, noticeID: noticeID, at: now)
            }
            return true
        }
    }
}

extension SQLTransaction {
    /// - Parameter usable: The providers of which one must be left; `nil`: any.
    fileprivate func unlink(
        _ provider: String,
        from accountID: UniqueID,
        usable: [String]?,
        notice: MailDraft?,
        at now: Int64
    ) throws -> UnlinkOutcome {
        let identities = try identities(of: accountID)
        guard let identity = identities.first(where: { sameBytes($0.provider, provider) })
        else { return .notFound }
        let isOneLeft = identities.contains { other in
            !sameBytes(other.provider, provider)
                && usable?.contains { sameBytes($0, other.provider) } != false
        }
        guard isOneLeft else { return .lastOne }
        let removed = try run(
            """
            DELETE FROM identities WHERE account_id = $1 AND provider = $2 AND EXISTS (
                SELECT 1 FROM identities AS o WHERE o.account_id = $1 AND o.provider <> $2)
            """,
            [.bytes(accountID.bytes), .text(provider)]
        )
        guard removed > 0 else { return .lastOne }
        try run(
            """
            UPDATE account_sessions SET ended_at = $1
            WHERE account_id = $2 AND issuer = $3 AND subject = $4 AND ended_at IS NULL
            """,
            [
                .int64(now), .bytes(accountID.bytes), .text(identity.key.issuer),
                .text(identity.key.subject),
            ]
        )
        try makeTokensDue(ofEndedSessionsOf: accountID, at: now)
        var event = Event(.wayRemoved, of: accountID, at: now)
        event.provider = provider
        try note(event)
        try queue(notice, about: accountID)
        return .unlinked(identity)
    }

    func account(ofLiveSession id: UniqueID, at now: Int64) throws -> Account? {
        try first(
            Statement.accountOfLiveSession,
            [.bytes(id.bytes), .int64(now)]
        ) { try Account($0) }
    }
}

private enum Statement {
    static let accountOfLiveSession: SQLText = """
        SELECT \(AccountColumn.self, of: "a")
        FROM live_account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
        WHERE s.id = $1 AND s.alive_until > $2
        """
}
