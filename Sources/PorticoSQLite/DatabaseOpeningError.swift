import GRDB
import PorticoSQL
import PorticoStores

/// Why a database could not be opened.
package enum DatabaseOpeningError: Error, Hashable, Sendable {
    case cannotCreateFolder
    case cannotOpen
    /// Another process holds the file for itself alone.
    case locked
    case corrupt
    /// A newer Portico has written it.
    case newerSchema
    /// It is some other program's database.
    case foreign
    /// The file system does not support write-ahead logging (a network mount, for instance).
    case noWriteAheadLog
    case other(code: Int32)
}

extension DatabaseOpeningError: CustomStringConvertible {
    package var description: String {
        if case .other(let code) = self { "\(words) (code \(code))" } else { "\(words)" }
    }

    /// A literal sentence for the operator.
    package var words: StaticString {
        switch self {
        case .cannotCreateFolder: "The data folder cannot be created."
        case .cannotOpen: "The database file cannot be opened for reading and writing."
        case .locked: "The database is locked: another process holds it for itself."
        case .corrupt: "The database file is damaged, or is no database."
        case .newerSchema: "The database was written by a newer version of this program."
        case .foreign: "The database belongs to another program."
        case .noWriteAheadLog: "The file system cannot hold the database: it has no shared memory."
        case .other: "The database cannot be opened."
        }
    }

    static func translating<Value>(_ body: () throws -> Value) throws(DatabaseOpeningError) -> Value
    {
        do {
            return try body()
        } catch let error as DatabaseOpeningError {
            throw error
        } catch let error as DatabaseError {
            throw opening(error)
        } catch is StoreBusy {
            throw .locked
        } catch let error as SQLError {
            throw error.reason == .corrupt ? .corrupt : .other(code: error.code)
        } catch {
            throw .other(code: 0)
        }
    }

    private static func opening(_ error: DatabaseError) -> DatabaseOpeningError {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: .locked
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: .corrupt
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY: .cannotOpen
        // GRDB's own error where the journal mode stayed what it was.
        case .SQLITE_ERROR where error.sql == nil: .noWriteAheadLog
        default: .other(code: error.extendedResultCode.rawValue)
        }
    }
}
