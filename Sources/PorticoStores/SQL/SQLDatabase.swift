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
