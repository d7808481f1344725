import PorticoBytes

/// A person's session as a client has it: with a live grant (``GrantStore``) of its own.
package struct ClientSession: Hashable, Sendable {
    /// `sid`; of an offline grant without one, the grant's id.
    package var id: String
    package var personID: String
    package var username: String
    /// Seconds since 1970, like ``lastSeenAt``.
    package var startedAt: Int64
    package var lastSeenAt: Int64
}

/// How many sessions a client (its UUID) has.
package struct ClientSessionCount: Hashable, Sendable {
    package var clientID: String
    package var active: Int64
    package var offline: Int64
}

/// Where a realm's people are signed in, client by client.
extension SessionStore {
    /// A client's sessions, in the order of user names.
    ///
    /// - Parameters:
    ///   - personID: `nil`: of everyone.
    ///   - areOffline: Those that outlive the browser's, one for each grant.
    package func sessions(
        ofClient clientID: String,
        of personID: String?,
        realmID: String,
        areOffline: Bool,
        at now: Int64,
        idle: Int64,
        first: Int,
        limit: Int
    ) async throws -> [ClientSession] {
        let page: [SQLValue] = [.int64(Int64(max(0, limit))), .int64(Int64(max(0, first)))]
        let key: [SQLValue] = [.text(realmID), .text(clientID), SQLValue(personID), .int64(now)]
        return try await database.scan { reader in
            guard areOffline else {
                let arguments = key + [.int64(now &- idle)] + page
                return try reader.rows(Self.ofClient, arguments) { row in
                    ClientSession(
                        id: try row.text(0),
                        personID: try row.text(1),
                        username: try row.text(2),
                        startedAt: try row.int64(3),
                        lastSeenAt: try row.int64(4)
                    )
                }
            }
            return try reader.rows(Self.offlineOfClient, key + page) { row in
                ClientSession(
                    id: try row.optionalText(0) ?? row.uniqueID(5).text,
                    personID: try row.text(1),
                    username: try row.text(2),
                    startedAt: try row.int64(3),
                    lastSeenAt: try row.int64(4)
                )
            }
        }
    }

    /// How many sessions the clients have that have any.
    ///
    /// - Parameter clientID: `nil`: of all.
    package func counts(
        ofClient clientID: String?,
        realmID: String,
        at now: Int64,
        idle: Int64
    ) async throws -> [ClientSessionCount] {
        let key: [SQLValue] = [.text(realmID), SQLValue(clientID), .int64(now)]
        return try await database.scan { reader in
            var counts: [String: ClientSessionCount] = [:]
            func counted(_ row: any SQLRow) throws -> (id: String, count: Int64) {
                (try row.text(0), try row.int64(1))
            }
            for (id, count) in try reader.rows(
                Self.countByClient,
                key + [.int64(now &- idle)],
                decode: counted
            ) {
                counts[id] = ClientSessionCount(clientID: id, active: count, offline: 0)
            }
            for (id, count) in try reader.rows(Self.offlineByClient, key, decode: counted) {
                var known = counts[id] ?? ClientSessionCount(clientID: id, active: 0, offline: 0)
                known.offline = count
                counts[id] = known
            }
            return counts.values.sorted { $0.clientID < $1.clientID }
        }
    }

    /// Ends every session of a realm, a few at a time, as ``end(id:realmID:at:)`` does.
    package func endAll(realmID: String, at now: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT id FROM sessions
                WHERE id > $1 AND realm_id = $2 AND ended_at IS NULL AND expires_at > $3
                ORDER BY id LIMIT 200
                """,
                [cursor ?? .text(""), .text(realmID), .int64(now)]
            ) { SQLValue.text(try $0.text(0)) }
        } removing: { transaction, id in
            guard case .text(let id) = id else { return }
            try transaction.endSession(id, realmID: realmID, at: now)
        }
    }
}

extension SessionStore {
    private static let ofClient: SQLText = """
        SELECT s.id, p.id, p.username, s.created_at, s.last_seen_at
        FROM live_sessions AS s JOIN people AS p ON p.id = s.person_id
        WHERE s.realm_id = $1 AND EXISTS (
                SELECT 1 FROM live_grants AS g
                WHERE g.session_id = s.id AND g.client_id = $2 AND NOT g.is_offline
                    AND ($3 IS NULL OR g.person_id = $3) AND g.alive_until > $4
                    AND (g.has_own_times OR (s.alive_until > $4
                        AND (s.idle_seconds IS NOT NULL OR s.last_seen_at > $5))))
        ORDER BY p.username, s.id LIMIT $6 OFFSET $7
        """

    private static let offlineOfClient: SQLText = """
        SELECT g.session_id, p.id, p.username, g.created_at, COALESCE(g.rotated_at, g.created_at),
            g.id
        FROM live_grants AS g JOIN people AS p ON p.id = g.person_id
        WHERE g.realm_id = $1 AND g.client_id = $2 AND g.is_offline
            AND ($3 IS NULL OR g.person_id = $3) AND g.alive_until > $4
        ORDER BY p.username, g.id LIMIT $5 OFFSET $6
        """

    private static let countByClient: SQLText = """
        SELECT g.client_id, COUNT(DISTINCT s.id)
        FROM live_grants AS g JOIN live_sessions AS s ON s.id = g.session_id
        WHERE g.realm_id = $1 AND ($2 IS NULL OR g.client_id = $2) AND NOT g.is_offline
            AND g.alive_until > $3
            AND (g.has_own_times OR (s.alive_until > $3
                AND (s.idle_seconds IS NOT NULL OR s.last_seen_at > $4)))
        GROUP BY g.client_id
        """

    private static let offlineByClient: SQLText = """
        SELECT g.client_id, COUNT(*) FROM live_grants AS g
        WHERE g.realm_id = $1 AND ($2 IS NULL OR g.client_id = $2) AND g.is_offline
            AND g.alive_until > $3
        GROUP BY g.client_id
        """
}
