import CSQLite
import PorticoStores

/// A prepared statement of one connection, used again and again.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let parameterCount: Int
    /// A statement that runs cannot be started a second time.
    private(set) var isRunning = false

    init(_ sql: SQLText, on connection: OpaquePointer) throws {
        var handle: OpaquePointer?
        let code = sql.start.withMemoryRebound(to: CChar.self, capacity: sql.count) { text in
            sqlite3_prepare_v3(
                connection,
                text,
                Int32(clamping: sql.count),
                UInt32(SQLITE_PREPARE_PERSISTENT),
                &handle,
                nil
            )
        }
        guard code == SQLITE_OK, let handle else { throw sqliteError(code) }
        self.handle = handle
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
        // SQLite numbers `$1`, `$2` by first appearance; the stores' SQL says them in that order.
        for index in 0..<parameterCount {
            let name = sqlite3_bind_parameter_name(handle, Int32(index + 1))
            guard let name, String(cString: name) == "$\(index + 1)" else {
                throw SQLError(.badStatement, code: SQLITE_MISUSE)
            }
        }
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs the statement to its end.
    func run(_ arguments: [SQLValue], row: (SQLiteRow) throws -> Void) throws {
        isRunning = true
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            isRunning = false
        }
        try bind(arguments)
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try row(SQLiteRow(handle: handle))
            case SQLITE_DONE: return
            case let code: throw sqliteError(code)
            }
        }
    }

    private func bind(_ arguments: [SQLValue]) throws {
        guard arguments.count == parameterCount else {
            throw SQLError(.badStatement, code: SQLITE_RANGE)
        }
        for (position, argument) in arguments.enumerated() {
            let code = bind(argument, at: Int32(position + 1))
            guard code == SQLITE_OK else { throw sqliteError(code) }
        }
    }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT: SQLite copies what it is given.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .int64(let integer): return sqlite3_bind_int64(handle, index, integer)
        case .bool(let bool): return sqlite3_bind_int64(handle, index, bool ? 1 : 0)
        case .text(""):
            // An empty buffer may have no address, which would bind NULL.
            return sqlite3_bind_text64(handle, index, "", 0, transient, UInt8(SQLITE_UTF8))
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text64(
                        handle,
                        index,
                        characters.baseAddress,
                        UInt64(characters.count),
                        transient,
                        UInt8(SQLITE_UTF8)
                    )
                }
            }
        case .bytes(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return bytes.withUnsafeBytes { buffer in
                sqlite3_bind_blob64(
                    handle,
                    index,
                    buffer.baseAddress,
                    UInt64(buffer.count),
                    transient
                )
            }
        }
    }
}
