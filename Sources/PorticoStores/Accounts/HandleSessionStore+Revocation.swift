import PorticoBytes

/// Ending sessions by handle, and what becomes of their tokens.
///
/// Whatever ends an account's session makes its tokens due, in the same transaction. Those of a
/// session that expired become due when it is purged.
extension HandleSessionStore {
    /// The host has ended the session: ends the account's session, and forgets the tokens.
    ///
    /// - Parameters:
    ///   - revision: The tokens that the host refused. If others are stored by now, nothing happens:
    ///     `.notFound`.
    ///   - reason: A word that never changes, for the event.
    package func endedByHost(
        _ id: String,
        revision: Int64,
        as reason: String,
        at now: Int64
    ) async throws -> Change {
        try await database.change { transaction in
            guard try transaction.forget(id, revision: revision) else { return .notFound }
            if try transaction.endSession(id, at: now) {
                try transaction.note(.handleEnded, ofSession: id, reason: reason, at: now)
            }
            return .changed
        }
    }

    /// Takes up to `limit` sessions whose tokens are due, the longest waiting first, and sets their
    /// next try to `retryAt`. Of any number of concurrent calls one gets a session.
    ///
    /// - Parameter ofHost: The most sessions of one host among them.
    package func takeDue(limit: Int, ofHost: Int = .max, at now: Int64, retryAt: Int64) async throws
        -> [DueRevocation]
    {
        let (limit, ofHost) = (Int64(max(0, limit)), Int64(max(0, ofHost)))
        // Mostly nothing is due: looking costs no commit.
        guard try await database.read({ try $0.isAnyDue(at: now) }) else { return [] }
        return try await database.change { transaction in
            try transaction.due(limit: limit, ofHost: ofHost, at: now).map {
                try transaction.take($0, retryAt: retryAt)
            }
        }
    }

    /// Takes one session, even if others wait longer.
    ///
    /// - Returns: `nil` if its tokens are not due, or another call has it.
    package func takeDue(_ id: String, at now: Int64, retryAt: Int64) async throws
        -> DueRevocation?
    {
        try await database.change { transaction in
            guard let due = try transaction.due(id, at: now) else { return nil }
            return try transaction.take(due, retryAt: retryAt)
        }
    }

    /// Forgets tokens that the host has taken back, or that no more tries are made for. Nothing
    /// happens where others are stored by now.
    ///
    /// - Parameter reason: Why they were given up; `nil` where they are revoked.
    package func revoked(
        _ id: String,
        revision: Int64,
        givenUp reason: String? = nil,
        at now: Int64
    ) async throws {
        try await database.change { transaction in
            if try transaction.forget(id, revision: revision) {
                try transaction.note(.handleRevoked, ofSession: id, reason: reason, at: now)
            }
        }
    }

    /// Sets the next try. Nothing happens where other tokens are stored by now.
    package func postpone(_ id: String, revision: Int64, until time: Int64) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                """
                UPDATE handle_sessions SET due_at = $1
                WHERE session_id = $2 AND revision = $3 AND due_at IS NOT NULL
                """,
                [.int64(time), .text(id), .int64(revision)]
            )
        }
    }

    /// Removes what is left of sessions that are gone; tokens that are among it become due. Removes
    /// keys half a year after they were withdrawn.
    func purge(before time: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT h.session_id FROM handle_sessions AS h
                WHERE h.session_id > $1 AND (h.sealed IS NULL OR h.due_at IS NULL)
                    AND NOT EXISTS (SELECT 1 FROM sessions AS s WHERE s.id = h.session_id)
                ORDER BY h.session_id LIMIT 200
                """,
                [cursor ?? .text("")]
            ) { SQLValue.text(try $0.text(0)) }
        } removing: { transaction, id in
            try transaction.run(
                """
                UPDATE handle_sessions SET due_at = $1
                WHERE session_id = $2 AND sealed IS NOT NULL AND due_at IS NULL
                """,
                [.int64(time), id]
            )
            try transaction.run(
                "DELETE FROM handle_sessions WHERE session_id = $1 AND sealed IS NULL",
                [id]
            )
        }
        try await database.purge(
            before: time - 180 * 86_400,
            from: .text(""),
            """
            SELECT key_id FROM handle_client_keys WHERE key_id > $1 AND withdrawn_at < $2
            ORDER BY key_id LIMIT 200
            """,
            "DELETE FROM handle_client_keys WHERE key_id = $1"
        )
    }
}

extension SQLReader {
    fileprivate func isAnyDue(at now: Int64) throws -> Bool {
        try first(
            "SELECT 1 FROM handle_sessions WHERE due_at <= $1 LIMIT 1",
            [.int64(now)]
        ) { try $0.int64(0) } != nil
    }

    fileprivate func due(limit: Int64, ofHost: Int64, at now: Int64) throws -> [DueRevocation] {
        try rows(Statement.due, [.int64(now), .int64(ofHost), .int64(limit)]) {
            try DueRevocation($0)
        }
    }

    fileprivate func due(_ id: String, at now: Int64) throws -> DueRevocation? {
        try first(Statement.dueByID, [.int64(now), .text(id)]) { try DueRevocation($0) }
    }
}

extension SQLTransaction {
    /// A session has ended: its tokens are to be revoked.
    func makeTokensDue(ofSession id: String, at now: Int64) throws {
        try run(
            """
            UPDATE handle_sessions SET due_at = $1, tries = 0, takes_foreign = FALSE
            WHERE session_id = $2 AND sealed IS NOT NULL AND due_at IS NULL
            """,
            [.int64(now), .text(id)]
        )
    }

    /// Sessions of a person, or the person, are gone: their tokens are to be revoked.
    func makeTokensDue(ofEndedSessionsOf personID: String, at now: Int64) throws {
        try run(
            """
            UPDATE handle_sessions SET due_at = $1, tries = 0, takes_foreign = FALSE
            WHERE sealed IS NOT NULL AND due_at IS NULL AND session_id IN (
                SELECT s.id FROM sessions AS s
                LEFT JOIN people AS p ON p.id = s.person_id
                WHERE s.person_id = $2
                    AND (s.ended_at IS NOT NULL OR p.id IS NULL OR p.epoch <> s.epoch))
            """,
            [.int64(now), .text(personID)]
        )
    }

    fileprivate func take(_ due: DueRevocation, retryAt: Int64) throws -> DueRevocation {
        try run(
            "UPDATE handle_sessions SET tries = tries + 1, due_at = $1 WHERE session_id = $2",
            [.int64(retryAt), .text(due.session.sessionID)]
        )
        return DueRevocation(session: due.session, tries: due.tries + 1)
    }

    /// - Returns: `false` where other tokens are stored, or none.
    func forget(_ id: String, revision: Int64) throws -> Bool {
        let changed = try run(
            """
            UPDATE handle_sessions
            SET sealed = NULL, due_at = NULL, lease_id = NULL, lease_until = NULL, sent_at = NULL,
                takes_foreign = FALSE
            WHERE session_id = $1 AND revision = $2 AND sealed IS NOT NULL
            """,
            [.text(id), .int64(revision)]
        )
        return changed > 0
    }
}

private enum Statement {
    /// Of those that wait longest, 5,000 are looked at: one host's must not hide all others'.
    static let due: SQLText = """
        SELECT \(HandleSessionColumn.self), tries FROM handle_sessions
        WHERE session_id IN (
            SELECT session_id FROM (
                SELECT session_id,
                    ROW_NUMBER() OVER (PARTITION BY host ORDER BY due_at, session_id) AS place
                FROM (
                    SELECT session_id, host, due_at FROM handle_sessions WHERE due_at <= $1
                    ORDER BY due_at, session_id LIMIT 5000
                ) AS waiting
            ) AS placed
            WHERE place <= $2)
        ORDER BY due_at, session_id LIMIT $3
        """
    static let dueByID: SQLText = """
        SELECT \(HandleSessionColumn.self), tries FROM handle_sessions
        WHERE due_at <= $1 AND session_id = $2
        """
}
