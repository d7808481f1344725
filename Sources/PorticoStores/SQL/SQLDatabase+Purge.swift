extension SQLDatabase {
    /// Removes dead rows a few at a time, so that no request waits long behind it.
    ///
    /// Finding them reads much, so it happens beside the requests; what is found once is dead for
    /// good.
    ///
    /// - Parameters:
    ///   - find: The keys of at most 200 dead rows behind a key, in the order of keys.
    ///   - remove: Deletes the row of a key.
    func purge(
        finding find: @escaping @Sendable (any SQLReader, SQLValue?) throws -> [SQLValue],
        removing remove: @escaping @Sendable (any SQLTransaction, SQLValue) throws -> Void
    ) async throws {
        var cursor: SQLValue?
        while true {
            let keys = try await scan { [cursor] in try find($0, cursor) }
            guard let last = keys.last else { return }
            try await write { transaction in
                for key in keys { try remove(transaction, key) }
            }
            cursor = last
        }
    }
}
