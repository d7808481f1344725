import PorticoStores

/// Why a database could not be opened.
package enum DatabaseOpeningError: Error, Hashable, Sendable {
    case cannotCreateFolder
    case cannotOpen
    /// The file, its folder or their file system takes no writes.
    case readOnly
    /// Another process holds the file for itself alone.
    case locked
    case corrupt
    /// A newer Portico wrote it.
    case newerSchema
    /// An older Portico wrote it, in a schema that this one cannot read.
    case olderSchema
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
        case .readOnly: "The folder of the database, or its file system, is read-only."
        case .locked: "The database is locked: another process holds it for itself."
        case .corrupt: "The database file is damaged, or is no database."
        case .newerSchema: "The database was written by a newer version of this program."
        case .olderSchema: "The database was written by an older version of this program."
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
        } catch is StoreBusy {
            throw .locked
        } catch let error as SQLError where error.reason == .corrupt {
            throw .corrupt
        } catch let error as SQLError where error.reason == .readOnly {
            throw .readOnly
        } catch let error as SQLError where error.reason == .cannotWrite {
            throw .cannotOpen
        } catch let error as SQLError {
            throw .other(code: error.code)
        } catch {
            throw .other(code: 0)
        }
    }
}
