import PorticoProtocol

/// One client that got a grant in one session, and has not been told yet that this is over.
package struct LogoutDelivery: Hashable, Sendable {
    /// `sid`.
    package var sessionID: String
    /// The client's UUID.
    package var clientID: String
    package var realmID: String
    package var personID: String
    /// Attempts to tell, those under way included.
    package var attempts: Int64
}

/// Keeps whom of the clients must still be told that a session is over (OpenID Connect Back-Channel
/// Logout §2.3, §2.5).
///
/// ``SessionStore`` and ``PersonStore`` put deliveries down in the transaction that ends the
/// session, so that none is lost; this is how they leave again.
package struct LogoutDeliveryStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Takes deliveries that are due, the one that waits longest first, and counts the attempt that
    /// begins. Of any number of concurrent calls exactly one gets a delivery; it is due again at
    /// `lease`, in case its taker never comes back. Seconds since 1970.
    package func claim(at now: Int64, until lease: Int64, limit: Int) async throws
        -> [LogoutDelivery]
    {
        // Asked every second, with nothing to do nearly always: that costs a look, not a commit.
        let isAnyDue = try await database.read { reader in
            try reader.hasRow(
                "SELECT 1 FROM logout_deliveries WHERE due_at <= $1 LIMIT 1",
                [.int64(now)]
            )
        }
        guard isAnyDue else { return [] }
        return try await database.change { transaction in
            let due = try transaction.rows(
                """
                SELECT session_id, client_id, realm_id, person_id, attempts
                FROM logout_deliveries WHERE due_at <= $1
                ORDER BY due_at, session_id, client_id LIMIT $2
                """,
                [.int64(now), .int64(Int64(max(0, limit)))]
            ) { row in
                LogoutDelivery(
                    sessionID: try row.text(0),
                    clientID: try row.text(1),
                    realmID: try row.text(2),
                    personID: try row.text(3),
                    attempts: try row.int64(4) &+ 1
                )
            }
            for delivery in due { try transaction.postpone(delivery, until: lease) }
            return due
        }
    }

    /// Removes what is done with, and puts off the rest, each until its time (seconds since 1970),
    /// with its count of attempts as it is given. What is not there any more stays away.
    package func settle(
        _ done: [LogoutDelivery],
        postponing: [(delivery: LogoutDelivery, until: Int64)]
    ) async throws {
        guard !done.isEmpty || !postponing.isEmpty else { return }
        try await database.change { transaction in
            for delivery in done {
                try transaction.run(
                    "DELETE FROM logout_deliveries WHERE session_id = $1 AND client_id = $2",
                    [.text(delivery.sessionID), .text(delivery.clientID)]
                )
            }
            for (delivery, time) in postponing { try transaction.postpone(delivery, until: time) }
        }
    }
}

extension SQLTransaction {
    fileprivate func postpone(_ delivery: LogoutDelivery, until time: Int64) throws {
        try run(
            """
            UPDATE logout_deliveries SET due_at = $1, attempts = $2
            WHERE session_id = $3 AND client_id = $4
            """,
            [
                .int64(time), .int64(delivery.attempts), .text(delivery.sessionID),
                .text(delivery.clientID),
            ]
        )
    }

    /// Puts down every client to be told that this session is over. To be called before it ends; where
    /// its person was signed out everywhere, they were told of it then.
    func tellClients(ofSession id: String, realmID: String) throws {
        try tell(
            try rows(
                """
                SELECT DISTINCT s.id, s.realm_id, s.person_id, c.id, c.settings
                FROM live_sessions AS s
                JOIN grants AS g ON g.session_id = s.id AND g.refused_at IS NULL
                JOIN clients AS c ON c.id = g.client_id AND c.realm_id = s.realm_id
                WHERE s.id = $1 AND s.realm_id = $2
                """,
                [.text(id), .text(realmID)],
                decode: ToldClient.init(row:)
            )
        )
    }

    /// Puts down every client to be told that this person's sessions are over. To be called before
    /// they end.
    ///
    /// A session that has expired counts, too: a client's own may have outlived it.
    func tellClients(ofPerson id: String) throws {
        try tell(
            try rows(
                """
                SELECT DISTINCT s.id, s.realm_id, s.person_id, c.id, c.settings
                FROM live_sessions AS s
                JOIN grants AS g ON g.session_id = s.id AND g.refused_at IS NULL
                JOIN clients AS c ON c.id = g.client_id AND c.realm_id = s.realm_id
                WHERE s.person_id = $1
                """,
                [.text(id)],
                decode: ToldClient.init(row:)
            )
        )
    }

    private func tell(_ clients: [ToldClient]) throws {
        for client in clients where client.wantsToKnow {
            try run(
                """
                INSERT INTO logout_deliveries (session_id, client_id, realm_id, person_id,
                    attempts, due_at)
                VALUES ($1, $2, $3, $4, 0, 0)
                ON CONFLICT DO NOTHING
                """,
                [
                    .text(client.sessionID), .text(client.clientID), .text(client.realmID),
                    .text(client.personID),
                ]
            )
        }
    }
}

/// A client that got a grant in a session.
private struct ToldClient {
    let sessionID: String
    let realmID: String
    let personID: String
    let clientID: String
    /// Whether it has an address to be told at.
    let wantsToKnow: Bool

    init(row: any SQLRow) throws {
        sessionID = try row.text(0)
        realmID = try row.text(1)
        personID = try row.text(2)
        clientID = try row.text(3)
        wantsToKnow = try row.document(4).string("backchannel_logout_uri") != nil
    }
}
