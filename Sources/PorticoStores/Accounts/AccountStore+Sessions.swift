package import PorticoBytes

/// Which sessions are live, and keeping them so.
extension AccountStore {
    /// The live session of a cookie.
    package func live(cookie: Hash256, at now: Int64) async throws -> LiveAccountSession? {
        try await database.read { reader in
            let live = try reader.first(
                Self.liveByCookie,
                [.bytes(cookie.bytes), .int64(now)],
                decode: LiveAccountSession.init
            )
            return try reader.withProviders(live)
        }
    }

    /// The live session of that id.
    package func live(id: UniqueID, at now: Int64) async throws -> LiveAccountSession? {
        try await database.read { reader in
            let live = try reader.first(
                Self.liveByID,
                [.bytes(id.bytes), .int64(now)],
                decode: LiveAccountSession.init
            )
            return try reader.withProviders(live)
        }
    }

    /// The live sessions of an account, the one seen last first, at most `limit`.
    package func sessions(of personID: String, at now: Int64, limit: Int) async throws
        -> [AccountSession]
    {
        try await database.read { reader in
            try reader.rows(
                Self.liveByPerson,
                [.text(personID), .int64(now), .int64(Int64(limit))],
                decode: AccountSession.init
            )
        }
    }

    /// Moves a live app session's refresh state on, as ``GrantStore/rotate(_:sessionIdle:spending:at:)`` does:
    /// of any number of concurrent calls with one generation exactly one gets `.rotated`. It counts
    /// as seen. `familyID` is the session's id.
    package func rotate(_ rotation: Rotation, at now: Int64) async throws -> RotationOutcome {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE account_sessions AS s
                SET generation = generation + 1, rotated_at = $1, idempotency_key = $2,
                    refresh_key_id = $3,
                    last_seen_at = CASE WHEN last_seen_at < $1 THEN $1 ELSE last_seen_at END
                WHERE s.id = $4 AND s.generation = $5 AND s.generation < 4294967295
                    AND EXISTS (
                        SELECT 1 FROM live_account_sessions AS l
                        WHERE l.id = s.id AND l.alive_until > $1)
                """,
                [
                    .int64(now), SQLValue(rotation.idempotencyKey), .bytes(rotation.keyID),
                    .bytes(rotation.familyID.bytes), .int64(Int64(rotation.generation)),
                ]
            )
            return changed > 0 ? .rotated : .outdated
        }
    }

    /// Notes when sessions were last seen; many at once, never backwards.
    package func touch(_ seen: [(id: UniqueID, at: Int64)]) async throws {
        guard !seen.isEmpty else { return }
        try await database.change { transaction in
            for (id, time) in seen {
                try transaction.run(
                    """
                    UPDATE account_sessions SET last_seen_at = $1
                    WHERE id = $2 AND last_seen_at < $1
                    """,
                    [.int64(time), .bytes(id.bytes)]
                )
            }
        }
    }
}

extension AccountStore {
    private static let liveByCookie = withPerson("s.cookie_hash = $1")
    private static let liveByID = withPerson("s.id = $1")

    /// - Parameter found: What names the session.
    private static func withPerson(_ found: StaticString) -> SQLText {
        """
        SELECT \(AccountSessionColumn.self, of: "s"), \(PersonColumn.self, of: "p")
        FROM live_account_sessions AS s JOIN people AS p ON p.id = s.person_id
        WHERE \(found) AND s.alive_until > $2
        """
    }

    private static let liveByPerson: SQLText = """
        SELECT \(AccountSessionColumn.self, of: "s") FROM live_account_sessions AS s
        WHERE s.person_id = $1 AND s.alive_until > $2
        ORDER BY s.last_seen_at DESC, s.id DESC LIMIT $3
        """
}

extension SQLReader {
    fileprivate func withProviders(_ live: LiveAccountSession?) throws -> LiveAccountSession? {
        guard var live else { return nil }
        live.providers = try providers(of: live.person.id)
        return live
    }
}

/// Giving an app its session (docs/decisions/0013).
extension AccountStore {
    /// Redeems a hand-off code (docs/decisions/0013). Of any number of concurrent presentations
    /// exactly one gets `.redeemed`; a presentation that is wrong in any respect spends the code. A
    /// second one that is right in every respect ends the session that the first one got (RFC 6749
    /// §4.1.2).
    package func redeem(_ presentation: HandOffPresentation, at now: Int64) async throws
        -> HandOffRedemption
    {
        try await database.change { transaction in
            guard try transaction.activate(presentation, at: now) else {
                return try transaction.refuse(presentation, at: now)
            }
            guard let (live, isNew) = try transaction.redeemed(presentation.codeHash) else {
                throw SQLError(.corrupt, code: 0)
            }
            try transaction.note(.handOffRedeemed, ofSession: live.session.id, at: now)
            return .redeemed(live, isNew: isNew)
        }
    }
}

extension SQLTransaction {
    /// One statement decides: the code's first use, what it is bound to, and that its account is
    /// still there.
    fileprivate func activate(_ presentation: HandOffPresentation, at now: Int64) throws -> Bool {
        let changed = try run(
            """
            UPDATE account_sessions AS s
            SET is_active = TRUE, code_spent_at = $1, last_seen_at = $1, generation = $2,
                refresh_secret = $3, refresh_key_id = $4, rotated_at = $5, idempotency_key = $6
            WHERE s.code_hash = $7
                AND s.app = $8 AND s.redirect_hash = $9 AND s.challenge = $10
                AND EXISTS (
                    SELECT 1 FROM live_account_sessions AS l
                    WHERE l.id = s.id AND l.waits_until > $1)
            """,
            [.int64(now)] + presentation.refresh.values + [
                .bytes(presentation.codeHash.bytes), .text(presentation.app),
                .bytes(presentation.redirectHash.bytes), .bytes(presentation.challenge.bytes),
            ]
        )
        return changed > 0
    }

    /// Spends a code that was presented wrongly (docs/decisions/0033), and says why it is not good.
    fileprivate func refuse(_ presentation: HandOffPresentation, at now: Int64) throws
        -> HandOffRedemption
    {
        guard let code = try waiting(for: presentation.codeHash) else { return .unknown }
        let refusal = code.refusal(of: presentation, at: now)
        if code.isSpent {
            if code.isBound(to: presentation) { try end(code.sessionID, at: now) }
        } else {
            try run(
                """
                UPDATE account_sessions SET code_spent_at = $1
                WHERE code_hash = $2 AND code_spent_at IS NULL
                """,
                [.int64(now), .bytes(presentation.codeHash.bytes)]
            )
        }
        try note(.handOffRefused, ofSession: code.sessionID, at: now)
        return .refused(refusal)
    }

    private func waiting(for codeHash: Hash256) throws -> KeptHandOff? {
        try first(
            """
            SELECT id, code_spent_at IS NOT NULL, app, redirect_hash, challenge, code_expires_at
            FROM account_sessions WHERE code_hash = $1
            """,
            [.bytes(codeHash.bytes)]
        ) { row in
            KeptHandOff(
                sessionID: try row.uniqueID(0),
                isSpent: try row.bool(1),
                app: try row.text(2),
                redirectHash: try row.hash(3),
                challenge: try row.hash(4),
                expiresAt: try row.int64(5)
            )
        }
    }

    /// The session that a code has just brought.
    fileprivate func redeemed(_ codeHash: Hash256) throws -> (LiveAccountSession, isNew: Bool)? {
        let found = try first(
            Statement.byCode,
            [.bytes(codeHash.bytes)]
        ) { row in
            (
                try LiveAccountSession(row),
                isNew: try row.bool(AccountSessionColumn.count + PersonColumn.count)
            )
        }
        guard case (var live, let isNew)? = found else { return nil }
        live.providers = try providers(of: live.person.id)
        return (live, isNew: isNew)
    }
}

/// What is kept of a hand-off code, and of what it is bound to.
private struct KeptHandOff {
    let sessionID: UniqueID
    let isSpent: Bool
    let app: String
    let redirectHash: Hash256
    let challenge: Hash256
    let expiresAt: Int64

    func refusal(of presentation: HandOffPresentation, at now: Int64) -> HandOffRefusal {
        if isSpent { return .alreadyUsed }
        if expiresAt <= now { return .expired }
        if !sameBytes(app, presentation.app) { return .otherApp }
        if redirectHash != presentation.redirectHash { return .otherRedirect }
        if challenge != presentation.challenge { return .wrongVerifier }
        return .accountGone
    }

    func isBound(to presentation: HandOffPresentation) -> Bool {
        sameBytes(app, presentation.app) && redirectHash == presentation.redirectHash
            && challenge == presentation.challenge
    }
}

/// Ending sessions.
extension AccountStore {
    /// Signs a session of that account out. Doing it twice changes nothing.
    ///
    /// The tokens that providers gave us to keep are forgotten with it, and answered once: that of
    /// the identity that the session was signed in by, where no other session of the account was
    /// that is live or waits for its app; and with the account's last such session those of all its
    /// identities, also of one that was only linked. Of any number of concurrent calls one gets a
    /// token, and none gets one that a sign-in has brought whose session is left.
    package func signOut(_ sessionID: UniqueID, of personID: String, at now: Int64) async throws
        -> SignOutOutcome
    {
        try await database.change { transaction in
            guard let identity = try transaction.identity(of: sessionID, of: personID) else {
                return .notFound
            }
            guard try transaction.end(sessionID, at: now) else {
                return .signedOut(forgetting: [])
            }
            try transaction.note(.signedOut, ofSession: sessionID, at: now)
            let forgotten = try transaction.forgetTokens(of: personID, leftBy: [identity], at: now)
            return .signedOut(forgetting: forgotten)
        }
    }

    /// Signs every session of an account out, also those that wait for their app, but one; `nil`:
    /// all. Tokens are forgotten as ``signOut(_:of:at:)`` does it.
    package func signOutEverywhere(
        of personID: String,
        except kept: UniqueID?,
        at now: Int64
    ) async throws -> SignOutOutcome {
        try await database.change { transaction in
            let left = try transaction.identitiesInUse(of: personID, except: kept, at: now)
            if let kept {
                // It goes along with the count; one that an earlier count has ended stays behind.
                try transaction.run(
                    """
                    UPDATE account_sessions SET epoch = epoch + 1
                    WHERE id = $1 AND person_id = $2
                    """,
                    [.bytes(kept.bytes), .text(personID)]
                )
            }
            guard try transaction.endAll(of: personID, at: now) else { return .notFound }
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
        sessionID: UniqueID,
        of personID: String,
        as kind: Event.Kind,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.identity(of: sessionID, of: personID) != nil else {
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
        realmID: String,
        at now: Int64
    ) throws -> [UniqueID] {
        try rows(
            """
            SELECT s.id FROM identities AS i
            JOIN account_sessions AS s ON s.person_id = i.person_id
                AND s.issuer = i.issuer AND s.subject = i.subject
            WHERE i.realm_id = $1 AND i.subject = $2 AND i.issuer = $3
                AND ($4 IS NULL OR s.provider_session_id = $4)
                AND s.ended_at IS NULL AND s.expires_at > $5
            """,
            [
                .text(realmID), .text(key.subject), .text(key.issuer),
                SQLValue(providerSessionID), .int64(now),
            ]
        ) { try $0.uniqueID(0) }
    }

    fileprivate func sessions(
        ofProviderSession id: String,
        issuer: String,
        realmID: String,
        at now: Int64
    ) throws -> [UniqueID] {
        try rows(
            """
            SELECT s.id FROM account_sessions AS s JOIN people AS p ON p.id = s.person_id
            WHERE s.provider_session_id = $1 AND s.issuer = $2 AND p.realm_id = $3
                AND s.ended_at IS NULL AND s.expires_at > $4
            """,
            [.text(id), .text(issuer), .text(realmID), .int64(now)]
        ) { try $0.uniqueID(0) }
    }
}

extension SQLReader {
    /// What a session of that account was signed in by.
    fileprivate func identity(of sessionID: UniqueID, of personID: String) throws
        -> IdentityKey?
    {
        try first(
            "SELECT issuer, subject FROM account_sessions WHERE id = $1 AND person_id = $2",
            [.bytes(sessionID.bytes), .text(personID)]
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
    /// - Returns: Whether there is such a person.
    @discardableResult
    func endAll(of personID: String, at now: Int64) throws -> Bool {
        guard let person = try credentials(id: personID)?.person else { return false }
        return try signOutEverywhere(personID, realmID: person.realmID, at: now) == .changed
    }
}

private enum Statement {
    static let byCode: SQLText = """
        SELECT \(AccountSessionColumn.self, of: "s"), \(PersonColumn.self, of: "p"), s.is_new
        FROM account_sessions AS s JOIN people AS p ON p.id = s.person_id
        WHERE s.code_hash = $1
        """
}
