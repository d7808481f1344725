package import PorticoBytes

/// A refresh token of the server that a realm comes from, and the session it belongs to there
/// (docs/decisions/0051).
package struct MovedToken: Hashable, Sendable {
    /// What is good once.
    package var hash: Hash256
    package var realmID: String
    /// `sid`.
    package var sessionID: String
    package var isOffline: Bool
    /// `client_id`.
    package var clientID: String

    package init(
        hash: Hash256,
        realmID: String,
        sessionID: String,
        isOffline: Bool,
        clientID: String
    ) {
        self.hash = hash
        self.realmID = realmID
        self.sessionID = sessionID
        self.isOffline = isOffline
        self.clientID = clientID
    }
}

/// What is known of such a token.
package struct MovedReading: Hashable, Sendable {
    /// What it was swapped for.
    package var grantID: UniqueID?
    /// Its session on the list of the server before, if it is there for this client.
    package var listed: ListedSession?
    /// Whether its session has ended here.
    package var isEnded: Bool
}

/// A session that was alive at the server before, for one client. Times are seconds since 1970.
package struct ListedSession: Hashable, Sendable {
    package var sessionID: String
    package var isOffline: Bool
    package var clientID: String
    package var personID: String
    package var startedAt: Int64

    package init(
        sessionID: String,
        isOffline: Bool,
        clientID: String,
        personID: String,
        startedAt: Int64
    ) {
        self.sessionID = sessionID
        self.isOffline = isOffline
        self.clientID = clientID
        self.personID = personID
        self.startedAt = startedAt
    }
}

package enum SwapOutcome: Hashable, Sendable {
    case swapped
    /// It is used up: read again.
    case usedBefore
    case sessionEnded
    /// The person is gone or disabled, or was signed out everywhere since.
    case personGone
    case spentBefore(SpentOnce.Kind)
}

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

/// Swapping the refresh tokens of the server that a realm comes from (docs/decisions/0051).
extension GrantStore {
    package func moved(_ token: MovedToken) async throws -> MovedReading {
        try await database.read { try $0.moved(token) }
    }

    /// Uses an old token up and keeps the grant that it is swapped for.
    ///
    /// Of any number of concurrent calls with one hash exactly one gets `.swapped`, and only while
    /// its session has not ended here and its person is enabled and was not signed out everywhere
    /// since the move. Otherwise nothing happens.
    ///
    /// - Parameters:
    ///   - session: The browser session that the grant hangs on: it begins, or goes on where another
    ///     client's token began it. `nil` for an offline grant.
    ///   - issuedAt: `iat` of the token.
    package func swap(
        _ token: MovedToken,
        for grant: Grant,
        in session: PersonSession?,
        issuedAt: Int64,
        spending used: [SpentOnce],
        at now: Int64
    ) async throws -> SwapOutcome {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            let reading = try transaction.moved(token)
            guard reading.grantID == nil else { return .usedBefore }
            guard !reading.isEnded else { return .sessionEnded }
            // No one from before the move was signed out everywhere yet: their epoch is 0.
            let isThere = try transaction.hasRow(
                """
                SELECT 1 FROM people
                WHERE id = $1 AND realm_id = $2 AND is_enabled AND epoch = 0 AND not_before <= $3
                """,
                [SQLValue(grant.personID), .text(token.realmID), .int64(issuedAt)]
            )
            guard isThere else { return .personGone }
            if let session {
                guard try transaction.hasRow(Self.goOn, session.values(isNew: false)) else {
                    return .sessionEnded
                }
                try transaction.note(session)
            }
            try transaction.run(
                "INSERT INTO swapped_tokens (hash, realm_id, grant_id) VALUES ($1, $2, $3)",
                [.bytes(token.hash.bytes), .text(token.realmID), .bytes(grant.id.bytes)]
            )
            try transaction.run(Self.keep, grant.values + [.null, .null, .null])
            return .swapped
        }
    }

    /// Ends what an old token stands for: its client's part of the session, used up or not. It, and
    /// every other old token of that part, is not swapped any more, and what some were swapped for is
    /// revoked (RFC 7009 §2.1).
    ///
    /// - Parameter clientID: The client's UUID.
    package func endPart(
        ofSession token: MovedToken,
        of clientID: String,
        spending used: [SpentOnce],
        at now: Int64
    ) async throws -> Spending {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            try transaction.endMoved(
                token.sessionID,
                isOffline: token.isOffline,
                clientID: token.clientID,
                realmID: token.realmID,
                at: now
            )
            let grants = try transaction.grants(of: token)
            for (id, client) in grants where sameBytes(client, clientID) {
                try transaction.revoke(id, at: now)
            }
            return .spent
        }
    }

    /// Ends the session of an old token, for every client: the offline one, too, if it is an offline
    /// token's.
    ///
    /// - Returns: Whether the session had come here.
    package func signOut(
        _ token: MovedToken,
        spending used: [SpentOnce],
        at now: Int64
    ) async throws -> SignOutOfMoved {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            for isOffline in token.isOffline ? [true, false] : [false] {
                try transaction.endMoved(
                    token.sessionID,
                    isOffline: isOffline,
                    clientID: "",
                    realmID: token.realmID,
                    at: now
                )
            }
            if token.isOffline {
                for (id, _) in try transaction.grants(of: token) {
                    try transaction.revoke(id, at: now)
                }
            }
            let ending = try transaction.endSession(
                token.sessionID,
                realmID: token.realmID,
                at: now
            )
            return ending == .notFound ? .ended : .endedHere
        }
    }
}

package enum SignOutOfMoved: Hashable, Sendable {
    /// It had not come here, and does not any more.
    case ended
    case endedHere
    case spentBefore(SpentOnce.Kind)
}

extension SessionStore {
    /// Whether a session of the server before may come here yet: it has not, and has not ended.
    package func mayCome(id: String, realmID: String) async throws -> Bool {
        try await database.read { reader in
            try !reader.hasRow(
                """
                SELECT 1 FROM sessions WHERE id = $1 AND realm_id = $2
                UNION ALL SELECT 1 FROM moved_sessions
                WHERE realm_id = $2 AND sid = $1 AND NOT is_offline AND client_id = ''
                    AND ended_at IS NOT NULL
                """,
                [.text(id), .text(realmID)]
            )
        }
    }

    /// Keeps that a session of the server before has ended, and ends it if it has just come.
    package func endMoved(id: String, realmID: String, at now: Int64) async throws {
        try await database.change { transaction in
            try transaction.endMoved(
                id,
                isOffline: false,
                clientID: "",
                realmID: realmID,
                at: now
            )
            try transaction.endSession(id, realmID: realmID, at: now)
        }
    }
}

extension GrantStore {
    private static let goOn: SQLText = """
        \(SessionStore.insert)
        ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at,
            expires_at = CASE WHEN sessions.expires_at < excluded.expires_at
                THEN excluded.expires_at ELSE sessions.expires_at END
        WHERE sessions.realm_id = excluded.realm_id
            AND sessions.person_id = excluded.person_id
            AND sessions.epoch = excluded.epoch AND sessions.ended_at IS NULL
        RETURNING id
        """
}

extension SQLReader {
    fileprivate func moved(_ token: MovedToken) throws -> MovedReading {
        let grantID = try first(
            "SELECT grant_id FROM swapped_tokens WHERE hash = $1",
            [.bytes(token.hash.bytes)]
        ) { try $0.uniqueID(0) }
        let rows = try rows(
            """
            SELECT client_id, person_id, started_at, listed_at, ended_at FROM moved_sessions
            WHERE realm_id = $1 AND sid = $2 AND is_offline = $3 AND client_id IN ('', $4)
            """,
            [
                .text(token.realmID), .text(token.sessionID), .bool(token.isOffline),
                .text(token.clientID),
            ]
        ) { row in
            (
                session: ListedSession(
                    sessionID: token.sessionID,
                    isOffline: token.isOffline,
                    clientID: try row.text(0),
                    personID: try row.text(1),
                    startedAt: try row.int64(2)
                ), isListed: try row.optionalInt64(3) != nil,
                isEnded: try row.optionalInt64(4) != nil
            )
        }
        return MovedReading(
            grantID: grantID,
            listed: rows.first(where: \.isListed)?.session,
            isEnded: rows.contains(where: \.isEnded)
        )
    }

    /// The grants that hang on the session of an old token, or came from it, each with its client.
    fileprivate func grants(of token: MovedToken) throws -> [(UniqueID, String)] {
        try rows(
            """
            SELECT id, client_id FROM grants
            WHERE session_id = $1 AND realm_id = $2 AND is_offline = $3
            """,
            [.text(token.sessionID), .text(token.realmID), .bool(token.isOffline)]
        ) { (try $0.uniqueID(0), try $0.text(1)) }
    }
}

extension SQLTransaction {
    /// Keeps a browser session among those of before, so that its end is kept as well.
    fileprivate func note(_ session: PersonSession) throws {
        try run(
            """
            INSERT INTO moved_sessions (realm_id, sid, is_offline, client_id, person_id, started_at)
            VALUES ($1, $2, $3, '', $4, $5)
            ON CONFLICT DO NOTHING
            """,
            [
                .text(session.realmID), .text(session.id), .bool(false), .text(session.personID),
                .int64(session.createdAt),
            ]
        )
    }

    /// Keeps that a session of before has ended. The time of its first end stays.
    fileprivate func endMoved(
        _ id: String,
        isOffline: Bool,
        clientID: String,
        realmID: String,
        at now: Int64
    ) throws {
        try run(
            """
            INSERT INTO moved_sessions (realm_id, sid, is_offline, client_id, person_id, started_at,
                ended_at)
            VALUES ($1, $2, $3, $4, '', $5, $5)
            ON CONFLICT (realm_id, sid, is_offline, client_id) DO UPDATE
            SET ended_at = excluded.ended_at WHERE moved_sessions.ended_at IS NULL
            """,
            [
                .text(realmID), .text(id), .bool(isOffline), .text(clientID), .int64(now),
            ]
        )
    }
}
