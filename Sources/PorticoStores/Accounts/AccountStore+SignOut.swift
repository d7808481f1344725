package import PorticoBytes

/// Ending sessions.
extension AccountStore {
    /// Signs a session of that account out. Doing it twice changes nothing.
    ///
    /// The tokens that providers gave us to keep are forgotten with it, and answered once: that of
    /// the identity that the session was signed in by, where no other session of the account was
    /// that is live or waits for its app; and with the account's last such session those of all its
    /// identities, also of one that was only linked. Of any number of concurrent calls one gets a
    /// token, and none gets one that a sign-in has brought whose session is left.
    package func signOut(_ sessionID: UniqueID, of accountID: UniqueID, at now: Int64) async throws
        -> SignOutOutcome
    {
        try await database.change { transaction in
            guard let identity = try transaction.identity(of: sessionID, of: accountID) else {
                return .notFound
            }
            guard try transaction.end(sessionID, at: now) else {
                return .signedOut(forgetting: [])
            }
            try transaction.note(.signedOut, ofSession: sessionID, at: now)
            let forgotten = try transaction.forgetTokens(of: accountID, leftBy: [identity], at: now)
            return .signedOut(forgetting: forgotten)
        }
    }

    /// Signs every session of an account out, also those that wait for their app, but one; `nil`:
    /// all. Tokens are forgotten as ``signOut(_:of:at:)`` does it.
    package func signOutEverywhere(
        of accountID: UniqueID,
        except kept: UniqueID?,
        at now: Int64
    ) async throws -> SignOutOutcome {
        try await database.change { transaction in
            let left = try transaction.identitiesInUse(of: accountID, except: kept, at: now)
            if let kept {
                // It goes along with the count; one that an earlier count has ended stays behind.
                try transaction.run(
                    """
                    UPDATE account_sessions SET epoch = epoch + 1
                    WHERE id = $1 AND account_id = $2
                    """,
                    [.bytes(kept.bytes), .bytes(accountID.bytes)]
                )
            }
            guard try transaction.endAll(of: accountID, at: now) else { return .notFound }
            try transaction.note(Event(.signedOutEverywhere, of: accountID, at: now))
            let forgotten = try transaction.forgetTokens(of: accountID, leftBy: left, at: now)
            return .signedOut(forgetting: forgotten)
        }
    }

    /// Ends a session of that account whose person did not ask for it: what providers gave us is
    /// kept, for the next sign-in. Ending it twice changes nothing.
    ///
    /// - Parameter kind: What the event is called.
    package func end(
        sessionID: UniqueID,
        of accountID: UniqueID,
        as kind: Event.Kind,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.identity(of: sessionID, of: accountID) != nil else {
                return .notFound
            }
            if try transaction.end(sessionID, at: now) {
                try transaction.note(kind, ofSession: sessionID, at: now)
            }
            return .changed
        }
    }

    /// Ends the sessions that an identity began: of one `sid`, or all
    /// (OpenID Connect Back-Channel Logout §2.7). Its token is kept: what becomes of that is the
    /// provider's to say, which has ended its own session.
    ///
    /// - Parameter subject: `nil`: any identity's with that `sid`.
    /// - Returns: How many ended, or `nil` where `spending` was spent before: then nothing happened.
    package func endSessions(
        issuer: String,
        subject: String?,
        providerSessionID: String?,
        spending: SpentOnce,
        at now: Int64
    ) async throws -> Int? {
        try await database.change { transaction in
            guard try transaction.spend([spending]) else { return nil }
            let ids =
                if let subject {
                    try transaction.sessions(
                        begunBy: IdentityKey(issuer: issuer, subject: subject),
                        providerSessionID: providerSessionID,
                        at: now
                    )
                } else if let providerSessionID {
                    try transaction.sessions(
                        ofProviderSession: providerSessionID,
                        issuer: issuer,
                        at: now
                    )
                } else {
                    [UniqueID]()
                }
            for id in ids {
                try transaction.end(id, at: now)
                try transaction.note(.signedOutByProvider, ofSession: id, at: now)
            }
            return ids.count
        }
    }
}

extension SQLReader {
    /// Sessions that an identity began, also those that wait for their app. They are all its
    /// account's: unlinking ends them.
    fileprivate func sessions(
        begunBy key: IdentityKey,
        providerSessionID: String?,
        at now: Int64
    ) throws -> [UniqueID] {
        try rows(
            """
            SELECT s.id FROM identities AS i
            JOIN account_sessions AS s ON s.account_id = i.account_id
                AND s.issuer = i.issuer AND s.subject = i.subject
            WHERE i.issuer = $1 AND i.subject = $2
                AND ($3 IS NULL OR s.provider_session_id = $3)
                AND s.ended_at IS NULL AND s.expires_at > $4
            """,
            [.text(key.issuer), .text(key.subject), SQLValue(providerSessionID), .int64(now)]
        ) { try $0.uniqueID(0) }
    }

    fileprivate func sessions(ofProviderSession id: String, issuer: String, at now: Int64) throws
        -> [UniqueID]
    {
        try rows(
            """
            SELECT id FROM account_sessions
            WHERE provider_session_id = $1 AND issuer = $2 AND ended_at IS NULL
                AND expires_at > $3
            """,
            [.text(id), .text(issuer), .int64(now)]
        ) { try $0.uniqueID(0) }
    }
}

extension SQLReader {
    /// What a session of that account was signed in by.
    fileprivate func identity(of sessionID: UniqueID, of accountID: UniqueID) throws
        -> IdentityKey?
    {
        try first(
            "SELECT issuer, subject FROM account_sessions WHERE id = $1 AND account_id = $2",
            [.bytes(sessionID.bytes), .bytes(accountID.bytes)]
        ) { IdentityKey(issuer: try $0.text(0), subject: try $0.text(1)) }
    }
}

extension SQLTransaction {
    /// - Returns: `false` where it had ended before, or is not there.
    @discardableResult
    func end(_ sessionID: UniqueID, at now: Int64) throws -> Bool {
        let changed = try run(
            "UPDATE account_sessions SET ended_at = $1 WHERE id = $2 AND ended_at IS NULL",
            [.int64(now), .bytes(sessionID.bytes)]
        )
        guard changed > 0 else { return false }
        try makeTokensDue(ofSession: sessionID, at: now)
        return true
    }

    /// Counts on: sessions and hand-off codes of an earlier count are dead.
    ///
    /// - Returns: Whether there is such an account.
    @discardableResult
    func endAll(of accountID: UniqueID, at now: Int64) throws -> Bool {
        let changed = try run(
            "UPDATE accounts SET epoch = epoch + 1, signed_out_at = $1 WHERE id = $2",
            [.int64(now), .bytes(accountID.bytes)]
        )
        guard changed > 0 else { return false }
        try makeTokensDue(ofEndedSessionsOf: accountID, at: now)
        return true
    }
}
