package import PorticoBytes
package import PorticoStores

/// Grants in SQL.
package struct SQLGrantStore: GrantStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func redeem(
        _ grant: Grant,
        requestID: UniqueID,
        spending assertion: UsedAssertion?,
        at now: Int64
    ) async throws -> Redemption {
        try await database.change { transaction in
            guard try transaction.spend(assertion) else { return .assertionSpent }
            // One statement decides: liveness, the code's first use and the request's first use.
            let isFirst = try transaction.hasRow(
                """
                INSERT INTO grants (id, realm_id, client_id, person_id, session_id, scope,
                    is_offline, authenticated_at, acr, amr, claims, created_at, idle_seconds,
                    expires_at, generation, refresh_secret, refresh_key_id, rotated_at,
                    idempotency_key, request_id, epoch)
                SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                    $18, $19, $20, COALESCE((SELECT epoch FROM people WHERE id = $4), 0)
                WHERE ($4 IS NULL OR EXISTS (
                        SELECT 1 FROM people AS p
                        WHERE p.id = $4 AND p.realm_id = $2 AND p.is_enabled
                            AND p.not_before <= $12))
                    AND ($5 IS NULL OR EXISTS (
                        SELECT 1 FROM browser_sessions AS s JOIN people AS p ON p.id = s.person_id
                        WHERE s.id = $5 AND s.realm_id = $2 AND s.person_id = $4
                            AND s.ended_at IS NULL AND s.expires_at > $21
                            AND p.epoch = s.epoch AND p.not_before <= s.authenticated_at))
                ON CONFLICT DO NOTHING RETURNING id
                """,
                GrantRow.values(grant) + [.bytes(requestID.bytes), .int64(now)]
            )
            if isFirst { return .redeemed }
            if try transaction.hasRow(
                "SELECT 1 FROM grants WHERE id = $1",
                [.bytes(grant.id.bytes)]
            ) {
                // RFC 6749 §4.1.2: revoke what the first use issued.
                try transaction.revoke(grant.id, at: now)
                return .replayed
            }
            return try transaction.isAnswered(requestID) ? .replayed : .sessionEnded
        }
    }

    package func refuse(
        _ grant: Grant,
        requestID: UniqueID,
        spending assertion: UsedAssertion?,
        at now: Int64
    ) async throws -> Redemption {
        try await keep(grant, requestID: requestID, refusedAt: now, spending: assertion)
    }

    package func insert(
        _ grant: Grant,
        spending assertion: UsedAssertion?,
        at now: Int64
    ) async throws -> Redemption {
        try await keep(grant, requestID: nil, refusedAt: nil, spending: assertion)
    }

    private func keep(
        _ grant: Grant,
        requestID: UniqueID?,
        refusedAt: Int64?,
        spending assertion: UsedAssertion?
    ) async throws -> Redemption {
        try await database.change { transaction in
            guard try transaction.spend(assertion) else { return .assertionSpent }
            let isFirst = try transaction.hasRow(
                """
                INSERT INTO grants (id, realm_id, client_id, person_id, session_id, scope,
                    is_offline, authenticated_at, acr, amr, claims, created_at, idle_seconds,
                    expires_at, generation, refresh_secret, refresh_key_id, rotated_at,
                    idempotency_key, request_id, refused_at, epoch)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                    $18, $19, $20, $21, COALESCE((SELECT epoch FROM people WHERE id = $4), 0))
                ON CONFLICT DO NOTHING RETURNING id
                """,
                GrantRow.values(grant) + [SQLValue(requestID), SQLValue(refusedAt)]
            )
            return isFirst ? .redeemed : .replayed
        }
    }

    package func isAnswered(requestID: UniqueID) async throws -> Bool {
        try await database.read { try $0.isAnswered(requestID) }
    }

    package func spend(_ assertion: UsedAssertion, at now: Int64) async throws -> Spending {
        try await database.change { try $0.spend(assertion) ? .spent : .assertionSpent }
    }
}

extension SQLReader {
    fileprivate func isAnswered(_ requestID: UniqueID) throws -> Bool {
        try hasRow("SELECT 1 FROM grants WHERE request_id = $1", [.bytes(requestID.bytes)])
    }
}
