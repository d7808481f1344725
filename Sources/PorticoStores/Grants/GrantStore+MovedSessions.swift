import PorticoBytes

/// The sessions of the server that a realm comes from, and what became of its tokens
/// (docs/decisions/0051).
extension GrantStore {
    /// Puts sessions on the list of a realm, a few hundred at a time; what has ended here has ended.
    ///
    /// - Parameter now: Of this list.
    package func list(_ sessions: [ListedSession], realmID: String, at now: Int64) async throws {
        try await database.change { transaction in
            for session in sessions {
                try transaction.run(
                    """
                    INSERT INTO moved_sessions (realm_id, sid, is_offline, client_id, person_id,
                        started_at, listed_at)
                    VALUES ($1, $2, $3, $4, $5, $6, $7)
                    ON CONFLICT (realm_id, sid, is_offline, client_id) DO UPDATE
                    SET person_id = excluded.person_id, started_at = excluded.started_at,
                        listed_at = excluded.listed_at
                    """,
                    [
                        .text(realmID), .text(session.sessionID), .bool(session.isOffline),
                        .text(session.clientID), .text(session.personID),
                        .int64(session.startedAt), .int64(now),
                    ]
                )
            }
        }
    }

    /// Takes those off the list of a realm that an older list put there.
    package func unlist(before time: Int64, realmID: String) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                """
                DELETE FROM moved_sessions
                WHERE realm_id = $1 AND listed_at < $2 AND ended_at IS NULL
                """,
                [.text(realmID), .int64(time)]
            )
        }
    }

    /// Forgets the sessions and used-up tokens of realms without a key that verifies old tokens: there
    /// is nothing left that could be swapped twice. A few at a time, so that no request waits long.
    package func purgeMoved() async throws {
        let realmIDs = try await database.scan { reader in
            try reader.rows(
                """
                SELECT r.id FROM realms AS r
                WHERE NOT EXISTS (
                        SELECT 1 FROM kept_keys AS k WHERE k.realm_id = r.id AND k.kind = 'hmac')
                    AND (EXISTS (SELECT 1 FROM moved_sessions AS m WHERE m.realm_id = r.id)
                        OR EXISTS (SELECT 1 FROM swapped_tokens AS t WHERE t.realm_id = r.id))
                """,
                []
            ) { try $0.text(0) }
        }
        for id in realmIDs {
            while try await database.write({ try $0.forgetSomeMoved(realmID: id) }) > 0 {}
        }
    }
}

extension SQLTransaction {
    /// - Returns: How many rows are gone.
    fileprivate func forgetSomeMoved(realmID: String) throws -> Int {
        let sessions = try run(
            """
            DELETE FROM moved_sessions WHERE realm_id = $1 AND sid IN (
                SELECT sid FROM moved_sessions WHERE realm_id = $1 ORDER BY sid LIMIT 200)
            """,
            [.text(realmID)]
        )
        let tokens = try run(
            """
            DELETE FROM swapped_tokens WHERE hash IN (
                SELECT hash FROM swapped_tokens WHERE realm_id = $1 LIMIT 200)
            """,
            [.text(realmID)]
        )
        return sessions + tokens
    }
}
