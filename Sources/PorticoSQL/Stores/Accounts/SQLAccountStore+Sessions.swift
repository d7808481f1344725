package import PorticoBytes
package import PorticoStores

/// Which sessions are live, and keeping them so.
extension SQLAccountStore {
    package func live(cookie: Hash256, at now: Int64) async throws -> LiveAccountSession? {
        try await database.read { reader in
            let live = try reader.first(
                """
                SELECT s.id, s.account_id, s.cookie_hash, s.app, s.generation, s.refresh_secret,
                    s.refresh_key_id, s.rotated_at, s.idempotency_key, s.issuer, s.subject,
                    s.provider_session_id, s.device, s.address, s.proven_at, s.created_at,
                    s.last_seen_at, s.idle_seconds, s.expires_at,
                    a.id, a.email, a.is_email_verified, a.email_proof, a.is_email_relay, a.name,
                    a.is_name_own, a.picture, a.language, a.is_blocked, a.is_welcomed,
                    a.created_at, a.last_sign_in_at
                FROM account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
                WHERE s.cookie_hash = $1 AND s.is_active AND s.ended_at IS NULL
                    AND s.expires_at > $2 AND s.last_seen_at > $2 - s.idle_seconds
                    AND NOT a.is_blocked AND a.epoch = s.epoch
                """,
                [.bytes(cookie.bytes), .int64(now)],
                decode: AccountSessionRow.live
            )
            return try reader.withProviders(live)
        }
    }

    package func live(id: UniqueID, at now: Int64) async throws -> LiveAccountSession? {
        try await database.read { reader in
            let live = try reader.first(
                """
                SELECT s.id, s.account_id, s.cookie_hash, s.app, s.generation, s.refresh_secret,
                    s.refresh_key_id, s.rotated_at, s.idempotency_key, s.issuer, s.subject,
                    s.provider_session_id, s.device, s.address, s.proven_at, s.created_at,
                    s.last_seen_at, s.idle_seconds, s.expires_at,
                    a.id, a.email, a.is_email_verified, a.email_proof, a.is_email_relay, a.name,
                    a.is_name_own, a.picture, a.language, a.is_blocked, a.is_welcomed,
                    a.created_at, a.last_sign_in_at
                FROM account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
                WHERE s.id = $1 AND s.is_active AND s.ended_at IS NULL
                    AND s.expires_at > $2 AND s.last_seen_at > $2 - s.idle_seconds
                    AND NOT a.is_blocked AND a.epoch = s.epoch
                """,
                [.bytes(id.bytes), .int64(now)],
                decode: AccountSessionRow.live
            )
            return try reader.withProviders(live)
        }
    }

    package func sessions(of accountID: UniqueID, at now: Int64, limit: Int) async throws
        -> [AccountSession]
    {
        try await database.read { reader in
            try reader.rows(
                """
                SELECT s.id, s.account_id, s.cookie_hash, s.app, s.generation, s.refresh_secret,
                    s.refresh_key_id, s.rotated_at, s.idempotency_key, s.issuer, s.subject,
                    s.provider_session_id, s.device, s.address, s.proven_at, s.created_at,
                    s.last_seen_at, s.idle_seconds, s.expires_at
                FROM account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
                WHERE s.account_id = $1 AND s.is_active AND s.ended_at IS NULL
                    AND s.expires_at > $2 AND s.last_seen_at > $2 - s.idle_seconds
                    AND NOT a.is_blocked AND a.epoch = s.epoch
                ORDER BY s.last_seen_at DESC, s.id DESC LIMIT $3
                """,
                [.bytes(accountID.bytes), .int64(now), .int64(Int64(limit))],
                decode: AccountSessionRow.session
            )
        }
    }

    package func rotate(_ rotation: Rotation, at now: Int64) async throws -> RotationOutcome {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE account_sessions AS s
                SET generation = generation + 1, rotated_at = $1, idempotency_key = $2,
                    refresh_key_id = $3,
                    last_seen_at = CASE WHEN last_seen_at < $1 THEN $1 ELSE last_seen_at END
                WHERE s.id = $4 AND s.generation = $5 AND s.generation < 4294967295
                    AND s.is_active AND s.ended_at IS NULL
                    AND s.expires_at > $1 AND s.last_seen_at > $1 - s.idle_seconds
                    AND EXISTS (
                        SELECT 1 FROM accounts AS a
                        WHERE a.id = s.account_id AND NOT a.is_blocked AND a.epoch = s.epoch)
                """,
                [
                    .int64(now), SQLValue(rotation.idempotencyKey), .bytes(rotation.keyID),
                    .bytes(rotation.familyID.bytes), .int64(Int64(rotation.generation)),
                ]
            )
            return changed > 0 ? .rotated : .outdated
        }
    }

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

extension SQLReader {
    fileprivate func withProviders(_ live: LiveAccountSession?) throws -> LiveAccountSession? {
        guard var live else { return nil }
        live.providers = try providers(of: live.account.id)
        return live
    }
}
