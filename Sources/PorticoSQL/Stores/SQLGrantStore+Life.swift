package import PorticoBytes
package import PorticoStores

/// What becomes of a grant once it is there.
extension SQLGrantStore {
    package func grant(id: UniqueID, realmID: String, at now: Int64) async throws -> GrantReading? {
        try await database.read { reader in
            let reading = try reader.first(
                """
                SELECT g.id, g.realm_id, g.client_id, g.person_id, g.session_id, g.scope,
                    g.is_offline, g.authenticated_at, g.acr, g.amr, g.claims, g.created_at,
                    g.idle_seconds, g.expires_at, g.generation, g.refresh_secret,
                    g.refresh_key_id, g.rotated_at, g.idempotency_key,
                    g.refused_at IS NULL AND g.revoked_at IS NULL
                        AND (g.expires_at IS NULL OR g.expires_at > $1)
                        AND (g.generation IS NULL OR g.rotated_at > $1 - g.idle_seconds)
                        AND c.id IS NOT NULL
                        AND (g.person_id IS NULL OR (p.id IS NOT NULL AND p.is_enabled
                            AND p.epoch = g.epoch AND p.not_before <= g.created_at))
                        AND (g.is_offline OR g.session_id IS NULL OR (s.id IS NOT NULL
                            AND s.ended_at IS NULL AND s.expires_at > $1)),
                    p.id, p.realm_id, p.username, p.email, p.is_email_verified, p.given_name,
                    p.family_name, p.is_enabled, p.not_before, p.attributes, p.created_at,
                    p.updated_at
                FROM grants AS g
                LEFT JOIN clients AS c ON c.id = g.client_id
                LEFT JOIN people AS p ON p.id = g.person_id AND p.realm_id = g.realm_id
                LEFT JOIN browser_sessions AS s ON s.id = g.session_id
                WHERE g.id = $2 AND g.realm_id = $3
                """,
                [.int64(now), .bytes(id.bytes), .text(realmID)]
            ) { row in
                let hasPerson = try row.optionalText(GrantRow.width + 1) != nil
                return GrantReading(
                    grant: try GrantRow.grant(row),
                    isLive: try row.bool(GrantRow.width),
                    person: hasPerson
                        ? PersonWithRoles(
                            person: try PersonRow.person(row, from: GrantRow.width + 1),
                            roles: []
                        ) : nil
                )
            }
            guard var reading else { return nil }
            if let personID = reading.person?.person.id {
                reading.person?.roles = try reader.roles(ofPerson: personID)
            }
            return reading
        }
    }

    package func rotate(
        _ rotation: Rotation,
        sessionIdle: Int64,
        spending assertion: UsedAssertion?,
        at now: Int64
    ) async throws -> RotationOutcome {
        try await database.change { transaction in
            guard try transaction.spend(assertion) else { return .assertionSpent }
            let changed = try transaction.run(
                """
                UPDATE grants AS g
                SET generation = generation + 1, rotated_at = $1, idempotency_key = $2,
                    refresh_key_id = $3
                WHERE g.id = $4 AND g.generation = $5 AND g.generation < 4294967295
                    AND g.refused_at IS NULL AND g.revoked_at IS NULL
                    AND (g.expires_at IS NULL OR g.expires_at > $1)
                    AND g.rotated_at > $1 - g.idle_seconds
                    AND EXISTS (SELECT 1 FROM clients AS c WHERE c.id = g.client_id)
                    AND (g.person_id IS NULL OR EXISTS (
                        SELECT 1 FROM people AS p
                        WHERE p.id = g.person_id AND p.realm_id = g.realm_id AND p.is_enabled
                            AND p.epoch = g.epoch AND p.not_before <= g.created_at))
                    AND (g.is_offline OR g.session_id IS NULL OR EXISTS (
                        SELECT 1 FROM browser_sessions AS s
                        WHERE s.id = g.session_id AND s.ended_at IS NULL AND s.expires_at > $1))
                """,
                [
                    .int64(now), SQLValue(rotation.idempotencyKey), .bytes(rotation.keyID),
                    .bytes(rotation.familyID.bytes), .int64(Int64(rotation.generation)),
                ]
            )
            guard changed > 0 else { return .outdated }
            try transaction.useSession(ofGrant: rotation.familyID, idle: sessionIdle, at: now)
            return .rotated
        }
    }

    package func revoke(id: UniqueID, spending assertion: UsedAssertion?, at now: Int64)
        async throws -> Revocation
    {
        try await database.change { transaction in
            guard try transaction.spend(assertion) else { return .assertionSpent }
            return try transaction.revoke(id, at: now) > 0 ? .revoked : .notFound
        }
    }

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
    /// Logout §2.3).
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
                            OR s.ended_at < $2 OR s.expires_at < $2)))
                    AND (g.refused_at IS NOT NULL OR c.id IS NULL OR p.id IS NULL
                        OR s.id IS NULL OR s.ended_at IS NOT NULL OR s.expires_at < $2)
                ORDER BY g.id LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        }
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

    /// - Returns: How many grants have that id. The time of the first revocation stays.
    @discardableResult
    func revoke(_ id: UniqueID, at now: Int64) throws -> Int {
        try run(
            """
            UPDATE grants SET revoked_at = CASE WHEN revoked_at IS NULL THEN $1 ELSE revoked_at END
            WHERE id = $2
            """,
            [.int64(now), .bytes(id.bytes)]
        )
    }
}
