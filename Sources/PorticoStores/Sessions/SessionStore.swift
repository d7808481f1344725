package import PorticoBytes

/// Keeps where people are signed in: in browsers and apps, however they signed in.
///
/// A session is live while it has not ended, `expiresAt` lies ahead, it was seen after
/// `now - idleSeconds` (its own, or the realm's), it does not wait for its app, and its person is
/// enabled, was not signed out everywhere since, and has a `notBefore` not later than its
/// `authenticatedAt`. All times are seconds since 1970.
///
/// Where a session is ended, each client with a back-channel logout URI that got a grant in it is put
/// down to be told, once, in the same transaction (``LogoutDeliveryStore``).
package struct SessionStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps that a person proved who they are in a browser: the session of the cookie it had goes on
    /// where it is that person's, and ends where it is another's. The cookie is a new one in any case
    /// (WEB-SESS-1).
    ///
    /// A session goes on where it has not ended and not expired, and its person was not signed out
    /// everywhere since; it need not have been used lately, unless it has a limit of its own. It keeps `id` and `createdAt` and takes over
    /// all else that `session` has: no grant in it ends, and no client is told. A new session whose
    /// person was signed out everywhere after its credentials were read is dead from the start.
    ///
    /// - Parameters:
    ///   - session: As it is kept where none goes on.
    ///   - old: The hash of the cookie that the browser had.
    ///   - upgrade: A stronger hash of the password that was checked, kept in the same step. No one is
    ///     signed out by it, and it yields to a password that was changed meanwhile.
    ///   - use: The code of a second factor that proved it, spent in the same step: of any number of
    ///     concurrent calls with one code exactly one begins a session.
    @discardableResult
    package func start(
        _ session: PersonSession,
        replacing old: Hash256?,
        upgrading upgrade: PasswordUpgrade?,
        spending use: CredentialUse? = nil
    ) async throws -> SessionBeginning {
        try await database.change { transaction in
            if let use, try !transaction.spendCode(use, of: session.personID) { return .codeSpent }
            if let upgrade { try transaction.upgrade(upgrade, of: session.personID) }
            return try transaction.begin(session, replacing: old)
        }
    }

    /// Keeps that the person of a live session, whom a provider has proven, took the second step: it has a
    /// new cookie from then on (WEB-SESS-1). When and how else they signed in stays as it was.
    ///
    /// - Parameters:
    ///   - old: The hash of the cookie that it has.
    ///   - use: The code, spent in the same step.
    package func addSecondStep(
        to id: String,
        cookie: Hash256,
        replacing old: Hash256,
        spending use: CredentialUse,
        at now: Int64
    ) async throws -> SecondStepOutcome {
        try await database.change { transaction in
            let personID = try transaction.first(
                """
                SELECT person_id FROM live_sessions
                WHERE id = $1 AND cookie_hash = $2 AND alive_until > $3
                """,
                [.text(id), .bytes(old.bytes), .int64(now)]
            ) { try $0.text(0) }
            guard let personID else { return .sessionEnded }
            guard try transaction.spendCode(use, of: personID) else { return .codeSpent }
            try transaction.run(
                """
                UPDATE sessions SET cookie_hash = $1, last_seen_at = $2, amr = TRIM(amr || ' otp')
                WHERE id = $3
                """,
                [.bytes(cookie.bytes), .int64(now), .text(id)]
            )
            return .taken
        }
    }

    /// Ends a session: every grant that hangs on it is dead from then on. Ending it twice changes
    /// nothing.
    package func end(id: String, realmID: String, at now: Int64) async throws -> Change {
        try await database.change { transaction in
            switch try transaction.endSession(id, realmID: realmID, at: now) {
            case .ended, .endedBefore: .changed
            case .notFound: .notFound
            }
        }
    }

    /// Notes when sessions were last used; many at once, never backwards.
    package func touch(_ seen: [(id: String, at: Int64)]) async throws {
        guard !seen.isEmpty else { return }
        try await database.change { transaction in
            for (id, time) in seen {
                try transaction.run(
                    """
                    UPDATE sessions SET last_seen_at = $1
                    WHERE id = $2 AND last_seen_at < $1
                    """,
                    [.int64(time), .text(id)]
                )
            }
        }
    }

    /// Removes sessions that have been dead since before `time`, with their hand-off codes, where no
    /// grant needs them.
    ///
    /// Grants do not need ended sessions: one without its session is as dead. One that expired stays
    /// as long as a grant with times of its own lives in it.
    package func purge(before time: Int64) async throws {
        try await database.purge(
            before: time,
            from: .text(""),
            """
            SELECT s.id FROM sessions AS s LEFT JOIN people AS p ON p.id = s.person_id
            WHERE s.id > $1 AND (p.id IS NULL OR s.ended_at < $2
                OR (p.epoch > s.epoch AND p.signed_out_at < $2)
                OR ((s.expires_at < $2 OR s.last_seen_at + s.idle_seconds < $2
                        OR (s.generation IS NULL AND s.code_expires_at < $2))
                    AND NOT EXISTS (
                        SELECT 1 FROM grants AS g
                        WHERE g.session_id = s.id AND g.has_own_times AND NOT g.is_offline
                            AND g.refused_at IS NULL AND g.revoked_at IS NULL
                            AND (g.expires_at IS NULL OR g.expires_at >= $2)
                            AND (g.generation IS NULL OR g.rotated_at + g.idle_seconds >= $2))))
            ORDER BY s.id LIMIT 200
            """,
            "DELETE FROM sessions WHERE id = $1"
        )
    }
}

extension SessionStore {
    /// With ``PersonSession/values(isNew:)``.
    static let insert: SQLText = """
        INSERT INTO sessions (\(SessionColumn.self), \(HandOffColumn.self), is_new)
        VALUES (\(valuesOf: SessionColumn.self), $25, $26, $27, $28, $29)
        """
}

extension SQLTransaction {
    /// - Parameter isNew: Whether this sign-in made the person.
    func insert(_ session: PersonSession, isNew: Bool = false) throws {
        try run(SessionStore.insert, session.values(isNew: isNew))
    }

    /// Begins a session in place of the one of a cookie, or lets that go on.
    ///
    /// - Parameters:
    ///   - isNew: Whether this sign-in made the person.
    ///   - mayGoOn: `false`: it is a session of its own in any case.
    @discardableResult
    func begin(
        _ session: PersonSession,
        isNew: Bool = false,
        replacing old: Hash256?,
        mayGoOn: Bool = true
    ) throws -> SessionBeginning {
        var another: String?
        if let old {
            if mayGoOn, let kept = try goOn(session, cookie: old) { return .wentOn(kept) }
            another = try endFormer(session, cookie: old)
        }
        try insert(session, isNew: isNew)
        return another.map(SessionBeginning.tookOver) ?? .began
    }

    /// Lets the session of a cookie go on as `session`, where it is the same person's and nothing has
    /// ended it. One that has expired goes on where an app lives on in it, which then ends when the
    /// person signs out in this browser. One with a host's tokens does not.
    ///
    /// - Returns: The session as it is kept now.
    private func goOn(_ session: PersonSession, cookie old: Hash256) throws -> PersonSession? {
        let kept = try first(
            """
            UPDATE sessions AS s
            SET cookie_hash = $1, authenticated_at = $2, acr = $3, amr = $4, proven_at = $5,
                device = $6, last_seen_at = $7, expires_at = $8, issuer = $9, subject = $10,
                provider_session_id = $11, address = $12, idle_seconds = $13
            WHERE s.cookie_hash = $14 AND s.realm_id = $15 AND s.person_id = $16
                AND s.epoch = $17
                AND EXISTS (
                    SELECT 1 FROM live_sessions AS l
                    WHERE l.id = s.id AND (l.alive_until > $7 OR l.apps_until > $7))
                AND NOT EXISTS (SELECT 1 FROM handle_sessions AS h WHERE h.session_id = s.id)
            RETURNING id, created_at
            """,
            [
                SQLValue(session.cookieHash),
                .int64(session.authenticatedAt), .text(session.acr),
                SQLValue(words: session.amr), SQLValue(session.provenAt), .text(session.device),
                .int64(session.lastSeenAt), .int64(session.expiresAt),
                SQLValue(session.identity?.issuer), SQLValue(session.identity?.subject),
                SQLValue(session.providerSessionID), SQLValue(session.address),
                SQLValue(session.idleSeconds), .bytes(old.bytes), .text(session.realmID),
                .text(session.personID), .int64(session.epoch),
            ]
        ) { (id: try $0.text(0), createdAt: try $0.int64(1)) }
        guard let kept else { return nil }
        var session = session
        session.id = kept.id
        session.createdAt = kept.createdAt
        return session
    }

    /// Ends the session of a cookie, where nothing else has. One of the same person that has expired is
    /// over without that: no client is told.
    ///
    /// - Returns: Its `sid`, where it is another's than the person's who signs in.
    private func endFormer(_ session: PersonSession, cookie old: Hash256) throws -> String? {
        let former = try first(
            """
            SELECT id, person_id FROM live_sessions
            WHERE cookie_hash = $1 AND realm_id = $2 AND (person_id <> $3 OR alive_until > $4)
            """,
            [
                .bytes(old.bytes), .text(session.realmID), .text(session.personID),
                .int64(session.createdAt),
            ]
        ) { (id: try $0.text(0), personID: try $0.text(1)) }
        guard let former else { return nil }
        try endSession(former.id, realmID: session.realmID, at: session.createdAt)
        return sameBytes(former.personID, session.personID) ? nil : former.id
    }

    /// Ends a session: puts down whom of the clients to tell, and makes a host's tokens due. Once more
    /// changes nothing.
    @discardableResult
    func endSession(_ id: String, realmID: String, at now: Int64) throws -> SessionEnding {
        try tellClients(ofSession: id, realmID: realmID)
        // Old tokens of it that were not swapped yet end with it (docs/decisions/0051).
        try run(
            """
            UPDATE moved_sessions SET ended_at = $1
            WHERE realm_id = $2 AND sid = $3 AND NOT is_offline AND ended_at IS NULL
            """,
            [.int64(now), .text(realmID), .text(id)]
        )
        let changed = try run(
            """
            UPDATE sessions SET ended_at = $1
            WHERE id = $2 AND realm_id = $3 AND ended_at IS NULL
            """,
            [.int64(now), .text(id), .text(realmID)]
        )
        guard changed > 0 else {
            let isThere = try hasRow(
                "SELECT 1 FROM sessions WHERE id = $1 AND realm_id = $2",
                [.text(id), .text(realmID)]
            )
            return isThere ? .endedBefore : .notFound
        }
        try makeTokensDue(ofSession: id, at: now)
        return .ended
    }
}
