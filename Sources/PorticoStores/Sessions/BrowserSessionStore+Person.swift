import PorticoBytes

/// Where a person is signed in.
extension BrowserSessionStore {
    /// The sessions of a person in a realm that are live, or that an app with times of its own lives on
    /// in (``GrantStore``), the one used last first, at most `limit`. Such an app's last use counts as
    /// the session's.
    package func sessions(
        of personID: String,
        realmID: String,
        at now: Int64,
        idle: Int64,
        limit: Int
    ) async throws -> [BrowserSession] {
        try await database.read { reader in
            try reader.rows(
                Self.liveByPerson,
                [
                    .int64(now), .text(personID), .text(realmID), .int64(now &- idle),
                    .int64(Int64(limit)),
                ]
            ) { row in
                var session = try BrowserSession(row)
                let used = try row.optionalInt64(BrowserSessionColumn.count)
                session.lastSeenAt = max(session.lastSeenAt, used ?? .min)
                return session
            }
        }
    }

    /// Ends a session of that person as ``end(id:realmID:at:)`` does, and no one else's. `.notFound`
    /// also where it was over before.
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

    /// Ends every session of that person in the realm but one, all or none. Those of apps that stand
    /// apart end, too, with what the person allowed strangers (``Client/consentFingerprint``).
    ///
    /// - Returns: How many ended.
    package func endAll(
        of personID: String,
        except kept: String,
        realmID: String,
        at now: Int64
    ) async throws -> Int {
        try await database.change { transaction in
            try transaction.endSessions(of: personID, except: kept, realmID: realmID, at: now)
        }
    }
}

extension SQLTransaction {
    /// As ``BrowserSessionStore/endAll(of:except:realmID:at:)``.
    func endSessions(of personID: String, except kept: String, realmID: String, at now: Int64)
        throws -> Int
    {
        let others = try sessions(of: personID, realmID: realmID).filter { !sameBytes($0, kept) }
        for id in others { try endSession(id, realmID: realmID, at: now) }
        let apart = try endAppSessions(of: personID, realmID: realmID, at: now)
        return others.count + apart
    }
}

extension BrowserSessionStore {
    private static let liveByPerson: SQLText = """
        SELECT \(BrowserSessionColumn.self, of: "s"), (
            SELECT MAX(COALESCE(g.rotated_at, g.created_at)) FROM live_grants AS g
            WHERE g.session_id = s.id AND g.has_own_times AND NOT g.is_offline
                AND g.alive_until > $1) AS used_at
        FROM live_browser_sessions AS s
        WHERE s.person_id = $2 AND s.realm_id = $3
            AND ((s.alive_until > $1 AND s.last_seen_at > $4) OR s.apps_until > $1)
        ORDER BY CASE WHEN used_at > s.last_seen_at THEN used_at ELSE s.last_seen_at END DESC,
            s.id DESC LIMIT $5
        """
}

extension SQLReader {
    /// The sessions of a person that nothing has ended. One that has expired counts, too: a client's
    /// own may have outlived it.
    fileprivate func sessions(of personID: String, realmID: String) throws -> [String] {
        try rows(
            """
            SELECT id FROM live_browser_sessions WHERE person_id = $1 AND realm_id = $2
            """,
            [.text(personID), .text(realmID)]
        ) { try $0.text(0) }
    }
}
