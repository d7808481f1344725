extension SQLDatabase {
    /// Writes many things in their order, a few in each transaction, and leaves the database to others
    /// in between: no request waits behind more than one chunk.
    func change<Element: Sendable>(
        _ elements: [Element],
        _ body: @escaping @Sendable (any SQLTransaction, Element) throws -> Void
    ) async throws {
        var rest = elements[...]
        while !rest.isEmpty {
            let now = Array(rest.prefix(100))
            rest = rest.dropFirst(100)
            try await changeAndPause { transaction in
                for element in now { try body(transaction, element) }
            }
        }
    }

    /// Writes, then waits for as long as that took, or for long enough that another process, which asks
    /// every millisecond, has begun.
    func changeAndPause<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        let begin = ContinuousClock.now
        let value = try await change(body)
        try await Task.sleep(for: min(ContinuousClock.now - begin, .milliseconds(3)))
        return value
    }
}
