import PorticoBytes

extension SQLTransaction {
    /// Ends every session of that person in the realm but one. Those of apps that stand apart end, too, with
    /// what the person allowed strangers (``Client/consentFingerprint``).
    ///
    /// - Returns: How many ended.
    func endSessions(of personID: String, except kept: String, realmID: String, at now: Int64)
        throws -> Int
    {
        let others = try sessions(of: personID, realmID: realmID).filter { !sameBytes($0, kept) }
        for id in others { try endSession(id, realmID: realmID, at: now) }
        let apart = try endAppSessions(of: personID, realmID: realmID, at: now)
        return others.count + apart
    }
}

extension SQLReader {
    /// The sessions of a person that nothing has ended. One that has expired counts, too: a client's
    /// own may have outlived it.
    fileprivate func sessions(of personID: String, realmID: String) throws -> [String] {
        try rows(
            """
            SELECT id FROM live_sessions WHERE person_id = $1 AND realm_id = $2
            """,
            [.text(personID), .text(realmID)]
        ) { try $0.text(0) }
    }
}

/// Ending sessions of people.
extension SessionStore {
    /// Signs a session of that person out. Doing it twice changes nothing.
    ///
    /// The tokens that providers gave us to keep are forgotten with it, and answered once: that of
    /// the identity that the session was signed in by, where no other session of the account was
    /// that is live or waits for its app; and with the account's last such session those of all its
    /// identities, also of one that was only linked. Of any number of concurrent calls one gets a
    /// token, and none gets one that a sign-in has brought whose session is left.
    package func signOut(_ sessionID: String, of personID: String, at now: Int64) async throws
        -> SignOutOutcome
    {
        try await database.change { transaction in
            guard let left = try transaction.identities(of: sessionID, of: personID) else {
                return .notFound
            }
            guard try transaction.endSession(sessionID, at: now) else {
                return .signedOut(forgetting: [])
            }
            try transaction.note(.signedOut, ofSession: sessionID, at: now)
            let forgotten = try transaction.forgetTokens(of: personID, leftBy: left, at: now)
            return .signedOut(forgetting: forgotten)
        }
    }

    /// Signs every session of a person out, also those that wait for their app, but one; `nil`:
    /// all. Tokens are forgotten as ``signOut(_:of:at:)`` does it.
    package func signOutEverywhere(
        of personID: String,
        except kept: String?,
        at now: Int64
    ) async throws -> SignOutOutcome {
        try await database.change { transaction in
            guard let person = try transaction.credentials(id: personID)?.person else {
                return .notFound
            }
            let left = try transaction.identitiesInUse(of: personID, except: kept, at: now)
                .compactMap(\.self)
            if let kept {
                let ended = try transaction.endSessions(
                    of: personID,
                    except: kept,
                    realmID: person.realmID,
                    at: now
                )
                guard ended > 0 else { return .signedOut(forgetting: []) }
            } else {
                try transaction.endAll(of: personID, at: now)
            }
            try transaction.note(Event(.signedOutEverywhere, of: personID, at: now))
            let forgotten = try transaction.forgetTokens(of: personID, leftBy: left, at: now)
            return .signedOut(forgetting: forgotten)
        }
    }

    /// Ends a session of that account whose person did not ask for it: what providers gave us is
    /// kept, for the next sign-in. Ending it twice changes nothing.
    ///
    /// - Parameter kind: What the event is called.
    package func end(
        sessionID: String,
        of personID: String,
        as kind: Event.Kind,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.identities(of: sessionID, of: personID) != nil else {
                return .notFound
            }
            if try transaction.endSession(sessionID, at: now) {
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
        realmID: String,
        spending: SpentOnce,
        at now: Int64
    ) async throws -> Int? {
        try await database.change { transaction in
            guard try transaction.spendAll([spending]) else { return nil }
            let ids =
                if let subject {
                    try transaction.sessions(
                        begunBy: IdentityKey(issuer: issuer, subject: subject),
                        providerSessionID: providerSessionID,
                        realmID: realmID,
                        at: now
                    )
                } else if let providerSessionID {
                    try transaction.sessions(
                        ofProviderSession: providerSessionID,
                        issuer: issuer,
                        realmID: realmID,
                        at: now
                    )
                } else {
                    [String]()
                }
            for id in ids {
                try transaction.endSession(id, realmID: realmID, at: now)
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
        realmID: String,
        at now: Int64
    ) throws -> [String] {
        try rows(
            """
            SELECT s.id FROM identities AS i
            JOIN sessions AS s ON s.person_id = i.person_id
                AND s.issuer = i.issuer AND s.subject = i.subject
            WHERE i.realm_id = $1 AND i.subject = $2 AND i.issuer = $3
                AND ($4 IS NULL OR s.provider_session_id = $4)
                AND s.ended_at IS NULL AND s.expires_at > $5
            """,
            [
                .text(realmID), .text(key.subject), .text(key.issuer),
                SQLValue(providerSessionID), .int64(now),
            ]
        ) { try $0.text(0) }
    }

    fileprivate func sessions(
        ofProviderSession id: String,
        issuer: String,
        realmID: String,
        at now: Int64
    ) throws -> [String] {
        try rows(
            """
            SELECT s.id FROM sessions AS s
            WHERE s.provider_session_id = $1 AND s.issuer = $2 AND s.realm_id = $3
                AND s.ended_at IS NULL AND s.expires_at > $4
            """,
            [.text(id), .text(issuer), .text(realmID), .int64(now)]
        ) { try $0.text(0) }
    }
}

extension SQLReader {
    /// What a session of that person was signed in by, if by an identity; `nil`: there is no such
    /// session.
    fileprivate func identities(of sessionID: String, of personID: String) throws -> [IdentityKey]?
    {
        try first(
            "SELECT issuer, subject FROM sessions WHERE id = $1 AND person_id = $2",
            [.text(sessionID), .text(personID)]
        ) { row in
            guard let issuer = try row.optionalText(0) else { return [] }
            return [IdentityKey(issuer: issuer, subject: try row.text(1))]
        }
    }
}

extension SQLTransaction {
    /// Ends a session of whichever realm, as ``endSession(_:realmID:at:)`` does.
    ///
    /// - Returns: `false` where it had ended before, or is not there.
    @discardableResult
    func endSession(_ id: String, at now: Int64) throws -> Bool {
        let realmID = try first("SELECT realm_id FROM sessions WHERE id = $1", [.text(id)]) {
            try $0.text(0)
        }
        guard let realmID else { return false }
        return try endSession(id, realmID: realmID, at: now) == .ended
    }

    /// Counts on: sessions and hand-off codes of an earlier count are dead.
    ///
    /// - Returns: Whether there is such a person.
    @discardableResult
    func endAll(of personID: String, at now: Int64) throws -> Bool {
        guard let person = try credentials(id: personID)?.person else { return false }
        return try signOutEverywhere(personID, realmID: person.realmID, at: now) == .changed
    }
}
