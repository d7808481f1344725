import PorticoBytes

/// Keeps what hosts of the AT Protocol gave for sessions of accounts (docs/decisions/0056).
///
/// A row comes with its account's session (``SignInEvent/handleSession``), and is live as long as
/// that is. It stays behind it until its tokens are revoked. All times are seconds since 1970.
package struct HandleSessionStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// The live session of that id, if it was begun by handle.
    package func live(_ id: String, at now: Int64) async throws -> LiveHandleSession? {
        try await database.read { reader in
            let live = try reader.first(
                Self.liveByID,
                [.text(id), .int64(now)],
                decode: LiveHandleSession.init
            )
            return try reader.withProviders(live)
        }
    }

    /// The live session of a DID that seals of another system open now.
    package func liveOfForeignSeal(did: String, at now: Int64) async throws -> LiveHandleSession? {
        try await database.read { reader in
            let live = try reader.first(
                Self.liveOfForeignSeal,
                [.text(did), .int64(now)],
                decode: LiveHandleSession.init
            )
            return try reader.withProviders(live)
        }
    }

    /// The handle that a DID had when it last signed in, also where that session is over.
    package func lastHandle(of did: String) async throws -> String? {
        try await database.read { reader in
            try reader.first(
                "SELECT handle FROM handle_sessions WHERE did = $1 ORDER BY created_at DESC LIMIT 1",
                [.text(did)]
            ) { try $0.text(0) }
        }
    }
}

extension HandleSessionStore {
    private static let liveByID = withPerson("h.session_id = $1")
    private static let liveOfForeignSeal = withPerson(
        "h.did = $1 AND h.takes_foreign AND h.foreign_until > $2"
    )

    /// - Parameter found: What names the session.
    private static func withPerson(_ found: StaticString) -> SQLText {
        """
        SELECT \(SessionColumn.self, of: "s"), \(PersonColumn.self, of: "p"),
            \(HandleSessionColumn.self, of: "h")
        FROM handle_sessions AS h JOIN backend_sessions AS s ON s.id = h.session_id
        JOIN people AS p ON p.id = s.person_id
        WHERE \(found) AND s.alive_until > $2
        """
    }
}

extension SQLReader {
    fileprivate func withProviders(_ live: LiveHandleSession?) throws -> LiveHandleSession? {
        guard var live else { return nil }
        live.live.providers = try providers(of: live.live.person.id)
        return live
    }

    func handleSession(_ id: String) throws -> HandleSession? {
        try first(Statement.byID, [.text(id)]) { try HandleSession($0) }
    }
}

extension SQLTransaction {
    /// Puts in what a sign-in by handle brings.
    func insert(_ new: NewHandleSession, of sessionID: String, at now: Int64) throws {
        if new.foreignSealsUntil == nil {
            // People who sign in here do without another system's seals, which others may have.
            try run(
                "UPDATE handle_sessions SET takes_foreign = FALSE WHERE did = $1 AND takes_foreign",
                [.text(new.did)]
            )
        } else {
            // A session that is over, or does not take them any more, is in no one's way.
            try run(
                """
                UPDATE handle_sessions AS h SET takes_foreign = FALSE
                WHERE h.did = $1 AND h.takes_foreign AND (h.foreign_until <= $2 OR NOT EXISTS (
                    SELECT 1 FROM backend_sessions AS l
                    WHERE l.id = h.session_id AND l.alive_until > $2))
                """,
                [.text(new.did), .int64(now)]
            )
        }
        try run(Statement.insert, HandleSession(new, sessionID: sessionID, at: now).values)
        if new.foreignSealsUntil != nil {
            try note(.sessionImported, ofSession: sessionID, at: now)
        }
    }

    /// Of an account's sessions by handle, ends those used longest ago, so that 50 are live: each has
    /// tokens that work at the person's host.
    ///
    /// - Parameter newest: Is one of the 50.
    func endOldestHandleSessions(
        of personID: String,
        but newest: String,
        at now: Int64
    ) throws {
        let ids = try rows(
            Statement.superfluous,
            [.text(personID), .int64(now), .text(newest)]
        ) { try $0.text(0) }
        for id in ids where try endSession(id, at: now) {
            try note(.signedOut, ofSession: id, reason: "too_many", at: now)
        }
    }
}

/// Refreshing tokens, one at a time (docs/decisions/0057).
extension HandleSessionStore {
    /// Of any number of concurrent claims of one revision, in any number of processes, exactly one is
    /// `.leased` until the lease ends; a claim at `until` or later is `.leased` again.
    package func lease(_ id: String, _ lease: RefreshLease, at now: Int64) async throws
        -> LeaseOutcome
    {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE handle_sessions AS h SET lease_id = $1, lease_until = $2
                WHERE h.session_id = $3 AND h.revision = $4 AND h.sealed IS NOT NULL
                    AND (h.lease_until IS NULL OR h.lease_until <= $5)
                    AND EXISTS (
                        SELECT 1 FROM backend_sessions AS l
                        WHERE l.id = h.session_id AND l.alive_until > $5)
                """,
                [
                    .bytes(lease.id), .int64(lease.until), .text(id),
                    .int64(lease.revision), .int64(now),
                ]
            )
            guard let session = try transaction.handleSession(id) else { return .ended }
            if changed > 0 { return .leased(session) }
            guard session.sealed != nil, try transaction.isLive(id, at: now) else { return .ended }
            guard session.revision == lease.revision else { return .changed(session) }
            guard let until = try transaction.leaseEnd(of: id) else {
                throw SQLError(.corrupt, code: 0)
            }
            return .held(until: until)
        }
    }

    /// Notes that the refresh token goes out now. The lease begins anew: finding the server took of
    /// it, and must not let another send while the host is still at work.
    ///
    /// - Returns: `false` if the lease is not its holder's any more, or the session is over: then
    ///   nothing may be sent.
    package func sending(_ id: String, _ lease: RefreshLease, at now: Int64) async throws -> Bool {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE handle_sessions AS h SET sent_at = $1, lease_until = $2
                WHERE h.session_id = $3 AND h.revision = $4 AND h.lease_id = $5
                    AND h.lease_until > $1 AND h.sealed IS NOT NULL
                    AND EXISTS (
                        SELECT 1 FROM backend_sessions AS l
                        WHERE l.id = h.session_id AND l.alive_until > $1)
                """,
                [
                    .int64(now), .int64(now + RefreshLease.seconds), .text(id),
                    .int64(lease.revision), .bytes(lease.id),
                ]
            )
            return changed > 0
        }
    }

    /// Stores new tokens in place of those of a revision, and ends the lease, whichever caller
    /// holds it by now: the host's tokens are the new ones. Of any number of calls after one
    /// revision exactly one stores.
    ///
    /// - Parameters:
    ///   - host: Where the account is by now.
    ///   - handle: By now.
    package func keep(
        _ sealed: String,
        scope: String,
        accessExpiresAt: Int64?,
        host: String,
        handle: String,
        of id: String,
        after revision: Int64,
        at now: Int64
    ) async throws -> KeepOutcome {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE handle_sessions
                SET sealed = $1, scope = $2, access_expires_at = $3, refreshed_at = $4,
                    host = $5, handle = $6,
                    revision = revision + 1, lease_id = NULL, lease_until = NULL, sent_at = NULL
                WHERE session_id = $7 AND revision = $8
                """,
                [
                    .text(sealed), .text(scope), SQLValue(accessExpiresAt), .int64(now),
                    .text(host), .text(handle), .text(id), .int64(revision),
                ]
            )
            guard changed > 0 else {
                return try transaction.handleSession(id) == nil ? .ended : .changed
            }
            guard try transaction.isLive(id, at: now) else {
                // The tokens that were revoked, or are to be, were those before.
                try transaction.run(
                    "UPDATE handle_sessions SET due_at = $1, tries = 0 WHERE session_id = $2",
                    [.int64(now), .text(id)]
                )
                return .ended
            }
            try transaction.note(.handleRefreshed, ofSession: id, at: now)
            return .kept
        }
    }

    /// Ends a lease whose refresh brought nothing.
    ///
    /// - Parameter isUnspent: Whether the refresh token is certainly as good as before: it was
    ///   refused, for a reason that does not end it. Otherwise what ``sending(_:_:at:)`` noted
    ///   stays.
    package func giveBack(_ id: String, _ lease: RefreshLease, isUnspent: Bool) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                """
                UPDATE handle_sessions
                SET lease_id = NULL, lease_until = NULL,
                    sent_at = CASE WHEN $1 THEN NULL ELSE sent_at END
                WHERE session_id = $2 AND lease_id = $3
                """,
                [.bool(isUnspent), .text(id), .bytes(lease.id)]
            )
        }
    }
}

extension SQLReader {
    fileprivate func isLive(_ id: String, at now: Int64) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM backend_sessions WHERE id = $1 AND alive_until > $2",
            [.text(id), .int64(now)]
        )
    }

    fileprivate func leaseEnd(of id: String) throws -> Int64? {
        try first(
            "SELECT lease_until FROM handle_sessions WHERE session_id = $1",
            [.text(id)]
        ) { try $0.optionalInt64(0) } ?? nil
    }
}

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
                ) { (try $0.text(0), try $0.int64(1)) }
                for (id, revision) in sessions {
                    _ = try transaction.forget(id, revision: revision)
                    if try transaction.endSession(id, at: now) {
                        try transaction.note(.handleEnded, ofSession: id, reason: reason, at: now)
                    }
                }
                return sessions.count
            }
            guard count > 0 else { return }
        }
    }
}

private enum Statement {
    static let byID: SQLText = """
        SELECT \(HandleSessionColumn.self) FROM handle_sessions WHERE session_id = $1
        """

    static let superfluous: SQLText = """
        SELECT l.id FROM backend_sessions AS l
        JOIN handle_sessions AS h ON h.session_id = l.id
        WHERE l.person_id = $1 AND l.alive_until > $2 AND l.id <> $3
        ORDER BY l.last_seen_at DESC, l.id DESC LIMIT 1000 OFFSET 49
        """

    static let insert: SQLText = """
        INSERT INTO handle_sessions (\(HandleSessionColumn.self), tries)
        VALUES (\(valuesOf: HandleSessionColumn.self), 0)
        """
}
