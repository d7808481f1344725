package import PorticoBytes

/// Something that is good once.
package struct SpentOnce: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A client assertion (RFC 7523 §3: `jti`).
        case assertion
        /// A proof of possession (RFC 9449 §11.1: `jti`).
        case proof
        /// A code challenge, where each is good for one code.
        case challenge
        /// What no client sends: a mailed link, an attempt to sign in at an identity provider, its nonce, its
        /// token.
        case other
    }

    package var kind: Kind
    /// Of all that it is known again by: realm, client and `jti` of an assertion.
    package var hash: Hash256
    /// When it is no longer accepted anyway. Seconds since 1970.
    package var expiresAt: Int64
    /// It counts only where this was spent before: what follows from a question, for instance, only where
    /// the question was put.
    package var after: Hash256?

    package init(_ kind: Kind = .other, hash: Hash256, expiresAt: Int64, after: Hash256? = nil) {
        self.kind = kind
        self.hash = hash
        self.expiresAt = expiresAt
        self.after = after
    }
}

extension SQLReader {
    func wasSpent(_ hash: Hash256) throws -> Bool {
        try hasRow("SELECT 1 FROM spent_once WHERE hash = $1", [.bytes(hash.bytes)])
    }
}

extension SQLTransaction {
    /// Spends what a request has, in this order: what was presented is good no second time.
    ///
    /// - Returns: What was spent before, if anything; what follows it is not spent.
    func spend(_ spending: [SpentOnce]) throws -> SpentOnce.Kind? {
        try spending.first { try !spend($0) }?.kind
    }

    /// Spends everything, or nothing.
    ///
    /// - Returns: `false` where something was spent before.
    func spendAll(_ spending: [SpentOnce]) throws -> Bool {
        for (index, one) in spending.enumerated() where try !spend(one) {
            for earlier in spending[..<index] {
                try run("DELETE FROM spent_once WHERE hash = $1", [.bytes(earlier.hash.bytes)])
            }
            return false
        }
        return true
    }

    /// - Returns: `false` where it was spent before, or what it follows was not.
    private func spend(_ one: SpentOnce) throws -> Bool {
        try hasRow(
            """
            INSERT INTO spent_once (hash, expires_at)
            SELECT $1, $2
            WHERE $3 IS NULL OR EXISTS (SELECT 1 FROM spent_once WHERE hash = $3)
            ON CONFLICT DO NOTHING RETURNING hash
            """,
            [.bytes(one.hash.bytes), .int64(one.expiresAt), SQLValue(one.after)]
        )
    }
}

extension SQLDatabase {
    /// Forgets what has not been accepted since before `time`.
    func purgeSpent(before time: Int64) async throws {
        try await purge(
            before: time,
            """
            SELECT hash FROM spent_once WHERE hash > $1 AND expires_at < $2
            ORDER BY hash LIMIT 200
            """,
            "DELETE FROM spent_once WHERE hash = $1"
        )
    }
}
