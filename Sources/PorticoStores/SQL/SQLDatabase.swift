import PorticoBytes

/// A database that the stores are written over: SQLite now, PostgreSQL as one more driver.
///
/// The SQL of the stores is what SQLite 3.40 and PostgreSQL 15 both understand: placeholders `$1`,
/// `$2`, … in the order of their first appearance, `ON CONFLICT DO NOTHING RETURNING`, and no
/// function that only one of them has. Texts are ordered by their bytes.
package protocol SQLDatabase: Sendable {
    /// Runs `body` in a read transaction: everything it sees is of one moment.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLReader) throws -> Value)
        async throws -> Value

    /// Like ``read(_:)``, for reads that may take long: requests do not wait for them.
    func scan<Value: Sendable>(_ body: @escaping @Sendable (any SQLReader) throws -> Value)
        async throws -> Value

    /// Runs `body` in a transaction that is durable when this returns, and as if no other ran at
    /// the same time. It runs to its end even where the calling task is cancelled.
    ///
    /// `body` may be run more than once before it counts, so it draws nothing (no random value, no
    /// time) and changes nothing but the database. What it throws undoes all that it wrote.
    ///
    /// - Throws: `StoreBusy` where the database cannot take it now.
    @discardableResult
    func write<Value: Sendable>(_ body: @escaping @Sendable (any SQLTransaction) throws -> Value)
        async throws -> Value
}

/// Questions inside a transaction.
package protocol SQLReader {
    /// Every row of a query, decoded. A row is only there while `decode` runs.
    ///
    /// - Parameter sql: A literal: a driver keeps the prepared statement by its address.
    func rows<Element>(
        _ sql: SQLText,
        _ arguments: [SQLValue],
        decode: (any SQLRow) throws -> Element
    ) throws -> [Element]
}

/// Questions and changes inside a transaction.
package protocol SQLTransaction: SQLReader {
    /// Runs one statement.
    ///
    /// - Returns: How many rows it inserted, updated or deleted, not counting cascades.
    @discardableResult
    func run(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int
}

extension SQLReader {
    /// The first row of a query, decoded.
    package func first<Element>(
        _ sql: SQLText,
        _ arguments: [SQLValue],
        decode: (any SQLRow) throws -> Element
    ) throws -> Element? {
        try rows(sql, arguments, decode: decode).first
    }

    /// The rows of a query, decoded, by the text in their first column, in their order.
    func grouped<Element>(
        _ sql: SQLText,
        _ arguments: [SQLValue],
        decode: (any SQLRow) throws -> Element
    ) throws -> [String: [Element]] {
        let rows = try rows(sql, arguments) { (key: try $0.text(0), value: try decode($0)) }
        return Dictionary(grouping: rows, by: \.key).mapValues { $0.map(\.value) }
    }

    /// Whether a query has a row; for `INSERT … RETURNING`: whether it inserted one.
    package func hasRow(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Bool {
        try !rows(sql, arguments) { _ in () }.isEmpty
    }
}

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
    /// Runs an `INSERT … ON CONFLICT DO NOTHING RETURNING …`.
    func create(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Creation {
        try hasRow(sql, arguments) ? .created : .conflict
    }

    /// Runs a statement that changes one thing.
    func change(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Change {
        try run(sql, arguments) > 0 ? .changed : .notFound
    }

    /// - Parameter former: What a change was made from; `nil`: whatever is kept.
    /// - Throws: ``ChangedMeanwhile`` where something else is kept, or nothing.
    func expect<Value: Equatable>(_ kept: Value?, toBe former: Value?) throws(ChangedMeanwhile) {
        guard former == nil || kept == former else { throw ChangedMeanwhile() }
    }
}

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

    /// The same, where one statement finds the keys and one deletes.
    ///
    /// - Parameters:
    ///   - time: Rows from before are found.
    ///   - start: Lies before every key.
    ///   - find: Of the last key and the time, for at most 200 keys.
    ///   - remove: Of a key, and of the time too where a row may have been renewed since it was found.
    func purge(
        before time: Int64,
        from start: SQLValue = .bytes([]),
        _ find: SQLText,
        _ remove: SQLText,
        isRenewed: Bool = false
    ) async throws {
        let time = SQLValue.int64(time)
        try await purge { reader, cursor in
            try reader.rows(find, [cursor ?? start, time]) { row in
                switch start {
                case .text: .text(try row.text(0))
                case .int64: .int64(try row.int64(0))
                default: .bytes(try row.bytes(0))
                }
            }
        } removing: { transaction, key in
            try transaction.run(remove, isRenewed ? [key, time] : [key])
        }
    }
}
