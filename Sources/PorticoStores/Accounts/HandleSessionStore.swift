package import PorticoBytes

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
    package func live(_ id: UniqueID, at now: Int64) async throws -> LiveHandleSession? {
        try await database.read { reader in
            let live = try reader.first(
                Self.liveByID,
                [.bytes(id.bytes), .int64(now)],
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
    private static let liveByID: SQLText = """
        SELECT \(AccountSessionColumn.self, of: "s"), \(AccountColumn.self, of: "a"),
            \(HandleSessionColumn.self, of: "h")
        FROM handle_sessions AS h JOIN live_account_sessions AS s ON s.id = h.session_id
        JOIN accounts AS a ON a.id = s.account_id
        WHERE h.session_id = $1 AND s.alive_until > $2
        """

    private static let liveOfForeignSeal: SQLText = """
        SELECT \(AccountSessionColumn.self, of: "s"), \(AccountColumn.self, of: "a"),
            \(HandleSessionColumn.self, of: "h")
        FROM handle_sessions AS h JOIN live_account_sessions AS s ON s.id = h.session_id
        JOIN accounts AS a ON a.id = s.account_id
        WHERE h.did = $1 AND h.takes_foreign AND h.foreign_until > $2 AND s.alive_until > $2
        """
}

extension SQLReader {
    fileprivate func withProviders(_ live: LiveHandleSession?) throws -> LiveHandleSession? {
        guard var live else { return nil }
        live.live.providers = try providers(of: live.live.account.id)
        return live
    }

    func handleSession(_ id: UniqueID) throws -> HandleSession? {
        try first(Statement.byID, [.bytes(id.bytes)]) { try HandleSession($0) }
    }
}

extension SQLTransaction {
    /// Puts in what a sign-in by handle brings.
    func insert(_ new: NewHandleSession, of sessionID: UniqueID, at now: Int64) throws {
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
                    SELECT 1 FROM live_account_sessions AS l
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
        of accountID: UniqueID,
        but newest: UniqueID,
        at now: Int64
    ) throws {
        let ids = try rows(
            Statement.superfluous,
            [.bytes(accountID.bytes), .int64(now), .bytes(newest.bytes)]
        ) { try $0.uniqueID(0) }
        for id in ids where try end(id, at: now) {
            try note(.signedOut, ofSession: id, reason: "too_many", at: now)
        }
    }
}

private enum Statement {
    static let byID: SQLText = """
        SELECT \(HandleSessionColumn.self) FROM handle_sessions WHERE session_id = $1
        """

    static let superfluous: SQLText = """
        SELECT l.id FROM live_account_sessions AS l
        JOIN handle_sessions AS h ON h.session_id = l.id
        WHERE l.account_id = $1 AND l.alive_until > $2 AND l.id <> $3
        ORDER BY l.last_seen_at DESC, l.id DESC LIMIT 1000 OFFSET 49
        """

    static let insert: SQLText = """
        INSERT INTO handle_sessions (\(HandleSessionColumn.self), tries)
        VALUES (\(valuesOf: HandleSessionColumn.self), 0)
        """
}
