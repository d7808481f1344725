import Dispatch
import PorticoBytes
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("SQLite: the commit queue") struct CommitQueueTests {
    private let notes: Notes

    init() async throws { notes = try await Notes() }

    @Test("decision 0034: what waits while a commit runs shares the next ones, 128 at most")
    func sharing() async throws {
        let before = notes.database.commitCounts
        let answers = try await notes.whileBlocked { group in
            for number in 1...300 { group.addTask { try await notes.add(Int64(number)) } }
            try await notes.untilWaiting(300)
        }
        #expect(answers == 300)
        let after = notes.database.commitCounts
        #expect(after.writes - before.writes == 301)
        // The blocking one alone, then 128 + 128 + 44.
        #expect(after.commits - before.commits == 4)
        #expect(try notes.numbers().count == 300)
    }

    @Test("a lone write commits at once, and each of a sequence by itself")
    func alone() async throws {
        let before = notes.database.commitCounts
        for number: Int64 in 1...3 { try await notes.add(number) }
        let after = notes.database.commitCounts
        #expect(after.writes - before.writes == 3)
        #expect(after.commits - before.commits == 3)
    }

    @Test("writes run in the order in which they were asked for")
    func order() async throws {
        _ = try await notes.whileBlocked { group in
            for number in 1...200 {
                group.addTask { try await notes.add(Int64(number)) }
                try await notes.untilWaiting(number)
            }
        }
        #expect(try notes.numbers() == Array(1...200))
    }

    @Test("a write that throws is undone alone, and its caller gets its error")
    func isolation() async throws {
        struct Refusal: Error, Equatable {}
        let before = notes.database.commitCounts
        _ = try await notes.whileBlocked { group in
            for number: Int64 in 1...9 {
                group.addTask {
                    guard number == 5 else { return try await notes.add(number) }
                    await #expect(throws: Refusal()) {
                        try await notes.database.write { transaction in
                            try transaction.run("INSERT INTO notes (number) VALUES (5)", [])
                            throw Refusal()
                        }
                    }
                }
                try await notes.untilWaiting(Int(number))
            }
        }
        #expect(try notes.numbers() == [1, 2, 3, 4, 6, 7, 8, 9])
        #expect(notes.database.commitCounts.commits - before.commits == 2)
    }

    @Test("a statement that fails in the middle of a write undoes the whole write")
    func wholeWrite() async throws {
        await #expect(throws: SQLError.self) {
            try await notes.database.write { transaction in
                try transaction.run("INSERT INTO notes (number) VALUES (1)", [])
                try transaction.run("INSERT INTO notes (number) VALUES (1)", [])
            }
        }
        #expect(try notes.numbers() == [])
        try await notes.add(2)
        #expect(try notes.numbers() == [2])
    }

    @Test("a commit that fails fails everyone in it, and nothing of it is there")
    func failedCommit() async throws {
        try await notes.database.write { transaction in
            try transaction.run(
                """
                CREATE TABLE strict_notes (
                    number INTEGER REFERENCES notes (number) DEFERRABLE INITIALLY DEFERRED
                )
                """,
                []
            )
        }
        let before = notes.database.commitCounts
        let failures = Locked(0)
        _ = try await notes.whileBlocked { group in
            for number: Int64 in 1...8 {
                group.addTask {
                    let error = await #expect(throws: SQLError.self) {
                        if number == 4 {
                            // The violation shows only when the transaction commits.
                            try await notes.database.write { transaction in
                                try transaction.run("INSERT INTO strict_notes VALUES (99)", [])
                            }
                        } else {
                            try await notes.add(number)
                        }
                    }
                    if error?.reason == .foreignKeyViolation { failures.withLock { $0 += 1 } }
                }
                try await notes.untilWaiting(Int(number))
            }
        }
        #expect(failures.withLock { $0 } == 8)
        #expect(try notes.numbers() == [])
        #expect(notes.database.commitCounts.commits - before.commits == 1)
        try await notes.add(1)
        #expect(try notes.numbers() == [1])
    }

    @Test("a queued write is done even if its caller was cancelled")
    func cancellation() async throws {
        _ = try await notes.whileBlocked { group in
            let waiting = Task { try await notes.add(1) }
            try await notes.untilWaiting(1)
            waiting.cancel()
            let cancelledBefore = Task {
                while !Task.isCancelled { await Task.yield() }
                try await notes.add(2)
            }
            cancelledBefore.cancel()
            try await notes.untilWaiting(2)
            group.addTask {
                try await waiting.value
                try await cancelledBefore.value
            }
        }
        #expect(try notes.numbers() == [1, 2])
    }

    @Test("decision 0034: at most 2,048 writes wait, the next is told that the database is busy")
    func bound() async throws {
        let isRefused = Locked(false)
        let answers = try await notes.whileBlocked { group in
            for number in 1...2048 { group.addTask { try await notes.add(Int64(number)) } }
            try await notes.untilWaiting(2048)
            group.addTask {
                do {
                    try await notes.add(5000)
                } catch is StoreBusy {
                    isRefused.withLock { $0 = true }
                }
            }
            // Refused at once; or it waits with the others, who all wait for us.
            try await waitUntil("one more is refused, or waits") {
                isRefused.withLock { $0 } || notes.database.commitCounts.waiting != 2048
            }
        }
        #expect(isRefused.withLock { $0 })
        #expect(answers == 2049)
        #expect(try notes.numbers().count == 2048)
        try await notes.add(5000)
    }

    @Test("no one goes on before the commit: what was acknowledged is there for other connections")
    func acknowledged() async throws {
        let other = try SQLiteDatabase(file: notes.file)
        let seen = try await withThrowingTaskGroup { group in
            for number: Int64 in 1...200 {
                group.addTask {
                    try await notes.add(number)
                    return try other.read {
                        try $0.hasRow("SELECT 1 FROM notes WHERE number = $1", [.int64(number)])
                    }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(seen == 200)
    }

    @Test("a closed database finishes what waits and takes nothing more")
    func closing() async throws {
        _ = try await notes.whileBlocked { group in
            for number: Int64 in 1...20 { group.addTask { try await notes.add(number) } }
            try await notes.untilWaiting(20)
            group.addTask { try await notes.database.close() }
        }
        await #expect(throws: SQLError(.closed, code: 0)) { try await notes.add(21) }
        #expect(throws: SQLError.self) { try notes.numbers() }
        let again = try SQLiteDatabase(file: notes.file)
        let count = try again.read {
            try $0.first("SELECT count(*) FROM notes", []) { try $0.int64(0) }
        }
        #expect(count == 20)
    }
}

/// A database with one table of numbers, for watching the queue.
struct Notes: Sendable {
    let database: SQLiteDatabase
    let file: String

    init() async throws {
        file = TestDatabase.temporaryFile()
        database = try SQLiteDatabase(file: file)
        try await database.write { transaction in
            try transaction.run(
                "CREATE TABLE notes (position INTEGER PRIMARY KEY, number INTEGER UNIQUE)",
                []
            )
        }
    }

    func add(_ number: Int64) async throws {
        try await database.write { transaction in
            _ = try transaction.run("INSERT INTO notes (number) VALUES ($1)", [.int64(number)])
        }
    }

    func numbers() throws -> [Int64] {
        try database.read { reader in
            try reader.rows("SELECT number FROM notes ORDER BY position", []) { try $0.int64(0) }
        }
    }

    /// Runs `body` while a write holds the queue up.
    ///
    /// - Returns: How many tasks of the group have ended well.
    func whileBlocked(
        _ body: (inout ThrowingTaskGroup<Void, any Error>) async throws -> Void
    ) async throws -> Int {
        let (started, start) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        return try await withThrowingTaskGroup { group in
            let blocker = Task {
                try await database.write { _ in
                    start.finish()
                    release.wait()
                }
            }
            for await _ in started {}
            do {
                try await body(&group)
            } catch {
                release.signal()
                throw error
            }
            release.signal()
            try await blocker.value
            var ended = 0
            for try await _ in group { ended += 1 }
            return ended
        }
    }

    /// Waits until so many writes wait behind the one that runs.
    func untilWaiting(_ count: Int) async throws {
        try await waitUntil("\(count) writes wait") { database.commitCounts.waiting >= count }
    }
}
