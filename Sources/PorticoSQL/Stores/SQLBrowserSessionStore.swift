package import PorticoBytes
package import PorticoStores

/// Browser sessions in SQL.
package struct SQLBrowserSessionStore: BrowserSessionStore {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    package func start(
        _ session: BrowserSession,
        replacing old: Hash256?,
        upgrading upgrade: PasswordUpgrade?
    ) async throws -> SessionBeginning {
        try await database.change { transaction in
            if let upgrade { try transaction.upgrade(upgrade, of: session.personID) }
            var another: String?
            if let old {
                if let kept = try transaction.goOn(session, cookie: old) { return .wentOn(kept) }
                another = try transaction.endAnothers(session, cookie: old)
            }
            try transaction.run(
                """
                INSERT INTO browser_sessions (id, realm_id, person_id, cookie_hash,
                    authenticated_at, acr, amr, device, created_at, last_seen_at, expires_at, epoch)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                """,
                BrowserSessionRow.values(session)
            )
            return another.map(SessionBeginning.tookOver) ?? .began
        }
    }

    package func live(cookie: Hash256, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveBrowserSession?
    {
        try await database.read { reader in
            try reader.first(
                """
                SELECT s.id, s.realm_id, s.person_id, s.cookie_hash, s.authenticated_at, s.acr,
                    s.amr, s.device, s.created_at, s.last_seen_at, s.expires_at, s.epoch,
                    p.id, p.realm_id, p.username, p.email, p.is_email_verified, p.given_name,
                    p.family_name, p.is_enabled, p.not_before, p.attributes, p.created_at,
                    p.updated_at
                FROM browser_sessions AS s
                JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
                WHERE s.cookie_hash = $1 AND s.realm_id = $2
                    AND s.ended_at IS NULL AND s.expires_at > $3 AND s.last_seen_at > $4
                    AND p.is_enabled AND p.epoch = s.epoch
                    AND p.not_before <= s.authenticated_at
                """,
                [.bytes(cookie.bytes), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: BrowserSessionRow.live
            )
        }
    }

    package func live(id: String, realmID: String, at now: Int64, idle: Int64) async throws
        -> LiveBrowserSession?
    {
        try await database.read { reader in
            try reader.first(
                """
                SELECT s.id, s.realm_id, s.person_id, s.cookie_hash, s.authenticated_at, s.acr,
                    s.amr, s.device, s.created_at, s.last_seen_at, s.expires_at, s.epoch,
                    p.id, p.realm_id, p.username, p.email, p.is_email_verified, p.given_name,
                    p.family_name, p.is_enabled, p.not_before, p.attributes, p.created_at,
                    p.updated_at
                FROM browser_sessions AS s
                JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
                WHERE s.id = $1 AND s.realm_id = $2
                    AND s.ended_at IS NULL AND s.expires_at > $3 AND s.last_seen_at > $4
                    AND p.is_enabled AND p.epoch = s.epoch
                    AND p.not_before <= s.authenticated_at
                """,
                [.text(id), .text(realmID), .int64(now), .int64(now &- idle)],
                decode: BrowserSessionRow.live
            )
        }
    }

    package func end(id: String, realmID: String, at now: Int64) async throws -> Change {
        try await database.change { transaction in
            try transaction.endSession(id, realmID: realmID, at: now) ? .changed : .notFound
        }
    }

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

    /// Grants do not need ended sessions: one without its session is as dead.
    package func purge(before time: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT s.id FROM browser_sessions AS s
                WHERE s.id > $1 AND (s.ended_at < $2 OR s.expires_at < $2
                    OR NOT EXISTS (SELECT 1 FROM people AS p WHERE p.id = s.person_id))
                ORDER BY s.id LIMIT 200
                """,
                [cursor ?? .text(""), .int64(time)]
            ) { SQLValue.text(try $0.text(0)) }
        } removing: { transaction, id in
            try transaction.run("DELETE FROM browser_sessions WHERE id = $1", [id])
        }
    }
}

extension SQLTransaction {
    /// Lets the session of a cookie go on as `session`, where it is the same person's and not over.
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
                AND s.ended_at IS NULL AND s.expires_at > $6 AND s.epoch = $11
                AND EXISTS (
                    SELECT 1 FROM people AS p
                    WHERE p.id = s.person_id AND p.realm_id = s.realm_id AND p.is_enabled
                        AND p.epoch = s.epoch AND p.not_before <= s.authenticated_at)
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
            SELECT s.id FROM browser_sessions AS s
            JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
            WHERE s.cookie_hash = $1 AND s.realm_id = $2 AND s.person_id <> $3
                AND s.ended_at IS NULL AND s.epoch = p.epoch
                AND p.not_before <= s.authenticated_at
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
        return changed > 0
    }
}
