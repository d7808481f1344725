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
    package func sessions(of accountID: UniqueID, at now: Int64, limit: Int) async throws
        -> [AccountSession]
    {
        try await database.read { reader in
            try reader.rows(
                Self.liveByAccount,
                [.bytes(accountID.bytes), .int64(now), .int64(Int64(limit))],
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
    private static let liveByCookie: SQLText = """
        SELECT \(AccountSessionColumn.self, of: "s"), \(AccountColumn.self, of: "a")
        FROM live_account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
        WHERE s.cookie_hash = $1 AND s.alive_until > $2
        """

    private static let liveByID: SQLText = """
        SELECT \(AccountSessionColumn.self, of: "s"), \(AccountColumn.self, of: "a")
        FROM live_account_sessions AS s JOIN accounts AS a ON a.id = s.account_id
        WHERE s.id = $1 AND s.alive_until > $2
        """

    private static let liveByAccount: SQLText = """
        SELECT \(AccountSessionColumn.self, of: "s") FROM live_account_sessions AS s
        WHERE s.account_id = $1 AND s.alive_until > $2
        ORDER BY s.last_seen_at DESC, s.id DESC LIMIT $3
        """
}

extension SQLReader {
    fileprivate func withProviders(_ live: LiveAccountSession?) throws -> LiveAccountSession? {
        guard var live else { return nil }
        live.providers = try providers(of: live.account.id)
        return live
    }
}
