import NIOPosix
package import PorticoBytes
package import PorticoStores

/// Hashes and verifies passwords on its own, limited number of threads. When all places are taken,
/// those who have the most give way to those who have fewer (``HashingPlaces``); those who must leave get
/// 503 with `Retry-After`.
package final class PasswordHashing: Sendable {
    private let pool: NIOThreadPool
    private let queue: Locked<Queue>
    /// Verified in place of a hash that is missing or cannot be read, so that an unknown name takes
    /// as long as a wrong password. Of another server's hashes this is not true until they are
    /// replaced.
    private let decoy: StoredHash

    private struct Queue: Sendable {
        var places: HashingPlaces
        /// Of those that wait, by the number of their job.
        var waiting: [Int: CheckedContinuation<Int, any Error>] = [:]
    }

    /// Too many passwords are being checked.
    package struct Busy: Error {
        package init() {}
    }

    /// - Parameters:
    ///   - threads: How many passwords are hashed at once; each needs 19 MiB.
    ///   - mostWaiting: How many more may wait.
    package init(threads: Int, mostWaiting: Int, random: RandomSource) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
        queue = Locked(Queue(places: HashingPlaces(threads + mostWaiting, threads: threads)))
        decoy = Argon2id.hashOfNothing(random: random)
    }

    package func shutDown() async {
        // `try?`: it fails only if it was shut down before.
        try? await pool.shutdownGracefully()
    }

    /// - Throws: ``Busy``.
    package func hash(
        _ password: PasswordText,
        for asker: HashingAsker,
        random: RandomSource
    ) async throws -> PasswordHash {
        try await run(for: asker) { try Argon2id.hash(password.bytes, random: random) }
    }

    /// Whether `hash` was made from `password`; takes as long without a hash.
    ///
    /// - Throws: ``Busy``.
    package func verify(
        _ password: PasswordText,
        against hash: PasswordHash?,
        for asker: HashingAsker
    ) async throws -> Bool {
        let stored = hash.flatMap(StoredHash.init)
        let checked = stored ?? decoy
        let candidates = password.candidates
        let isRight = try await run(for: asker, cost: checked.cost * candidates.count) {
            candidates.contains(where: checked.matches)
        }
        // No one has an empty password, even if another server kept a hash of it.
        return isRight && stored != nil && !password.bytes.isEmpty
    }

    private func run<Result: Sendable>(
        for asker: HashingAsker,
        cost: Int = 1,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let job = try await enter(asker, cost: cost)
        defer { leave(job) }
        return try await pool.runIfActive(body)
    }

    /// Waits until there is a thread, or the task is cancelled.
    ///
    /// - Returns: The number of the job.
    private func enter(_ asker: HashingAsker, cost: Int) async throws -> Int {
        let entered = Locked<Int?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (admission, displaced) = queue.withLock { queue in
                    let admission = queue.places.admit(asker, cost: cost)
                    if let admission, !admission.runs {
                        queue.waiting[admission.job] = continuation
                    }
                    let displaced = (admission?.displaced ?? []).compactMap {
                        queue.waiting.removeValue(forKey: $0)
                    }
                    return (admission, displaced)
                }
                for other in displaced { other.resume(throwing: Busy()) }
                guard let admission else { return continuation.resume(throwing: Busy()) }
                entered.withLock { $0 = admission.job }
                if admission.runs { continuation.resume(returning: admission.job) }
            }
        } onCancel: {
            // One that runs by then is hashed to its end.
            guard let job = entered.withLock({ $0 }),
                let waiting = queue.withLock({ $0.waiting.removeValue(forKey: job) })
            else { return }
            leave(job)
            waiting.resume(throwing: CancellationError())
        }
    }

    private func leave(_ job: Int) {
        let next = queue.withLock { queue in
            queue.places.leave(job).flatMap { next in
                queue.waiting.removeValue(forKey: next).map { (job: next, waits: $0) }
            }
        }
        if let next { next.waits.resume(returning: next.job) }
    }
}
