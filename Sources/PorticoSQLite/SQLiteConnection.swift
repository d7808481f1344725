import GRDBSQLite
import PorticoSQL

/// One connection with the statements it has prepared. It is used by one thread at a time: GRDB
/// sees to that.
final class SQLiteConnection: SQLTransaction {
    private let handle: OpaquePointer
    /// By the address of their literal: no long text is hashed on the way of a request.
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

    init(handle: OpaquePointer) {
        self.handle = handle
    }

    func rows<Element>(
        _ sql: StaticString,
        _ arguments: [SQLValue],
        decode: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try statement(sql).run(arguments) { elements.append(try decode($0)) }
        return elements
    }

    @discardableResult
    func run(_ sql: StaticString, _ arguments: [SQLValue]) throws -> Int {
        try statement(sql).run(arguments) { _ in }
        return Int(clamping: sqlite3_changes64(handle))
    }

    /// Whether a transaction is open. SQLite ends one by itself after some errors.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func forgetStatements() {
        statements = [:]
    }

    private func statement(_ sql: StaticString) throws -> SQLiteStatement {
        if let kept = statements[sql.utf8Start], !kept.isRunning { return kept }
        let prepared = try SQLiteStatement(sql, on: handle)
        if statements[sql.utf8Start] == nil { statements[sql.utf8Start] = prepared }
        return prepared
    }
}
