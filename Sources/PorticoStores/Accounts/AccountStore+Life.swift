package import PorticoBytes

/// Changing, blocking and deleting accounts.
extension AccountStore {
    /// Sets what a person says of themselves: the name becomes their own. `nil` leaves it. There is
    /// no event of it.
    package func update(
        _ accountID: UniqueID,
        name: String?,
        language: String?,
        isWelcomed: Bool?
    ) async throws -> Change {
        let profile = ProfileChange(
            accountID: accountID,
            name: name,
            language: language,
            isWelcomed: isWelcomed
        )
        return try await database.change { try $0.update(profile) }
    }

    /// Blocks an account, which signs it out everywhere, or lets it in again.
    package func block(_ accountID: UniqueID, _ isBlocked: Bool, at now: Int64) async throws
        -> Change
    {
        try await database.change { transaction in
            guard let account = try transaction.account(accountID)?.account else {
                return .notFound
            }
            guard account.isBlocked != isBlocked else { return .changed }
            try transaction.run(
                "UPDATE accounts SET is_blocked = $1 WHERE id = $2",
                [.bool(isBlocked), .bytes(accountID.bytes)]
            )
            // WEB-SESS-5: what ends here does not come back when the account does.
            if isBlocked { try transaction.endAll(of: accountID, at: now) }
            try transaction.note(Event(isBlocked ? .blocked : .unblocked, of: accountID, at: now))
            return .changed
        }
    }

    /// Deletes an account: identities, sessions and hand-off codes go with it. The id is not used
    /// again.
    ///
    /// - Parameter noticeID: Of the mail that tells its verified address, in its language.
    /// - Returns: The identities it had, whose sealed tokens are to be revoked; `nil`: not there.
    package func delete(_ accountID: UniqueID, noticeID: UniqueID, at now: Int64) async throws
        -> [Identity]?
    {
        try await database.change { try $0.delete(accountID, noticeID: noticeID, at: now) }
    }

    /// Removes what has been dead since before `time`: sessions, codes, what was spent, and what is
    /// left of sessions by handle.
    package func purge(before time: Int64) async throws {
        try await database.purge(finding: Self.deadSessions(before: time)) { transaction, id in
            try transaction.run("DELETE FROM account_sessions WHERE id = $1", [id])
        }
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT hash FROM spent_once WHERE hash > $1 AND expires_at < $2
                ORDER BY hash LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        } removing: { transaction, hash in
            try transaction.run("DELETE FROM spent_once WHERE hash = $1", [hash])
        }
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT owner FROM email_codes WHERE owner > $1 AND expires_at < $2
                ORDER BY owner LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        } removing: { transaction, owner in
            // Its owner may have asked for another one since it was found.
            try transaction.run(
                "DELETE FROM email_codes WHERE owner = $1 AND expires_at < $2",
                [owner, .int64(time)]
            )
        }
        try await HandleSessionStore(database).purge(before: time)
    }

    /// Sessions that died before `time` and can never live again, with their hand-off codes.
    private static func deadSessions(
        before time: Int64
    ) -> @Sendable (any SQLReader, SQLValue?) throws -> [SQLValue] {
        { reader, cursor in
            try reader.rows(
                """
                SELECT s.id FROM account_sessions AS s
                LEFT JOIN accounts AS a ON a.id = s.account_id
                WHERE s.id > $1 AND (s.ended_at < $2 OR s.expires_at < $2
                    OR s.last_seen_at + s.idle_seconds < $2
                    OR (NOT s.is_active AND s.code_expires_at < $2)
                    OR a.id IS NULL OR (a.epoch > s.epoch AND a.signed_out_at < $2))
                ORDER BY s.id LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        }
    }
}

extension SQLTransaction {
    /// Sets what a person says of themselves.
    @discardableResult
    func update(_ profile: ProfileChange) throws -> Change {
        guard var account = try self.account(profile.accountID)?.account else { return .notFound }
        account.name = profile.name ?? account.name
        account.isNameOwn = account.isNameOwn || profile.name != nil
        account.language = profile.language ?? account.language
        account.isWelcomed = profile.isWelcomed ?? account.isWelcomed
        try run(
            """
            UPDATE accounts SET name = $1, is_name_own = $2, language = $3, is_welcomed = $4
            WHERE id = $5
            """,
            [
                SQLValue(account.name), .bool(account.isNameOwn), .text(account.language),
                .bool(account.isWelcomed), .bytes(profile.accountID.bytes),
            ]
        )
        return .changed
    }
}

extension SQLTransaction {
    /// - Returns: The identities that the account had; `nil`: not there.
    func delete(_ accountID: UniqueID, noticeID: UniqueID, at now: Int64) throws -> [Identity]? {
        guard let account = try account(accountID)?.account else { return nil }
        // While its row says where to.
        try queue(MailDraft(.accountDeleted, id: noticeID, to: account, at: now), about: accountID)
        let id = SQLValue.bytes(accountID.bytes)
        let identities = try identities(of: accountID)
        try run(
            "INSERT INTO deleted_accounts (id, created_at) VALUES ($1, $2)",
            [id, .int64(account.createdAt)]
        )
        try run("DELETE FROM accounts WHERE id = $1", [id])
        try makeTokensDue(ofEndedSessionsOf: accountID, at: now)
        try run("DELETE FROM account_sessions WHERE account_id = $1", [id])
        try note(Event(.deleted, of: accountID, at: now))
        return identities
    }
}
