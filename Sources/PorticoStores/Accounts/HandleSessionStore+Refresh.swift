package import PorticoBytes

/// Refreshing tokens, one at a time (docs/decisions/0057).
extension HandleSessionStore {
    /// Of any number of concurrent claims of one revision, in any number of processes, exactly one is
    /// `.leased` until the lease ends; a claim at `until` or later is `.leased` again.
    package func lease(_ id: UniqueID, _ lease: RefreshLease, at now: Int64) async throws
        -> LeaseOutcome
    {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE handle_sessions AS h SET lease_id = $1, lease_until = $2
                WHERE h.session_id = $3 AND h.revision = $4 AND h.sealed IS NOT NULL
                    AND (h.lease_until IS NULL OR h.lease_until <= $5)
                    AND EXISTS (
                        SELECT 1 FROM live_account_sessions AS l
                        WHERE l.id = h.session_id AND l.alive_until > $5)
                """,
                [
                    .bytes(lease.id), .int64(lease.until), .bytes(id.bytes),
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
    package func sending(_ id: UniqueID, _ lease: RefreshLease, at now: Int64) async throws -> Bool
    {
        try await database.change { transaction in
            let changed = try transaction.run(
                """
                UPDATE handle_sessions AS h SET sent_at = $1, lease_until = $2
                WHERE h.session_id = $3 AND h.revision = $4 AND h.lease_id = $5
                    AND h.lease_until > $1 AND h.sealed IS NOT NULL
                    AND EXISTS (
                        SELECT 1 FROM live_account_sessions AS l
                        WHERE l.id = h.session_id AND l.alive_until > $1)
                """,
                [
                    .int64(now), .int64(now + RefreshLease.seconds), .bytes(id.bytes),
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
        of id: UniqueID,
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
                    .text(host), .text(handle), .bytes(id.bytes), .int64(revision),
                ]
            )
            guard changed > 0 else {
                return try transaction.handleSession(id) == nil ? .ended : .changed
            }
            guard try transaction.isLive(id, at: now) else {
                // The tokens that were revoked, or are to be, were those before.
                try transaction.run(
                    "UPDATE handle_sessions SET due_at = $1, tries = 0 WHERE session_id = $2",
                    [.int64(now), .bytes(id.bytes)]
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
    package func giveBack(_ id: UniqueID, _ lease: RefreshLease, isUnspent: Bool) async throws {
        try await database.change { transaction in
            _ = try transaction.run(
                """
                UPDATE handle_sessions
                SET lease_id = NULL, lease_until = NULL,
                    sent_at = CASE WHEN $1 THEN NULL ELSE sent_at END
                WHERE session_id = $2 AND lease_id = $3
                """,
                [.bool(isUnspent), .bytes(id.bytes), .bytes(lease.id)]
            )
        }
    }
}

extension SQLReader {
    fileprivate func isLive(_ id: UniqueID, at now: Int64) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM live_account_sessions WHERE id = $1 AND alive_until > $2",
            [.bytes(id.bytes), .int64(now)]
        )
    }

    fileprivate func leaseEnd(of id: UniqueID) throws -> Int64? {
        try first(
            "SELECT lease_until FROM handle_sessions WHERE session_id = $1",
            [.bytes(id.bytes)]
        ) { try $0.optionalInt64(0) } ?? nil
    }
}
