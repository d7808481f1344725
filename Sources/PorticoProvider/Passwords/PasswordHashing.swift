import NIOPosix
package import PorticoBytes
package import PorticoStores

/// Hashes and verifies passwords on threads of its own, a bounded number of them
/// (decision 20: full means 503 with `Retry-After`).
package final class PasswordHashing: Sendable {
    private let pool: NIOThreadPool
    private let waiting = Locked(0)
    private let mostWaiting: Int
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
    /// - Throws: ``Busy``.
    package func verify(_ password: PasswordText, against hash: PasswordHash?) async throws -> Bool
    {
        let candidate = hash ?? decoy
        let isRight = try await run { Argon2id.verify(password.bytes, against: candidate) }
        return isRight && hash != nil
    }

    private func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        let isAdmitted = waiting.withLock { count in
            guard count < mostWaiting else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw Busy() }
        defer { waiting.withLock { $0 -= 1 } }
        return try await pool.runIfActive(body)
    }
}
