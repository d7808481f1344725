import PorticoBytes

extension SQLDatabase {
    /// Writes, and says in the stores' words what the database refuses.
    ///
    /// - Throws: ``StoreConflict`` where two things would have one name, ``MissingReference`` where
    ///   something named is not there.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await write(body)
        } catch let error as SQLError where error.reason == .uniqueViolation {
            throw StoreConflict()
        } catch let error as SQLError where error.reason == .foreignKeyViolation {
            throw MissingReference()
        }
    }
}

extension SQLTransaction {
    /// - Parameter former: What a change was made from; `nil`: whatever is kept.
    /// - Throws: ``ChangedMeanwhile`` where something else is kept, or nothing.
    func expect<Value: Equatable>(_ kept: Value?, toBe former: Value?) throws(ChangedMeanwhile) {
        guard former == nil || kept == former else { throw ChangedMeanwhile() }
    }

    /// Spends what a request has that is good once, in this order.
    ///
    /// - Returns: What was spent before, if anything; what follows it is not spent.
    func spend(_ used: [UsedAssertion]) throws -> UsedAssertion.Kind? {
        try used.first { used in
            try !hasRow(
                """
                INSERT INTO used_assertions (hash, expires_at) VALUES ($1, $2)
                ON CONFLICT DO NOTHING RETURNING hash
                """,
                [.bytes(used.hash.bytes), .int64(used.expiresAt)]
            )
        }?.kind
    }
}
