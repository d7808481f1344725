import NIOPosix
package import PorticoBytes
package import PorticoStores
package import PorticoWeb

/// Hashes and verifies passwords on threads of its own, a bounded number of them: full means 503 with
/// `Retry-After`. Of the places to wait nobody who is under suspicion has more than a quarter.
package final class PasswordHashing: Sendable {
    private let pool: NIOThreadPool
    private let waiting = Locked(Waiting())
    private let mostWaiting: Int
    private let mostForOne: Int

    private struct Waiting: Sendable {
        var count = 0
        /// Of those who are counted on their own: no more than wait in all.
        var byAsker: [LimitKey: Int] = [:]
    }
    /// Verified in place of a hash that is not there, so that an unknown name takes as long as a
    /// wrong password.
    private let decoy: PasswordHash

    /// Too many passwords are being checked.
    package struct Busy: Error {}

    /// - Parameters:
    ///   - threads: How many are hashed at once; each needs 19 MiB.
    ///   - mostWaiting: How many may wait beyond these.
    package init(threads: Int, mostWaiting: Int, random: RandomSource) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
        self.mostWaiting = threads + mostWaiting
        mostForOne = max(1, (threads + mostWaiting) / 4)
        decoy = Argon2id.hashOfNothing(random: random)
    }

    package func shutDown() async {
        // `try?`: it fails only when it was shut down before.
        try? await pool.shutdownGracefully()
    }

    /// - Throws: ``Busy``.
    package func hash(_ password: PasswordText, random: RandomSource) async throws -> PasswordHash {
        try await run { try Argon2id.hash(password.bytes, random: random) }
    }

    /// Whether `hash` was made from `password`; takes as long without a hash.
    ///
    /// - Parameter asker: Who has made so many mistakes that they may take a quarter of the places
    ///   only; `nil`: everybody else.
    /// - Throws: ``Busy``.
    package func verify(
        _ password: PasswordText,
        against hash: PasswordHash?,
        for asker: LimitKey? = nil
    ) async throws -> Bool {
        let candidate = hash ?? decoy
        let isRight = try await run(for: asker) {
            Argon2id.verify(password.bytes, against: candidate)
        }
        return isRight && hash != nil
    }

    private func run<Result: Sendable>(
        for asker: LimitKey? = nil,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard waiting.withLock({ admit(asker, to: &$0) }) else { throw Busy() }
        defer { waiting.withLock { Self.leave(asker, &$0) } }
        return try await pool.runIfActive(body)
    }

    private func admit(_ asker: LimitKey?, to waiting: inout Waiting) -> Bool {
        guard waiting.count < mostWaiting else { return false }
        if let asker {
            guard waiting.byAsker[asker, default: 0] < mostForOne else { return false }
            waiting.byAsker[asker, default: 0] += 1
        }
        waiting.count += 1
        return true
    }

    private static func leave(_ asker: LimitKey?, _ waiting: inout Waiting) {
        waiting.count -= 1
        guard let asker, let count = waiting.byAsker[asker] else { return }
        waiting.byAsker[asker] = count > 1 ? count - 1 : nil
    }
}
