package import PorticoBytes
package import PorticoProtocol

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
        spending used: [UsedAssertion],
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
    package func revoke(id: UniqueID, spending used: [UsedAssertion], at now: Int64)
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
        try await database.purge(finding: Self.deadGrants(before: time)) { transaction, id in
            try transaction.run("DELETE FROM grants WHERE id = $1", [id])
        }
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT hash FROM used_assertions WHERE hash > $1 AND expires_at < $2
                ORDER BY hash LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        } removing: { transaction, hash in
            try transaction.run("DELETE FROM used_assertions WHERE hash = $1", [hash])
        }
    }

    /// Grants that died before `time` and can never live again, their code a day past. Those of a
    /// session that goes on stay: they say who must be told of its end (OpenID Connect Back-Channel
    /// Logout §2.3). So do those that others are derived from: a replay must reach them.
    private static func deadGrants(
        before time: Int64
    ) -> @Sendable (any SQLReader, SQLValue?) throws -> [SQLValue] {
        { reader, cursor in
            try reader.rows(
                """
                SELECT g.id FROM grants AS g
                LEFT JOIN clients AS c ON c.id = g.client_id
                LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
                LEFT JOIN browser_sessions AS s ON s.id = g.session_id
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
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        }
    }
}

extension GrantStore {
    private static let liveByID: SQLText = """
        SELECT \(GrantColumn.self, of: "g"), \(PersonColumn.self, of: "p"), o.scope,
            CASE WHEN g.parent_id IS NOT NULL AND g.login_token_id IS NULL THEN
                COALESCE((SELECT e.client_id FROM grants AS e WHERE e.id = g.parent_id), '') END,
            g.request_id IS NOT NULL
        FROM live_grants AS g
        LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
        LEFT JOIN consents AS o ON o.person_id = g.person_id AND o.client_id = g.client_id
        WHERE g.id = $1 AND g.realm_id = $2 AND g.alive_until > $3
        """

    private static let byID: SQLText = """
        SELECT \(GrantColumn.self, of: "g"), \(PersonColumn.self, of: "p"), o.scope,
            CASE WHEN g.parent_id IS NOT NULL AND g.login_token_id IS NULL THEN
                COALESCE((SELECT e.client_id FROM grants AS e WHERE e.id = g.parent_id), '') END,
            g.request_id IS NOT NULL
        FROM grants AS g
        LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
        LEFT JOIN consents AS o ON o.person_id = g.person_id AND o.client_id = g.client_id
        WHERE g.id = $1 AND g.realm_id = $2
        """
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
            UPDATE browser_sessions SET last_seen_at = $1
            WHERE id = (SELECT g.session_id FROM grants AS g WHERE g.id = $2 AND NOT g.is_offline)
                AND last_seen_at <= $3 AND last_seen_at > $4
            """,
            [
                .int64(now), .bytes(id.bytes), .int64(now &- SessionActivity<String>.precision),
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
