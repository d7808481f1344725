package import PorticoBytes

/// An authorization request that a client pushed (RFC 9126).
package struct PushedRequest: Hashable, Sendable {
    /// The SHA-256 of the random part of `request_uri`.
    package var hash: Hash256
    package var realmID: String
    /// The UUID of the client that pushed it.
    package var clientID: String
    /// The request id that a code made from it carries.
    package var requestID: UniqueID
    /// The parameters, form-encoded, without client authentication; sealed.
    package var parameters: [UInt8]
    /// Seconds since 1970.
    package var expiresAt: Int64

    package init(
        hash: Hash256,
        realmID: String,
        clientID: String,
        requestID: UniqueID,
        parameters: [UInt8],
        expiresAt: Int64
    ) {
        self.hash = hash
        self.realmID = realmID
        self.clientID = clientID
        self.requestID = requestID
        self.parameters = parameters
        self.expiresAt = expiresAt
    }
}

/// Keeps pushed authorization requests until they expire.
package struct PushedRequestStore: Sendable {
    let database: any SQLDatabase

    package init(_ database: any SQLDatabase) {
        self.database = database
    }

    /// Keeps a request, and spends what is good once, in one step.
    package func push(
        _ request: PushedRequest,
        spending used: [SpentOnce],
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
        try await database.purge(
            before: time,
            """
            SELECT hash FROM pushed_requests WHERE hash > $1 AND expires_at < $2
            ORDER BY hash LIMIT 200
            """,
            "DELETE FROM pushed_requests WHERE hash = $1"
        )
    }
}
