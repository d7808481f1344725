package import PorticoBytes

/// Keeps browser sessions.
///
/// A session is live while it has not ended, `expiresAt` lies ahead, it was seen after
/// `now - idle`, and its person is enabled, was not signed out everywhere since, and has a
/// `notBefore` not later than its `authenticatedAt`. All times are seconds since 1970.
///
/// Where a session is ended, each client with a back-channel logout URI that got a grant in it is put
/// down to be told, once, in the same transaction (``LogoutDeliveryStore``).
package struct BrowserSessionStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps that a person proved who they are in a browser: the session of the cookie it had goes on
    /// where it is that person's, and ends where it is another's. The cookie is a new one in any case
    /// (WEB-SESS-1).
    ///
    /// A session goes on where it has not ended and not expired, and its person was not signed out
    /// everywhere since; it need not have been used lately. It keeps `id` and `createdAt` and takes over
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
        _ session: BrowserSession,
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

    /// The live session of a cookie with its person.
    package func live(cookie: Hash256, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveBrowserSession?
    {
        try await database.read { reader in
            try reader.first(
                Self.liveByCookie,
                [.bytes(cookie.bytes), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: LiveBrowserSession.init
            )
        }
    }

    /// The live session of that `sid` with its person.
    package func live(id: String, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveBrowserSession?
    {
        try await database.read { reader in
            try reader.first(
                Self.liveByID,
                [.text(id), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: LiveBrowserSession.init
            )
        }
    }

    /// The session of that `sid` that can be signed out of, with its person: a live one, however long it
    /// was idle, or one that has expired and that an app with times of its own lives on in
    /// (``GrantStore``).
    package func open(id: String, realmID: String, at now: Int64) async throws
        -> LiveBrowserSession?
    {
        try await database.read { reader in
            try reader.first(
                Self.openByID,
                [.text(id), .text(realmID), .int64(now)],
                decode: LiveBrowserSession.init
            )
        }
    }

    /// The session of a cookie that can be signed out of, as ``open(id:realmID:at:)`` has it.
    package func open(cookie: Hash256, realmID: String, at now: Int64) async throws
        -> LiveBrowserSession?
    {
        try await database.read { reader in
            try reader.first(
                Self.openByCookie,
                [.bytes(cookie.bytes), .text(realmID), .int64(now)],
                decode: LiveBrowserSession.init
            )
        }
    }

    /// Ends a session: every grant that hangs on it is dead from then on. Ending it twice changes
    /// nothing.
    package func end(id: String, realmID: String, at now: Int64) async throws -> Change {
        try await database.change { transaction in
            try transaction.endSession(id, realmID: realmID, at: now) ? .changed : .notFound
        }
    }

    /// Notes when sessions were last used; many at once, never backwards.
    package func touch(_ seen: [(id: String, at: Int64)]) async throws {
        guard !seen.isEmpty else { return }
        try await database.change { transaction in
            for (id, time) in seen {
                try transaction.run(
                    """
                    UPDATE browser_sessions SET last_seen_at = $1
                    WHERE id = $2 AND last_seen_at < $1
                    """,
                    [.int64(time), .text(id)]
                )
            }
        }
    }

    /// Removes sessions that ended, or expired, before `time`, where no grant needs them.
    ///
    /// Grants do not need ended sessions: one without its session is as dead. One that expired stays
    /// as long as a grant with times of its own lives in it.
    package func purge(before time: Int64) async throws {
        try await database.purge(
            before: time,
            from: .text(""),
            """
            SELECT s.id FROM browser_sessions AS s
            WHERE s.id > $1 AND (s.ended_at < $2
                OR (s.expires_at < $2 AND NOT EXISTS (
                    SELECT 1 FROM grants AS g
                    WHERE g.session_id = s.id AND g.has_own_times AND NOT g.is_offline
                        AND g.refused_at IS NULL AND g.revoked_at IS NULL
                        AND (g.expires_at IS NULL OR g.expires_at >= $2)
                        AND (g.generation IS NULL OR g.rotated_at + g.idle_seconds >= $2)))
                OR NOT EXISTS (SELECT 1 FROM people AS p WHERE p.id = s.person_id))
            ORDER BY s.id LIMIT 200
            """,
            "DELETE FROM browser_sessions WHERE id = $1"
        )
    }
}

extension BrowserSessionStore {
    fileprivate static let insert: SQLText = """
        INSERT INTO browser_sessions (\(BrowserSessionColumn.self))
        VALUES (\(valuesOf: BrowserSessionColumn.self))
        """

    private static let liveByCookie = withPerson("s.cookie_hash = $1", live)
    private static let liveByID = withPerson("s.id = $1", live)
    private static let openByCookie = withPerson("s.cookie_hash = $1", open)
    private static let openByID = withPerson("s.id = $1", open)

    private static let live: SQLText = "s.alive_until > $3 AND s.last_seen_at > $4"
    private static let open: SQLText = "(s.alive_until > $3 OR s.apps_until > $3)"

    /// - Parameters:
    ///   - found: What names the session.
    ///   - state: Which it must be in.
    private static func withPerson(_ found: StaticString, _ state: SQLText) -> SQLText {
        """
        SELECT \(BrowserSessionColumn.self, of: "s"), \(PersonColumn.self, of: "p")
        FROM live_browser_sessions AS s JOIN people AS p ON p.id = s.person_id
        WHERE \(found) AND s.realm_id = $2 AND \(state)
        """
    }
}

extension SQLTransaction {
    /// Begins a session in place of the one of a cookie, or lets that go on.
    func begin(_ session: BrowserSession, replacing old: Hash256?) throws -> SessionBeginning {
        var another: String?
        if let old {
            if let kept = try goOn(session, cookie: old) { return .wentOn(kept) }
            another = try endAnothers(session, cookie: old)
        }
        try run(BrowserSessionStore.insert, session.values)
        return another.map(SessionBeginning.tookOver) ?? .began
    }

    /// Lets the session of a cookie go on as `session`, where it is the same person's and nothing has
    /// ended it. One that has expired goes on where an app lives on in it, which then ends when the
    /// person signs out in this browser.
    ///
    /// - Returns: The session as it is kept now.
    fileprivate func goOn(_ session: BrowserSession, cookie old: Hash256) throws -> BrowserSession?
    {
        let kept = try first(
            """
            UPDATE browser_sessions AS s
            SET cookie_hash = $1, authenticated_at = $2, acr = $3, amr = $4, device = $5,
                last_seen_at = $6, expires_at = $7
            WHERE s.cookie_hash = $8 AND s.realm_id = $9 AND s.person_id = $10
                AND s.epoch = $11
                AND EXISTS (
                    SELECT 1 FROM live_browser_sessions AS l
                    WHERE l.id = s.id AND (l.alive_until > $6 OR l.apps_until > $6))
            RETURNING id, created_at
            """,
            [
                .bytes(session.cookieHash.bytes), .int64(session.authenticatedAt),
                .text(session.acr), SQLValue(words: session.amr), .text(session.device),
                .int64(session.lastSeenAt), .int64(session.expiresAt), .bytes(old.bytes),
                .text(session.realmID), .text(session.personID), .int64(session.epoch),
            ]
        ) { (id: try $0.text(0), createdAt: try $0.int64(1)) }
        guard let kept else { return nil }
        var session = session
        session.id = kept.id
        session.createdAt = kept.createdAt
        return session
    }

    /// Ends the session of a cookie, where it is another's than the person's who signs in, and nothing
    /// else has ended it.
    ///
    /// - Returns: Its `sid`.
    fileprivate func endAnothers(_ session: BrowserSession, cookie old: Hash256) throws -> String? {
        let another = try first(
            """
            SELECT id FROM live_browser_sessions
            WHERE cookie_hash = $1 AND realm_id = $2 AND person_id <> $3
            """,
            [.bytes(old.bytes), .text(session.realmID), .text(session.personID)]
        ) { try $0.text(0) }
        guard let another else { return nil }
        try endSession(another, realmID: session.realmID, at: session.createdAt)
        return another
    }

    /// Ends a session, and puts down whom of the clients to tell. Once more changes nothing.
    ///
    /// - Returns: Whether there is such a session.
    @discardableResult
    func endSession(_ id: String, realmID: String, at now: Int64) throws -> Bool {
        try tellClients(ofSession: id, realmID: realmID)
        let changed = try run(
            """
            UPDATE browser_sessions
            SET ended_at = CASE WHEN ended_at IS NULL THEN $1 ELSE ended_at END
            WHERE id = $2 AND realm_id = $3
            """,
            [.int64(now), .text(id), .text(realmID)]
        )
        // Old tokens of it that were not swapped yet end with it (docs/decisions/0051).
        try run(
            """
            UPDATE moved_sessions SET ended_at = $1
            WHERE realm_id = $2 AND sid = $3 AND NOT is_offline AND ended_at IS NULL
            """,
            [.int64(now), .text(realmID), .text(id)]
        )
        return changed > 0
    }
}

/// Where a person is signed in.
extension BrowserSessionStore {
    /// The sessions of a person in a realm that are live, or that an app with times of its own lives on
    /// in (``GrantStore``), the one used last first, at most `limit`. Such an app's last use counts as
    /// the session's.
    package func sessions(
        of personID: String,
        realmID: String,
        at now: Int64,
        idle: Int64,
        limit: Int
    ) async throws -> [BrowserSession] {
        try await database.read { reader in
            try reader.rows(
                Self.liveByPerson,
                [
                    .int64(now), .text(personID), .text(realmID), .int64(now &- idle),
                    .int64(Int64(limit)),
                ]
            ) { row in
                var session = try BrowserSession(row)
                let used = try row.optionalInt64(BrowserSessionColumn.count)
                session.lastSeenAt = max(session.lastSeenAt, used ?? .min)
                return session
            }
        }
    }

    /// Ends a session of that person as ``end(id:realmID:at:)`` does, and no one else's. `.notFound`
    /// also where it was over before.
    package func end(id: String, of personID: String, realmID: String, at now: Int64) async throws
        -> Change
    {
        try await database.change { transaction in
            let theirs = try transaction.sessions(of: personID, realmID: realmID)
            guard let id = theirs.first(where: { sameBytes($0, id) }) else { return .notFound }
            try transaction.endSession(id, realmID: realmID, at: now)
            return .changed
        }
    }

    /// Ends every session of that person in the realm but one, all or none. Those of apps that stand
    /// apart end, too, with what the person allowed strangers (``Client/consentFingerprint``).
    ///
    /// - Returns: How many ended.
    package func endAll(
        of personID: String,
        except kept: String,
        realmID: String,
        at now: Int64
    ) async throws -> Int {
        try await database.change { transaction in
            try transaction.endSessions(of: personID, except: kept, realmID: realmID, at: now)
        }
    }
}

extension SQLTransaction {
    /// As ``BrowserSessionStore/endAll(of:except:realmID:at:)``.
    func endSessions(of personID: String, except kept: String, realmID: String, at now: Int64)
        throws -> Int
    {
        let others = try sessions(of: personID, realmID: realmID).filter { !sameBytes($0, kept) }
        for id in others { try endSession(id, realmID: realmID, at: now) }
        let atBackend = try run(
            """
            UPDATE account_sessions SET ended_at = $1 WHERE person_id = $2 AND ended_at IS NULL
            """,
            [.int64(now), .text(personID)]
        )
        try makeTokensDue(ofEndedSessionsOf: personID, at: now)
        let apart = try endAppSessions(of: personID, realmID: realmID, at: now)
        return others.count + apart + atBackend
    }
}

extension BrowserSessionStore {
    private static let liveByPerson: SQLText = """
        SELECT \(BrowserSessionColumn.self, of: "s"), (
            SELECT MAX(COALESCE(g.rotated_at, g.created_at)) FROM live_grants AS g
            WHERE g.session_id = s.id AND g.has_own_times AND NOT g.is_offline
                AND g.alive_until > $1) AS used_at
        FROM live_browser_sessions AS s
        WHERE s.person_id = $2 AND s.realm_id = $3
            AND ((s.alive_until > $1 AND s.last_seen_at > $4) OR s.apps_until > $1)
        ORDER BY CASE WHEN used_at > s.last_seen_at THEN used_at ELSE s.last_seen_at END DESC,
            s.id DESC LIMIT $5
        """
}

extension SQLReader {
    /// The sessions of a person that nothing has ended. One that has expired counts, too: a client's
    /// own may have outlived it.
    fileprivate func sessions(of personID: String, realmID: String) throws -> [String] {
        try rows(
            """
            SELECT id FROM live_browser_sessions WHERE person_id = $1 AND realm_id = $2
            """,
            [.text(personID), .text(realmID)]
        ) { try $0.text(0) }
    }
}

/// Whether a session proves its person (docs/decisions/0081).
extension BrowserSessionStore {
    /// How recently a person must have proven who they are to change their account, in seconds.
    package static let freshness: Int64 = 300

    /// What a change of an account asks of the session that it is made in.
    package enum Proof: Sendable {
        /// The person has proven who they are lately, and with a second factor if they have one now.
        case now
        /// With a second factor if they have one now, whenever that was: something else proves that
        /// they are there, such as a code from their mailbox.
        case strength
    }

    /// Whether the session is as good a proof of its person as that.
    ///
    /// A store method that changes an account asks the same in its transaction.
    package func proves(_ session: BrowserSession, _ proof: Proof, at now: Int64) async throws
        -> Bool
    {
        try await database.read { try $0.proves(session, proof, at: now) }
    }
}

extension SQLReader {
    /// Whether a session is live, and as good a proof of its person as that. What counts is the session
    /// as it is kept, and what the person has now.
    func proves(_ session: BrowserSession, _ proof: BrowserSessionStore.Proof, at now: Int64) throws
        -> Bool
    {
        let since: Int64 =
            switch proof {
            case .now: now &- BrowserSessionStore.freshness
            case .strength: .min
            }
        return try hasRow(
            """
            SELECT 1 FROM live_browser_sessions AS s
            WHERE s.id = $1 AND s.realm_id = $2 AND s.person_id = $3 AND s.epoch = $4
                AND s.alive_until > $5 AND s.authenticated_at >= $6
                AND (' ' || s.amr || ' ' LIKE '% otp %' OR NOT EXISTS (
                    SELECT 1 FROM credentials AS c
                    WHERE c.person_id = s.person_id AND c.kind <> 'other'))
            """,
            [
                .text(session.id), .text(session.realmID), .text(session.personID),
                .int64(session.epoch), .int64(now), .int64(since),
            ]
        )
    }
}
