package import PorticoBytes
package import PorticoProtocol

/// Keeps grants.
///
/// A grant is **live** while it is not refused or revoked, `expiresAt` lies ahead, its refresh
/// state (where it has one) was rotated after `now - idleSeconds`, its client is kept, its person
/// (where it has one) is enabled, was not signed out everywhere
/// since, and has a `notBefore` not later than `createdAt`, and, unless it is offline, its browser
/// session (where it has one) has not ended and, unless the grant has times of its own, has not
/// expired. All times are seconds since 1970.
///
/// Every event takes what its request has that is good once, and spends it in the same transaction:
/// where some of it was spent before, nothing else happens and the answer says so.
package struct GrantStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Spends an authorization code and keeps the grant it stands for
    /// (docs/decisions/0033).
    ///
    /// Of any number of concurrent calls with one grant id, or with one request id, exactly one
    /// gets `.redeemed`, and only while the browser session and person it names are live, and if the
    /// person has not removed the client since the code was issued. It is
    /// called for a presentation that is right in every respect, so a second one revokes, in the
    /// same step, what the first one issued (RFC 6749 §4.1.2).
    ///
    /// - Parameter issuedAt: When the code was issued; `nil` where none is behind the request.
    /// - Parameter derivation: Where another app handed the sign-in on. Only while the grant of that
    ///   app is live; and of any number of codes from one login token exactly one is redeemed, and
    ///   the others get `.loginTokenSpent`.
    /// - Parameter client: Whose it is: one that is taken from its document is kept with the grant. Where
    ///   another has been registered under its address meanwhile, the answer is `.sessionEnded`.
    /// - Parameter challenge: What is good for one code only. With one that was spent before the
    ///   code is spent as a wrong one is, and what came of the first code lives on.
    package func redeem(
        _ grant: Grant,
        requestID: UniqueID,
        issuedAt: Int64?,
        derivedBy derivation: Derivation? = nil,
        of client: Client? = nil,
        spending used: [SpentOnce],
        once challenge: SpentOnce? = nil,
        at now: Int64
    ) async throws -> Redemption {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            // One statement decides: liveness, the code's first use and the request's first use.
            let isFirst = try transaction.hasRow(
                Self.redeem,
                grant.values
                    + [
                        .bytes(requestID.bytes), SQLValue(derivation?.loginTokenID),
                        SQLValue(derivation?.parentID), .int64(now), SQLValue(issuedAt),
                    ]
            )
            if isFirst {
                guard let challenge, let kind = try transaction.spend([challenge]) else {
                    guard let client, try !transaction.keep(client, at: now) else {
                        return .redeemed
                    }
                    try transaction.revoke(grant.id, at: now)
                    return .sessionEnded
                }
                try transaction.run(
                    "UPDATE grants SET refused_at = $1 WHERE id = $2",
                    [.int64(now), .bytes(grant.id.bytes)]
                )
                return .spentBefore(kind)
            }
            if try transaction.hasRow(
                "SELECT 1 FROM grants WHERE id = $1",
                [.bytes(grant.id.bytes)]
            ) {
                // RFC 6749 §4.1.2: revoke what the first use issued.
                try transaction.revoke(grant.id, at: now)
                return .replayed
            }
            if try transaction.isAnswered(requestID) { return .replayed }
            if let id = derivation?.loginTokenID, try transaction.isSpent(loginToken: id) {
                return .loginTokenSpent
            }
            return .sessionEnded
        }
    }

    /// Spends an authorization code that was presented wrongly: keeps its id as refused, so that
    /// it is never good again. Does nothing where it was redeemed before. `.redeemed` says here
    /// that this call spent it. A login token behind it stays good: it proves nothing that is wrong.
    package func refuse(
        _ grant: Grant,
        requestID: UniqueID,
        spending used: [SpentOnce],
        at now: Int64
    ) async throws -> Redemption {
        try await keep(grant, [SQLValue(requestID), .int64(now), .null], spending: used)
    }

    /// Keeps a grant that no code stands for (client_credentials).
    package func insert(_ grant: Grant, spending used: [SpentOnce], at now: Int64)
        async throws -> Redemption
    {
        try await keep(grant, [.null, .null, .null], spending: used)
    }

    /// Keeps a grant for a person's password, with the session that it hangs on and that begins with
    /// it. Where the person's ``PersonSession/epoch`` has changed since the password was judged, or they
    /// are disabled, neither is kept and the answer is `.sessionEnded`.
    package func insert(
        _ grant: Grant,
        beginning session: PersonSession,
        spending used: [SpentOnce],
        at now: Int64
    ) async throws -> Redemption {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            let more: [SQLValue] = [.null, .null, .int64(session.epoch)]
            guard try transaction.hasRow(Self.keep, grant.values + more) else {
                return .sessionEnded
            }
            _ = try transaction.begin(session, replacing: nil)
            return .redeemed
        }
    }

    private func keep(_ grant: Grant, _ more: [SQLValue], spending used: [SpentOnce])
        async throws -> Redemption
    {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            return try transaction.hasRow(Self.keep, grant.values + more) ? .redeemed : .replayed
        }
    }

    /// The clients (their ids) of a grant and of those that it is derived from, its own first.
    package func clients(behind id: UniqueID) async throws -> [String] {
        try await database.read { reader in
            try reader.rows(
                """
                WITH RECURSIVE above (id, client_id, parent_id, depth) AS (
                    SELECT id, client_id, parent_id, 0 FROM grants WHERE id = $1
                    UNION ALL SELECT g.id, g.client_id, g.parent_id, a.depth + 1
                    FROM grants AS g JOIN above AS a ON g.id = a.parent_id)
                SELECT client_id FROM above ORDER BY depth
                """,
                [.bytes(id.bytes)]
            ) { try $0.text(0) }
        }
    }

    /// Whether a grant was made, or refused, for that authorization request (RFC 9126 §4).
    package func isAnswered(requestID: UniqueID) async throws -> Bool {
        try await database.read { try $0.isAnswered(requestID) }
    }

    /// Whether a code that a login token led to was redeemed.
    package func isSpent(loginToken id: UniqueID) async throws -> Bool {
        try await database.read { try $0.isSpent(loginToken: id) }
    }

    /// Spends what is good once, and does nothing else.
    package func spend(_ used: [SpentOnce], at now: Int64) async throws -> Spending {
        try await database.change { try $0.spend(used).map(Spending.spentBefore) ?? .spent }
    }
}

extension GrantStore {
    private static let redeem: SQLText = """
        INSERT INTO grants (\(GrantColumn.self), request_id, epoch, login_token_id, parent_id)
        SELECT \(valuesOf: GrantColumn.self), $23,
            COALESCE((SELECT epoch FROM people WHERE id = $4), 0), $24, $25
        WHERE ($4 IS NULL OR EXISTS (
                SELECT 1 FROM people AS p
                WHERE p.id = $4 AND p.realm_id = $2 AND p.is_enabled AND p.not_before <= $12))
            AND ($5 IS NULL OR EXISTS (
                SELECT 1 FROM live_sessions AS s
                WHERE s.id = $5 AND s.realm_id = $2 AND s.person_id = $4 AND s.alive_until > $26))
            AND ($25 IS NULL OR EXISTS (
                SELECT 1 FROM live_grants AS l
                WHERE l.id = $25 AND l.person_id = $4 AND l.alive_until > $26))
            AND NOT EXISTS (
                SELECT 1 FROM removed_apps AS r
                WHERE r.person_id = $4 AND r.client_id = $3 AND r.removed_at >= $27)
        ON CONFLICT DO NOTHING RETURNING id
        """

    static let keep: SQLText = """
        INSERT INTO grants (\(GrantColumn.self), request_id, refused_at, epoch)
        SELECT \(valuesOf: GrantColumn.self), $23, $24,
            COALESCE((SELECT epoch FROM people WHERE id = $4), 0)
        WHERE ($25 IS NULL OR EXISTS (
            SELECT 1 FROM people AS p
            WHERE p.id = $4 AND p.realm_id = $2 AND p.is_enabled AND p.epoch = $25))
        ON CONFLICT DO NOTHING RETURNING id
        """
}

extension SQLReader {
    fileprivate func isAnswered(_ requestID: UniqueID) throws -> Bool {
        try hasRow("SELECT 1 FROM grants WHERE request_id = $1", [.bytes(requestID.bytes)])
    }

    fileprivate func isSpent(loginToken id: UniqueID) throws -> Bool {
        try hasRow("SELECT 1 FROM grants WHERE login_token_id = $1", [.bytes(id.bytes)])
    }
}

/// Reading, rotating and ending grants.
extension GrantStore {
    /// The grant of that id, live or not, with its person and their roles, and with what they have
    /// allowed its client.
    package func grant(id: UniqueID, realmID: String, at now: Int64) async throws -> GrantReading? {
        try await database.read { reader in
            let key: [SQLValue] = [.bytes(id.bytes), .text(realmID)]
            let live = try reader.first(Self.liveByID, key + [.int64(now)]) {
                try GrantReading($0, isLive: true)
            }
            let reading =
                try live
                ?? reader.first(Self.byID, key) {
                    try GrantReading($0, isLive: false)
                }
            guard var reading else { return nil }
            if let person = reading.person?.person {
                reading.person = try reader.withRoles(person)
            }
            return reading
        }
    }

    /// Moves a live grant's refresh state from `generation` to the next: of any number of
    /// concurrent calls with one generation exactly one gets `.rotated`.
    ///
    /// Unless the grant is offline, that is a use of its browser session: noted in the same step, where
    /// the last one was noted five minutes ago or more (``SessionActivity/precision``). A session that
    /// no one used for `sessionIdle` seconds stays unused.
    ///
    /// - Parameter key: The key that a grant which is bound to none is bound to from the next
    ///   generation on (RFC 9449 §5).
    package func rotate(
        _ rotation: Rotation,
        sessionIdle: Int64,
        binding key: JWKThumbprint? = nil,
        spending used: [SpentOnce],
        at now: Int64
    ) async throws -> RotationOutcome {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            let changed = try transaction.run(
                """
                UPDATE grants AS g
                SET generation = generation + 1, rotated_at = $1, idempotency_key = $2,
                    refresh_key_id = $3, dpop_jkt = COALESCE(dpop_jkt, $4)
                WHERE g.id = $5 AND g.generation = $6 AND g.generation < 4294967295
                    AND EXISTS (
                        SELECT 1 FROM live_grants AS l WHERE l.id = g.id AND l.alive_until > $1)
                """,
                [
                    .int64(now), SQLValue(rotation.idempotencyKey), .bytes(rotation.keyID),
                    SQLValue(key?.column(since: rotation.generation &+ 1)),
                    .bytes(rotation.familyID.bytes), .int64(Int64(rotation.generation)),
                ]
            )
            guard changed > 0 else { return .outdated }
            try transaction.useSession(ofGrant: rotation.familyID, idle: sessionIdle, at: now)
            return .rotated
        }
    }

    /// Ends a grant with everything issued from it, and the grants that other apps derived from it.
    /// Ending it twice changes nothing.
    package func revoke(id: UniqueID, spending used: [SpentOnce], at now: Int64)
        async throws -> Revocation
    {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            return try transaction.revoke(id, at: now) > 0 ? .revoked : .notFound
        }
    }

    /// Removes grants that have been dead since before `time`, and assertions that expired before
    /// it. A spent code's row outlives the code by a day.
    package func purge(before time: Int64) async throws {
        // Grants that can never live again, their code a day past. Those of a session that goes on
        // stay: they say who must be told of its end (OpenID Connect Back-Channel Logout §2.3). So do
        // those that others are derived from: a replay must reach them.
        try await database.purge(
            before: time,
            """
            SELECT g.id FROM grants AS g
            LEFT JOIN clients AS c ON c.id = g.client_id
            LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
            LEFT JOIN sessions AS s ON s.id = g.session_id
            WHERE g.id > $1 AND g.created_at < $2 - 86400
                AND (g.refused_at < $2 OR g.revoked_at < $2 OR g.expires_at < $2
                    OR (g.generation IS NOT NULL AND g.rotated_at + g.idle_seconds < $2)
                    OR c.id IS NULL
                    OR (g.person_id IS NOT NULL AND (p.id IS NULL
                        OR ((p.epoch > g.epoch OR p.not_before > g.created_at)
                            AND p.not_before < $2)))
                    OR (NOT g.is_offline AND g.session_id IS NOT NULL AND (s.id IS NULL
                        OR s.ended_at < $2
                        OR (s.expires_at < $2 AND NOT g.has_own_times))))
                AND (g.refused_at IS NOT NULL OR c.id IS NULL OR p.id IS NULL
                    OR s.id IS NULL OR s.ended_at IS NOT NULL OR s.expires_at < $2)
                AND NOT EXISTS (SELECT 1 FROM grants AS k WHERE k.parent_id = g.id)
            ORDER BY g.id LIMIT 200
            """,
            "DELETE FROM grants WHERE id = $1"
        )
        try await database.purgeSpent(before: time)
    }
}

extension GrantStore {
    private static let byID = reading(from: "grants", "g.id = $1 AND g.realm_id = $2")
    private static let liveByID = reading(
        from: "live_grants",
        "g.id = $1 AND g.realm_id = $2 AND g.alive_until > $3"
    )

    private static func reading(from table: StaticString, _ found: StaticString) -> SQLText {
        """
        SELECT \(GrantColumn.self, of: "g"), \(PersonColumn.self, of: "p"), o.scope,
            CASE WHEN g.parent_id IS NOT NULL AND g.login_token_id IS NULL THEN
                COALESCE((SELECT e.client_id FROM grants AS e WHERE e.id = g.parent_id), '') END,
            g.request_id IS NOT NULL
        FROM \(table) AS g
        LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
        LEFT JOIN consents AS o ON o.person_id = g.person_id AND o.client_id = g.client_id
        WHERE \(found)
        """
    }
}

extension GrantReading {
    /// Without the person's roles.
    ///
    /// - Parameter row: The columns of a grant, then those of its person, where it has one, what they
    ///   allowed, who exchanged it, and whether it was requested.
    fileprivate init(_ row: any SQLRow, isLive: Bool) throws {
        let hasPerson = try row.optionalText(GrantColumn.count) != nil
        let more = GrantColumn.count + PersonColumn.count
        let isAllowed = try row.optionalText(more) != nil
        self.init(
            grant: try Grant(row),
            isLive: isLive,
            person: hasPerson
                ? PersonWithRoles(person: try Person(row, from: GrantColumn.count), roles: [])
                : nil,
            allowed: isAllowed ? Scope(tokens: try row.words(more)) : nil,
            exchangedBy: try row.optionalText(more + 1),
            isRequested: try row.bool(more + 2)
        )
    }
}

extension SQLTransaction {
    /// Notes that a grant's browser session was used, unless the grant has left it behind.
    fileprivate func useSession(ofGrant id: UniqueID, idle: Int64, at now: Int64) throws {
        try run(
            """
            UPDATE sessions SET last_seen_at = $1
            WHERE id = (SELECT g.session_id FROM grants AS g WHERE g.id = $2 AND NOT g.is_offline)
                AND last_seen_at <= $3
                AND last_seen_at > CASE WHEN idle_seconds IS NULL THEN $4 ELSE $1 - idle_seconds END
            """,
            [
                .int64(now), .bytes(id.bytes), .int64(now &- SessionActivity.precision),
                .int64(now &- idle),
            ]
        )
    }

    /// - Returns: How many grants that ended: none if no grant has that id. The time of the first
    ///   revocation stays.
    @discardableResult
    func revoke(_ id: UniqueID, at now: Int64) throws -> Int {
        // An old token of the same session must not begin again what is ended here
        // (docs/decisions/0051).
        try run(
            """
            INSERT INTO moved_sessions (realm_id, sid, is_offline, client_id, person_id, started_at,
                ended_at)
            SELECT g.realm_id, g.session_id, g.is_offline, c.client_id, '', $1, $1
            FROM grants AS g JOIN clients AS c ON c.id = g.client_id
            WHERE g.id = $2 AND g.session_id IS NOT NULL
                AND EXISTS (SELECT 1 FROM swapped_tokens AS t WHERE t.realm_id = g.realm_id)
            ON CONFLICT (realm_id, sid, is_offline, client_id) DO UPDATE
            SET ended_at = excluded.ended_at WHERE moved_sessions.ended_at IS NULL
            """,
            [.int64(now), .bytes(id.bytes)]
        )
        return try run(
            """
            WITH RECURSIVE ended (id) AS (
                SELECT id FROM grants WHERE id = $1
                UNION SELECT g.id FROM grants AS g JOIN ended AS e ON g.parent_id = e.id)
            UPDATE grants SET revoked_at = CASE WHEN revoked_at IS NULL THEN $2 ELSE revoked_at END
            WHERE id IN (SELECT id FROM ended)
            """,
            [.bytes(id.bytes), .int64(now)]
        )
    }
}
