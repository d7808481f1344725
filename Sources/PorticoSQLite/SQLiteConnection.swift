import CSQLite
import PorticoStores
import PorticoSystem

/// One connection with the statements it has prepared.
///
/// It is used by one thread at a time: its holder ensures that.
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// By the address of their text.
    private var statements: [UnsafePointer<UInt8>: SQLiteStatement] = [:]

    enum Access {
        case writing
        case reading
        /// Reading; the path is an address (`file:…`).
        case looking
    }

    /// - Parameters:
    ///   - path: A file that is there, or `:memory:`.
    ///   - busyTimeout: How long, in seconds, to wait for another process to finish.
    init(path: String, _ access: Access, busyTimeout: Double) throws {
        Self.configureLibrary
        var flags = access == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        if access == .looking { flags |= SQLITE_OPEN_URI }
        flags |= SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard let opened, code == SQLITE_OK else {
            sqlite3_close_v2(opened)
            throw sqliteError(code)
        }
        handle = opened
        Self.wait(opened, atMost: busyTimeout)
        portico_sqlite_strict_quotes(opened)
        try execute("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF")
    }

    /// Asks about every millisecond whether another process has finished. SQLite's own handler sleeps up
    /// to a tenth of a second at a time: beside an import, which lets others write between its chunks,
    /// it would miss most of their gaps.
    private static func wait(_ handle: OpaquePointer, atMost seconds: Double) {
        let tries = UInt(max(0, seconds * 1000))
        sqlite3_busy_handler(
            handle,
            { tries, count in
                guard count >= 0, UInt(count) < UInt(bitPattern: tries) else { return 0 }
                usleep(1_000)
                return 1
            },
            UnsafeMutableRawPointer(bitPattern: tries)
        )
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Once for the process, before the first connection.
    private static let configureLibrary: Void = {
        _ = portico_sqlite_without_memory_statistics()
    }()

    /// Whether a transaction is open. SQLite ends one by itself after some errors.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows the last `INSERT`, `UPDATE` or `DELETE` changed.
    var changes: Int { Int(clamping: sqlite3_changes64(handle)) }

    /// Runs statements that take no arguments and give no rows, prepared for this once.
    func execute(_ script: StaticString) throws {
        let code = script.withUTF8Buffer { text in
            // A literal ends with a NUL behind its last byte.
            text.withMemoryRebound(to: CChar.self) {
                sqlite3_exec(handle, $0.baseAddress, nil, nil, nil)
            }
        }
        guard code == SQLITE_OK else { throw sqliteError(code) }
    }

    /// Runs one statement, kept for the next time.
    func run(
        _ sql: SQLText,
        _ arguments: [SQLValue] = [],
        row: (SQLiteRow) throws -> Void = { _ in }
    ) throws {
        try statement(sql).run(arguments, row: row)
    }

    private func statement(_ sql: SQLText) throws -> SQLiteStatement {
        if let kept = statements[sql.start], !kept.isRunning { return kept }
        let prepared = try SQLiteStatement(sql, on: handle)
        if statements[sql.start] == nil { statements[sql.start] = prepared }
        return prepared
    }
}

/// A connection as the stores see it in a read.
struct SQLiteReader: SQLReader {
    let connection: SQLiteConnection

    func rows<Element>(
        _ sql: SQLText,
        _ arguments: [SQLValue],
        decode: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        var elements: [Element] = []
        try connection.run(sql, arguments) { elements.append(try decode($0)) }
        return elements
    }
}

/// A connection as the stores see it in a write.
struct SQLiteTransaction: SQLTransaction {
    let connection: SQLiteConnection

    func rows<Element>(
        _ sql: SQLText,
        _ arguments: [SQLValue],
        decode: (any SQLRow) throws -> Element
    ) throws -> [Element] {
        try SQLiteReader(connection: connection).rows(sql, arguments, decode: decode)
    }

    @discardableResult
    func run(_ sql: SQLText, _ arguments: [SQLValue]) throws -> Int {
        try connection.run(sql, arguments)
        return connection.changes
    }
}
