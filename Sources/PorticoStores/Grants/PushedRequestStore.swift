package import PorticoBytes

/// Keeps pushed authorization requests until they expire.
package struct PushedRequestStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps a request, and spends what is good once, in one step.
    package func push(
        _ request: PushedRequest,
        spending used: [UsedAssertion],
        at now: Int64
    ) async throws -> Spending {
        try await database.change { transaction in
            if let kind = try transaction.spend(used) { return .spentBefore(kind) }
            try transaction.run(
                """
                INSERT INTO pushed_requests (hash, realm_id, client_id, request_id, parameters,
                    expires_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    .bytes(request.hash.bytes), .text(request.realmID), .text(request.clientID),
                    .bytes(request.requestID.bytes), .bytes(request.parameters),
                    .int64(request.expiresAt),
                ]
            )
            return .spent
        }
    }

    /// The request of that hash, expired or not, while it is kept.
    package func pushedRequest(_ hash: Hash256, realmID: String) async throws -> PushedRequest? {
        try await database.read { reader in
            try reader.first(
                """
                SELECT hash, realm_id, client_id, request_id, parameters, expires_at
                FROM pushed_requests WHERE hash = $1 AND realm_id = $2
                """,
                [.bytes(hash.bytes), .text(realmID)]
            ) { row in
                PushedRequest(
                    hash: try row.hash(0),
                    realmID: try row.text(1),
                    clientID: try row.text(2),
                    requestID: try row.uniqueID(3),
                    parameters: try row.bytes(4),
                    expiresAt: try row.int64(5)
                )
            }
        }
    }

    /// Removes requests that expired before `time` (seconds since 1970).
    package func purgePushedRequests(before time: Int64) async throws {
        try await database.purge { reader, cursor in
            try reader.rows(
                """
                SELECT hash FROM pushed_requests WHERE hash > $1 AND expires_at < $2
                ORDER BY hash LIMIT 200
                """,
                [cursor ?? .bytes([]), .int64(time)]
            ) { SQLValue.bytes(try $0.bytes(0)) }
        } removing: { transaction, hash in
            try transaction.run("DELETE FROM pushed_requests WHERE hash = $1", [hash])
        }
    }
}
