import PorticoBytes

/// Sessions by how the client proves itself at their hosts: by a key of ours, or by nothing. A host
/// takes no other way from a session than the one that it began with.
extension HandleSessionStore {
    /// How many live as that kind of client.
    package func count(confidential: Bool) async throws -> Int64 {
        let counts = try await database.scan { reader in
            try reader.rows(
                """
                SELECT COUNT(*) FROM handle_sessions
                WHERE sealed IS NOT NULL AND due_at IS NULL AND (client_key_id IS NOT NULL) = $1
                """,
                [.bool(confidential)]
            ) { try $0.int64(0) }
        }
        return counts.first ?? 0
    }

    /// Ends those, and forgets their tokens.
    ///
    /// - Parameter reason: A word that never changes, for the events.
    package func endAll(confidential: Bool, as reason: String, at now: Int64) async throws {
        while true {
            let count = try await database.change { transaction in
                let sessions = try transaction.rows(
                    """
                    SELECT session_id, revision FROM handle_sessions
                    WHERE sealed IS NOT NULL AND due_at IS NULL AND (client_key_id IS NOT NULL) = $1
                    LIMIT 200
                    """,
                    [.bool(confidential)]
                ) { (try $0.uniqueID(0), try $0.int64(1)) }
                for (id, revision) in sessions {
                    _ = try transaction.forget(id, revision: revision)
                    if try transaction.end(id, at: now) {
                        try transaction.note(.handleEnded, ofSession: id, reason: reason, at: now)
                    }
                }
                return sessions.count
            }
            guard count > 0 else { return }
        }
    }
}
