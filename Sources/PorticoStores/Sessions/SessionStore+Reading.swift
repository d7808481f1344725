package import PorticoBytes

/// Which sessions of a realm's browsers are live.
extension SessionStore {
    /// The live session of a cookie with its person.
    package func live(cookie: Hash256, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveSession?
    {
        try await database.read { reader in
            try reader.first(
                Self.liveByCookie,
                [.bytes(cookie.bytes), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: LiveSession.init
            )
        }
    }

    /// The live session of that `sid` with its person.
    package func live(id: String, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveSession?
    {
        try await database.read { reader in
            try reader.first(
                Self.liveByID,
                [.text(id), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: LiveSession.init
            )
        }
    }

    /// The session of that `sid` that can be signed out of, with its person: a live one, however long it
    /// was idle, or one that has expired and that an app with times of its own lives on in
    /// (``GrantStore``).
    package func open(id: String, realmID: String, at now: Int64) async throws -> LiveSession? {
        try await database.read { reader in
            try reader.first(
                Self.openByID,
                [.text(id), .text(realmID), .int64(now)],
                decode: LiveSession.init
            )
        }
    }

    /// The session of a cookie that can be signed out of, as ``open(id:realmID:at:)`` has it.
    package func open(cookie: Hash256, realmID: String, at now: Int64) async throws
        -> LiveSession?
    {
        try await database.read { reader in
            try reader.first(
                Self.openByCookie,
                [.bytes(cookie.bytes), .text(realmID), .int64(now)],
                decode: LiveSession.init
            )
        }
    }
}

/// Which sessions are live, also where a provider has proven a person who has a second step here.
extension SessionStore {
    /// The live session of a cookie with its person and their providers.
    package func liveByFirstStep(cookie: Hash256, realmID: String, at now: Int64, idle: Int64)
        async throws -> LiveSession?
    {
        try await database.read { reader in
            let live = try reader.first(
                Self.backendsByCookie,
                [.bytes(cookie.bytes), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: LiveSession.init
            )
            return try reader.withProviders(live)
        }
    }

    /// The same session with the providers of its person.
    package func withProviders(_ live: LiveSession?) async throws -> LiveSession? {
        guard let live else { return nil }
        return try await database.read { try $0.withProviders(live) }
    }

    /// The live session of that id with its person and their providers.
    package func liveByFirstStep(id: String, realmID: String, at now: Int64, idle: Int64)
        async throws -> LiveSession?
    {
        try await database.read { reader in
            let live = try reader.first(
                Self.backendsByID,
                [.text(id), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: LiveSession.init
            )
            return try reader.withProviders(live)
        }
    }
}

extension SQLReader {
    func withProviders(_ live: LiveSession?) throws -> LiveSession? {
        guard var live else { return nil }
        live.providers = try providers(of: live.person.id)
        return live
    }
}

/// Where a person is signed in.
extension SessionStore {
    /// The sessions of a person in a realm that are live, or that an app with times of its own lives on
    /// in (``GrantStore``), the one used last first, at most `limit`. Such an app's last use counts as
    /// the session's.
    package func sessions(
        of personID: String,
        realmID: String,
        at now: Int64,
        idle: Int64,
        limit: Int
    ) async throws -> [PersonSession] {
        try await database.read { reader in
            try reader.rows(
                Self.liveByPerson,
                [
                    .int64(now), .text(personID), .text(realmID), .int64(now &- idle),
                    .int64(Int64(limit)),
                ]
            ) { row in
                var session = try PersonSession(row)
                let used = try row.optionalInt64(SessionColumn.count)
                session.lastSeenAt = max(session.lastSeenAt, used ?? .min)
                return session
            }
        }
    }
}

extension SessionStore {
    private static let liveByCookie = withPerson("s.cookie_hash = $1", stepped)
    private static let liveByID = withPerson("s.id = $1", stepped)
    private static let backendsByCookie = withPerson("s.cookie_hash = $1", live)
    private static let backendsByID = withPerson("s.id = $1", live)
    private static let openByCookie = withPerson("s.cookie_hash = $1", open)
    private static let openByID = withPerson("s.id = $1", open)

    private static let live: SQLText =
        "s.alive_until > $3 AND (s.idle_seconds IS NOT NULL OR s.last_seen_at > $4)"
    /// A sign-in at a provider asked for no second step: it is none at the realm of a person who has one.
    private static let stepped: SQLText = """
        \(live) AND (s.issuer IS NULL OR \(SQLText.hasSecondStep))
        """
    private static let open: SQLText = "(s.alive_until > $3 OR s.apps_until > $3)"

    /// - Parameters:
    ///   - found: What names the session.
    ///   - state: Which it must be in.
    private static func withPerson(_ found: StaticString, _ state: SQLText) -> SQLText {
        """
        SELECT \(SessionColumn.self, of: "s"), \(PersonColumn.self, of: "p")
        FROM live_sessions AS s JOIN people AS p ON p.id = s.person_id
        WHERE \(found) AND s.realm_id = $2 AND \(state)
        """
    }

    private static let liveByPerson: SQLText = """
        SELECT \(SessionColumn.self, of: "s"), (
            SELECT MAX(COALESCE(g.rotated_at, g.created_at)) FROM live_grants AS g
            WHERE g.session_id = s.id AND g.has_own_times AND NOT g.is_offline
                AND g.alive_until > $1) AS used_at
        FROM live_sessions AS s
        WHERE s.person_id = $2 AND s.realm_id = $3
            AND ((s.alive_until > $1 AND (s.idle_seconds IS NOT NULL OR s.last_seen_at > $4))
                OR s.apps_until > $1)
        ORDER BY CASE WHEN used_at > s.last_seen_at THEN used_at ELSE s.last_seen_at END DESC,
            s.id DESC LIMIT $5
        """
}

/// Whether a session proves its person (docs/decisions/0081).
extension SessionStore {
    /// How recently a person must have proven who they are to change their account, in seconds.
    package static let freshness: Int64 = 300

    /// What a change of an account asks of the session that it is made in.
    package enum Proof: Sendable {
        /// The person has proven who they are lately, by the method that they signed in by, or a provider's
        /// by a mailed code; and with a second factor if they have one now.
        case now
        /// With a second factor if they have one now, whenever that was: something else proves that
        /// they are there, such as a code from their mailbox.
        case strength
    }

    /// Whether the session is as good a proof of its person as that.
    ///
    /// A store method that changes an account asks the same in its transaction.
    package func proves(_ session: PersonSession, _ proof: Proof, at now: Int64) async throws
        -> Bool
    {
        try await database.read { try $0.proves(session, proof, at: now) }
    }
}

extension SQLReader {
    /// Whether a session is live, and as good a proof of its person as that. What counts is the session
    /// as it is kept, and what the person has now.
    func proves(_ session: PersonSession, _ proof: SessionStore.Proof, at now: Int64) throws
        -> Bool
    {
        let since: Int64? =
            switch proof {
            case .now: now &- SessionStore.freshness
            case .strength: nil
            }
        return try hasRow(
            """
            SELECT 1 FROM live_sessions AS s
            WHERE s.id = $1 AND s.realm_id = $2 AND s.person_id = $3 AND s.epoch = $4
                AND s.alive_until > $5 AND ($6 IS NULL OR (s.proven_at >= $6
                    AND (s.issuer IS NOT NULL OR s.authenticated_at >= $6)))
                AND \(SQLText.hasSecondStep)
            """,
            [
                .text(session.id), .text(session.realmID), .text(session.personID),
                .int64(session.epoch), .int64(now), SQLValue(since),
            ]
        )
    }
}

extension SQLText {
    /// Whether a session `s` has asked for a second factor, if its person has one now.
    fileprivate static let hasSecondStep: SQLText = """
        (' ' || s.amr || ' ' LIKE '% otp %' OR NOT EXISTS (
            SELECT 1 FROM credentials AS c
            WHERE c.person_id = s.person_id AND c.kind <> 'other'))
        """
}
