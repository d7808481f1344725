import PorticoBytes

/// Where a person is signed in.
extension BrowserSessionStore {
    /// The live sessions of a person in a realm, the one seen last first, at most `limit`.
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
                    .text(personID), .text(realmID), .int64(now), .int64(now &- idle),
                    .int64(Int64(limit)),
                ],
                decode: BrowserSession.init
            )
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

    /// Ends every session of that person in the realm but one, all or none. Those of clients with a
    /// document hang on no browser's: they end, too, with what the person allowed such clients.
    ///
    /// - Returns: How many ended.
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
            let documented = try transaction.endDocumentSessions(
                of: personID,
                realmID: realmID,
                at: now
            )
            return others.count + documented
        }
    }
}

extension BrowserSessionStore {
    private static let liveByPerson: SQLText = """
        SELECT \(BrowserSessionColumn.self) FROM live_browser_sessions
        WHERE person_id = $1 AND realm_id = $2 AND alive_until > $3 AND last_seen_at > $4
        ORDER BY last_seen_at DESC, id DESC LIMIT $5
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
