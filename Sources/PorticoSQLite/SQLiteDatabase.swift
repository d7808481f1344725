import Dispatch
import PorticoBytes
package import PorticoStores
import PorticoSystem

/// SQLite as the stores' database: one file in WAL mode, durable commits, concurrent reads.
package final class SQLiteDatabase: SQLDatabase {
    private let commits: CommitQueue
    /// `nil` in memory, where the one connection reads, too.
    private let readers: SQLiteReaders?
    package let writeTrouble = WriteTrouble()

    /// When a commit counts as done.
    package enum Durability: Hashable, Sendable {
        /// When the disk has it (`synchronous=FULL`).
        case full
        /// When the operating system has it: a power cut loses what was acknowledged. Only for the
        /// test that proves that ``full`` does not.
        case unsafeOff
    }

    /// Opens the database in a file, or creates it.
    ///
    /// The file gets mode 0600, its folder, where it is made here, 0700.
    ///
    /// - Parameter busyTimeout: How long, in seconds, to wait for another process to finish.
    /// - Throws: ``DatabaseOpeningError``.
    package init(file: String, durability: Durability = .full, busyTimeout: Double = 5) throws {
        try PrivateDatabaseFile.prepare(file)
        let writer = try DatabaseOpeningError.translating {
            try Self.whileBusy(atMost: busyTimeout) {
                try Self.writer(file, durability, busyTimeout: busyTimeout)
            }
        }
        commits = CommitQueue(writer: writer)
        readers = SQLiteReaders(keptAtMost: ProcessInfo.processInfo.activeProcessorCount + 4) {
            try SQLiteConnection(path: file, .reading, busyTimeout: busyTimeout)
        }
    }

    /// An empty database that lives as long as this value. For tests, and for running without
    /// leaving anything behind.
    package convenience init(inMemory: Void) throws {
        let connection = try DatabaseOpeningError.translating {
            let connection = try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
            try SQLiteSchema.make(in: connection)
            return connection
        }
        self.init(alone: connection)
    }

    /// On the one connection that there is.
    init(alone connection: SQLiteConnection) {
        commits = CommitQueue(writer: connection)
        readers = nil
    }

    /// Opens an existing database to write into it, and changes nothing by opening. `nil` if it is
    /// still without the schema that ``init(file:durability:busyTimeout:)`` makes.
    ///
    /// - Throws: ``DatabaseOpeningError``.
    package convenience init?(writingTo file: String) throws {
        let connection = try DatabaseOpeningError.translating { () throws -> SQLiteConnection? in
            let writer = try SQLiteConnection(path: file, .writing, busyTimeout: 5)
            guard try SQLiteSchema.isMade(in: writer) else { return nil }
            try writer.execute("PRAGMA synchronous = FULL")
            return writer
        }
        guard let connection else { return nil }
        self.init(alone: connection)
    }

    private static func writer(_ file: String, _ durability: Durability, busyTimeout: Double) throws
        -> SQLiteConnection
    {
        let writer = try SQLiteConnection(path: file, .writing, busyTimeout: busyTimeout)
        // Before anything is written: not even the journal mode of a refused file changes.
        _ = try SQLiteSchema.isMade(in: writer)
        try turnOnWriteAheadLog(writer)
        switch durability {
        case .full: try writer.execute("PRAGMA synchronous = FULL")
        case .unsafeOff: try writer.execute("PRAGMA synchronous = OFF")
        }
        try SQLiteSchema.make(in: writer)
        return writer
    }

    /// Tries again while another process is in the way. Of two that turn on the write-ahead log of
    /// a new file SQLite refuses one at once, whatever its busy timeout.
    private static func whileBusy<Value>(atMost seconds: Double, _ body: () throws -> Value) throws
        -> Value
    {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            do {
                return try body()
            } catch is StoreBusy where ContinuousClock.now < end {
                usleep(10_000)
            }
        }
    }

    static func turnOnWriteAheadLog(_ writer: SQLiteConnection) throws {
        var mode = ""
        try writer.run("PRAGMA journal_mode = WAL") { mode = try $0.text(0) }
        guard mode == "wal" else { throw DatabaseOpeningError.noWriteAheadLog }
    }

    /// How many durable transactions there were, and how many commits they shared.
    package var commitCounts: CommitCounts { commits.counts }

    /// Reads on the calling thread: with a cached statement that is quicker than any hop.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLReader) throws -> Value
    ) throws -> Value {
        if let readers {
            try readers.read(body)
        } else {
            try commits.withWriter { try body(SQLiteReader(connection: $0)) }
        }
    }

    package func scan<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLReader) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            // A serial queue has a thread of its own: those of concurrent queues are, on Linux, the
            // ones that tasks run on.
            DispatchQueue(label: "portico.scan").async {
                continuation.resume(with: Result { try self.read(body) })
            }
        }
    }

    @discardableResult
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        do {
            return try await commits.write(body)
        } catch {
            writeTrouble.note(error)
            throw error
        }
    }

    /// Finishes the writes that wait, and closes the file. Its log is folded into it: where no other
    /// process has it open, one file remains.
    package func close() async throws {
        await commits.finish()
        readers?.close()
        commits.closeWriter()
    }
}

extension SQLiteDatabase {
    /// Opens a database only to look at it: neither the file nor anything beside it is written, and
    /// every write fails. If its schema is not made yet, it is seen as an empty database.
    ///
    /// - Throws: ``DatabaseOpeningError``.
    package convenience init(lookingAt file: String) throws {
        let connection = try DatabaseOpeningError.translating {
            let kept = try SQLiteConnection(
                path: Self.address(of: file),
                .looking,
                busyTimeout: 5
            )
            if try SQLiteSchema.isMade(in: kept) { return kept }
            let empty = try SQLiteConnection(path: ":memory:", .writing, busyTimeout: 0)
            try SQLiteSchema.make(in: empty)
            return empty
        }
        self.init(alone: connection)
    }

    /// Without a log no process has the file open. SQLite would make one even for reading, unless it is
    /// told that the file does not change.
    private static func address(of file: String) -> String {
        let path = URL(filePath: file).absoluteURL.path
        let isOpen = FileManager.default.fileExists(atPath: path + "-wal")
        var encoded: [UInt8] = []
        for byte in path.utf8 {
            if byte.isLetterOrDigit || "-./_".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                Hexadecimal.append(byte, after: "%", to: &encoded)
            }
        }
        return "file:" + String(decoding: encoded, as: UTF8.self) + (isOpen ? "" : "?immutable=1")
    }
}
