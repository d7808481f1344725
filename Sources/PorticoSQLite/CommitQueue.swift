import Dispatch
import PorticoBytes
import PorticoStores

/// Durable transactions that share their commits.
///
/// A writer appends a job and waits. One thread takes up to 128 jobs, runs each in a savepoint
/// of one transaction, commits, and only then lets them go on; what arrives while it waits for the
/// disk is the next batch. There is no timer: a lone write goes at once.
final class CommitQueue: Sendable {
    static let batchLimit = 128
    static let waitingLimit = 2048

    /// The one connection that writes; `nil` once it is closed.
    private let writer: Locked<SQLiteConnection?>
    private let state = Locked(State())
    private let thread = DispatchQueue(label: "portico.commit", qos: .userInitiated)

    private struct State {
        var waiting: [any Job] = []
        var isDraining = false
        var isClosed = false
        var counts = CommitCounts()
    }

    init(writer: SQLiteConnection) {
        self.writer = Locked(writer)
    }

    var counts: CommitCounts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = state.waiting.count
            return counts
        }
    }

    /// Runs `body` in a durable transaction, also where the caller is cancelled meanwhile.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            append(PendingWrite(body, continuation))
        }
    }

    /// Uses the writer's connection while no batch does.
    func withWriter<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try writer.withLock { writer in
            guard let writer else { throw SQLError(.closed, code: 0) }
            return try body(writer)
        }
    }

    func closeWriter() {
        writer.withLock { $0 = nil }
    }

    /// Takes no more jobs, and returns once those that wait are done.
    func finish() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { continuation in
            thread.async { continuation.resume() }
        }
    }

    private func append(_ job: some Job) {
        let (refusal, starts) = state.withLock { state -> ((any Error)?, Bool) in
            if state.isClosed { return (SQLError(.closed, code: 0), false) }
            guard state.waiting.count < Self.waitingLimit else { return (StoreBusy(), false) }
            state.waiting.append(job)
            defer { state.isDraining = true }
            return (nil, !state.isDraining)
        }
        if let refusal { return job.finish(refusal) }
        if starts { thread.async { self.drain() } }
    }

    private func drain() {
        while let batch = nextBatch() {
            let failure: (any Error)?
            do {
                try commit(batch)
                failure = nil
            } catch {
                failure = error
            }
            state.withLock { state in
                state.counts.writes += batch.count
                state.counts.commits += failure == nil ? 1 : 0
            }
            for job in batch { job.finish(failure) }
        }
    }

    /// `nil` where nothing waits; the next job then starts another drain.
    private func nextBatch() -> [any Job]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.batchLimit))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// - Throws: What keeps the whole batch from being durable; then nothing of it is.
    private func commit(_ batch: [any Job]) throws {
        try withWriter { connection in
            try connection.run("BEGIN IMMEDIATE")
            do {
                for job in batch { try run(job, on: connection) }
                try connection.run("COMMIT")
            } catch {
                if connection.isInTransaction { try connection.run("ROLLBACK") }
                throw error
            }
        }
    }

    /// - Throws: Only what undoes the whole transaction; a job's own error is the job's.
    private func run(_ job: any Job, on connection: SQLiteConnection) throws {
        try connection.run("SAVEPOINT job")
        do {
            try job.run(SQLiteTransaction(connection: connection))
        } catch {
            // After a full disk, for instance, SQLite has rolled back what went before, too.
            guard connection.isInTransaction else { throw error }
            job.fail(error)
            try connection.run("ROLLBACK TO job")
        }
        try connection.run("RELEASE job")
    }
}

/// What a ``CommitQueue`` has done since it was made.
package struct CommitCounts: Hashable, Sendable {
    /// Durable transactions that callers asked for and that have run: docs/decisions/0034 bounds
    /// them.
    package var writes = 0
    /// Commits that they shared.
    package var commits = 0
    /// Writes that wait now.
    package var waiting = 0
}

/// A write in the queue, its type forgotten.
private protocol Job: Sendable {
    func run(_ transaction: SQLiteTransaction) throws
    /// Keeps the job's own failure for ``finish(_:)``.
    func fail(_ error: any Error)
    /// Lets the caller go on, with the failure of the batch where it had one.
    func finish(_ failure: (any Error)?)
}

/// A write with the caller who waits for it.
///
/// One thread at a time touches it: the appending one, then the queue's.
private final class PendingWrite<Value: Sendable>: Job, @unchecked Sendable {
    private let body: @Sendable (any SQLTransaction) throws -> Value
    private let caller: CheckedContinuation<Value, any Error>
    private var outcome: Result<Value, any Error> = .failure(StoreBusy())

    init(
        _ body: @escaping @Sendable (any SQLTransaction) throws -> Value,
        _ caller: CheckedContinuation<Value, any Error>
    ) {
        self.body = body
        self.caller = caller
    }

    func run(_ transaction: SQLiteTransaction) throws {
        outcome = .success(try body(transaction))
    }

    func fail(_ error: any Error) {
        outcome = .failure(error)
    }

    func finish(_ failure: (any Error)?) {
        caller.resume(with: failure.map(Result.failure) ?? outcome)
    }
}
