import CSQLite
import PorticoStores

/// SQLite's extended result code in the stores' words.
func sqliteError(_ code: Int32) -> any Error {
    switch code {
    case SQLITE_CONSTRAINT | 8 << 8, SQLITE_CONSTRAINT | 6 << 8, SQLITE_CONSTRAINT | 10 << 8:
        // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY, _ROWID
        return SQLError(.uniqueViolation, code: code)
    case SQLITE_CONSTRAINT | 3 << 8:
        // SQLITE_CONSTRAINT_FOREIGNKEY
        return SQLError(.foreignKeyViolation, code: code)
    default: break
    }
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return StoreBusy()
    case SQLITE_FULL: return SQLError(.full, code: code)
    case SQLITE_READONLY, SQLITE_PERM: return SQLError(.readOnly, code: code)
    case SQLITE_IOERR, SQLITE_CANTOPEN: return SQLError(.cannotWrite, code: code)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return SQLError(.corrupt, code: code)
    case SQLITE_ERROR, SQLITE_RANGE, SQLITE_MISUSE, SQLITE_MISMATCH, SQLITE_CONSTRAINT:
        return SQLError(.badStatement, code: code)
    default: return SQLError(.other, code: code)
    }
}
