import CSQLite
import PorticoStores

/// The row that a running statement stands on.
struct SQLiteRow: SQLRow {
    let handle: OpaquePointer

    var count: Int { Int(sqlite3_column_count(handle)) }

    func optionalText(_ column: Int) throws -> String? {
        let index = Int32(truncatingIfNeeded: column)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return nil
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(handle, index) else { return "" }
            let count = Int(sqlite3_column_bytes(handle, index))
            return String(
                decoding: UnsafeBufferPointer(start: text, count: count),
                as: UTF8.self
            )
        default: throw SQLDecodingError.wrongType(column: column)
        }
    }

    func optionalInt64(_ column: Int) throws -> Int64? {
        let index = Int32(truncatingIfNeeded: column)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return nil
        case SQLITE_INTEGER: return sqlite3_column_int64(handle, index)
        default: throw SQLDecodingError.wrongType(column: column)
        }
    }

    func optionalBytes(_ column: Int) throws -> [UInt8]? {
        let index = Int32(truncatingIfNeeded: column)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_NULL: return nil
        case SQLITE_BLOB:
            guard let bytes = sqlite3_column_blob(handle, index) else { return [] }
            let count = Int(sqlite3_column_bytes(handle, index))
            return Array(UnsafeRawBufferPointer(start: bytes, count: count))
        default: throw SQLDecodingError.wrongType(column: column)
        }
    }

    func bool(_ column: Int) throws -> Bool {
        switch try optionalInt64(column) {
        case 0: return false
        case 1: return true
        case nil: throw SQLDecodingError.null(column: column)
        default: throw SQLDecodingError.outOfRange(column: column)
        }
    }
}
