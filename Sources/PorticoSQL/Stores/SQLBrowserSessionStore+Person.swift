import PorticoBytes
package import PorticoStores

/// Where a person is signed in.
extension SQLBrowserSessionStore {
    package func sessions(
        of personID: String,
        realmID: String,
        at now: Int64,
        idle: Int64,
        limit: Int
    ) async throws -> [BrowserSession] {
        try await database.read { reader in
            try reader.rows(
                """
                SELECT s.id, s.realm_id, s.person_id, s.cookie_hash, s.authenticated_at, s.acr,
                    s.amr, s.device, s.created_at, s.last_seen_at, s.expires_at, s.epoch
                FROM browser_sessions AS s
                JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
                WHERE s.person_id = $1 AND s.realm_id = $2
                    AND s.ended_at IS NULL AND s.expires_at > $3 AND s.last_seen_at > $4
                    AND p.is_enabled AND p.epoch = s.epoch
                    AND p.not_before <= s.authenticated_at
                ORDER BY s.last_seen_at DESC, s.id DESC LIMIT $5
                """,
                [
                    .text(personID), .text(realmID), .int64(now), .int64(now &- idle),
                    .int64(Int64(limit)),
                ],
                decode: BrowserSessionRow.session
            )
        }
    }

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

    package func endAll(
        of personID: String,
        except kept: String,
        realmID: String,
        at now: Int64
    ) async throws -> Int {
        try await database.change { transaction in
            let others = try transaction.sessions(of: personID, realmID: realmID)
                .filter { !sameBytes($0, kept) }
            for id in others { try transaction.endSession(id, realmID: realmID, at: now) }
            return others.count
        }
    }
}

extension SQLReader {
    /// The sessions of a person that nothing has ended. One that has expired counts, too: a client's
    /// own may have outlived it.
    fileprivate func sessions(of personID: String, realmID: String) throws -> [String] {
        try rows(
            """
            SELECT s.id FROM browser_sessions AS s
            JOIN people AS p ON p.id = s.person_id AND p.realm_id = s.realm_id
            WHERE s.person_id = $1 AND s.realm_id = $2 AND s.ended_at IS NULL
                AND s.epoch = p.epoch AND p.not_before <= s.authenticated_at
            """,
            [.text(personID), .text(realmID)]
        ) { try $0.text(0) }
    }
}
