import Dispatch
import Foundation
import GRDB
package import PorticoSQL
import PorticoStores

/// SQLite as the stores' database: one file in WAL mode, durable commits, concurrent reads.
package final class SQLiteDatabase: SQLDatabase {
    /// Reads of requests, and the one writer.
    private let main: any DatabaseWriter
    /// Reads that may take long; `nil` in memory, where there is one connection only.
    private let scans: DatabasePool?
    private let connections: SQLiteConnections
    private let commits: CommitQueue

    /// When a commit counts as done.
    package enum Durability: Hashable, Sendable {
        /// When the disk has it (`synchronous=FULL`).
        case full
        /// When the operating system has it: a power cut loses what was acknowledged. Only for the
        /// test that proves that ``full`` does not.
        case unsafeOff
    }

    /// Opens or creates the database in a file, and brings its schema up to date.
    ///
    /// The file gets mode 0600, its folder, where it is made here, 0700.
    ///
    /// - Parameter busyTimeout: How long, in seconds, to wait for another process to finish.
    /// - Throws: ``DatabaseOpeningError``.
    package init(file: String, durability: Durability = .full, busyTimeout: Double = 5) throws {
        try PrivateDatabaseFile.prepare(file)
        connections = SQLiteConnections()
        (main, scans) = try DatabaseOpeningError.translating { [connections] in
            let configuration = Self.configuration(connections, busyTimeout: busyTimeout)
            let main = try DatabasePool(path: file, configuration: configuration)
            // GRDB sets NORMAL when it turns WAL on: its word must not be the last.
            try main.writeWithoutTransaction { database in
                switch durability {
                case .full: try database.execute(sql: "PRAGMA synchronous = FULL")
                case .unsafeOff: try database.execute(sql: "PRAGMA synchronous = OFF")
                }
                try SQLiteSchema.migrate(database)
            }
            var scanning = configuration
            scanning.readonly = true
            scanning.maximumReaderCount = 2
            return (main, try DatabasePool(path: file, configuration: scanning))
        }
        commits = CommitQueue(writer: main, connections: connections)
    }

    /// An empty database that lives as long as this value. For tests.
    package convenience init(inMemory: Void) throws {
        let connections = SQLiteConnections()
        let main = try DatabaseOpeningError.translating {
            let main = try DatabaseQueue(configuration: Self.configuration(connections))
            try main.writeWithoutTransaction { try SQLiteSchema.migrate($0) }
            return main
        }
        self.init(alone: main, connections: connections)
    }

    /// On the one connection that there is.
    init(alone main: DatabaseQueue, connections: SQLiteConnections) {
        self.main = main
        self.connections = connections
        scans = nil
        commits = CommitQueue(writer: main, connections: connections)
    }

    static func configuration(
        _ connections: SQLiteConnections,
        busyTimeout: Double = 5
    ) -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeout)
        // Reads run on the threads that requests run on: more readers than threads, so that none
        // waits for another.
        configuration.maximumReaderCount = ProcessInfo.processInfo.activeProcessorCount + 4
        configuration.prepareDatabase { database in
            // Before anything is written: not even the journal mode of a foreign file changes.
            try SQLiteSchema.checkOwner(of: database)
            connections.add(database)
        }
        return configuration
    }

    /// How many durable transactions there were, and how many commits they shared.
    package var commitCounts: CommitCounts { commits.counts }

    /// Reads on the calling thread: with a cached statement that is quicker than any hop.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLReader) throws -> Value
    ) throws -> Value {
        try translatingErrors {
            try main.read { try body(connections.connection(of: $0)) }
        }
    }

    package func scan<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLReader) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            // A serial queue has a thread of its own: those of concurrent queues are, on Linux, the
            // ones that tasks run on.
            DispatchQueue(label: "portico.scan").async { [main, scans, connections] in
                continuation.resume(
                    with: Result {
                        try translatingErrors {
                            let reader: any DatabaseReader = scans ?? main
                            return try reader.read { try body(connections.connection(of: $0)) }
                        }
                    }
                )
            }
        }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await commits.write(body)
    }

    /// Finishes the writes that wait, and closes the file. Its log is folded into it: where no other
    /// process has it open, one file remains.
    package func close() async throws {
        await commits.close()
        try translatingErrors {
            let forget = { [main, connections] in
                try main.barrierWriteWithoutTransaction { _ in connections.removeAll() }
            }
            if let scans {
                try scans.barrierWriteWithoutTransaction { _ in try forget() }
            } else {
                try forget()
            }
            try scans?.close()
            // SQLite removes its log with the last connection that may write: GRDB, left alone,
            // closes readers after the writer.
            (main as? DatabasePool)?.releaseMemory()
            try main.close()
        }
    }
}
