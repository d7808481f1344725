import PorticoBytes
import PorticoStores

/// The connections that read: as many as reads run at the same time, kept for the next ones.
///
/// No read waits for a free one. A read on the thread that asks, with a statement prepared before,
/// is quicker than any hop; in WAL mode it waits neither for the writer nor for other readers.
final class SQLiteReaders: Sendable {
    private let idle = Locked<[SQLiteConnection]?>([])
    private let open: @Sendable () throws -> SQLiteConnection
    private let keptAtMost: Int

    init(keptAtMost: Int, open: @escaping @Sendable () throws -> SQLiteConnection) {
        self.keptAtMost = keptAtMost
        self.open = open
    }

    /// Runs `body` in a read transaction.
    func read<Value>(_ body: (SQLiteReader) throws -> Value) throws -> Value {
        let connection = try take()
        let value: Value
        do {
            try connection.run("BEGIN")
            value = try body(SQLiteReader(connection: connection))
            try connection.run("COMMIT")
        } catch {
            // Where even this fails the connection is not used again.
            if connection.isInTransaction { try connection.run("ROLLBACK") }
            putBack(connection)
            throw error
        }
        putBack(connection)
        return value
    }

    /// Lets go of all connections; those in use when their reads are done.
    func close() {
        idle.withLock { $0 = nil }
    }

    private func take() throws -> SQLiteConnection {
        let kept = try idle.withLock { idle -> SQLiteConnection? in
            guard idle != nil else { throw SQLError(.closed, code: 0) }
            return idle?.popLast()
        }
        return try kept ?? open()
    }

    private func putBack(_ connection: SQLiteConnection) {
        idle.withLock { idle in
            guard let count = idle?.count, count < keptAtMost else { return }
            idle?.append(connection)
        }
    }
}
