import GRDB
import PorticoBytes
import PorticoSQL

/// Our side of GRDB's connections: the prepared statements of each, found by its address.
final class SQLiteConnections: Sendable {
    private let kept = Locked<[OpaquePointer: SQLiteConnection]>([:])

    /// Called when GRDB has opened a connection, before anything else uses it. An address that a
    /// closed connection had before gets a fresh entry.
    func add(_ database: Database) {
        guard let handle = database.sqliteConnection else { return }
        kept.withLock { $0[handle] = SQLiteConnection(handle: handle) }
    }

    func connection(of database: Database) throws -> SQLiteConnection {
        guard let handle = database.sqliteConnection,
            let connection = kept.withLock({ $0[handle] })
        else {
            throw SQLError(.closed, code: 0)
        }
        return connection
    }

    /// Before closing, while none is in use: open statements keep a connection open.
    func removeAll() {
        kept.withLock { connections in
            for connection in connections.values { connection.forgetStatements() }
            connections = [:]
        }
    }
}
