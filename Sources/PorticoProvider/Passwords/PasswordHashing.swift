package import HTTPTypes
import NIOPosix
package import PorticoBytes
package import PorticoPages
package import PorticoStores
package import PorticoWeb

/// Hashes and verifies passwords on its own, limited number of threads: when full, 503 with
/// `Retry-After`. Of the waiting places, one suspect address or device may take at most a quarter,
/// and all suspects together half.
package final class PasswordHashing: Sendable {
    private let pool: NIOThreadPool
    private let places: Locked<HashingPlaces>
    /// Verified in place of a hash that is missing or cannot be read, so that an unknown name takes
    /// as long as a wrong password. Of another server's hashes this is not true until they are
    /// replaced.
    private let decoy: StoredHash

    /// Too many passwords are being checked.
    package struct Busy: Refusal {
        package var name: String { "busy" }
        package var status: HTTPResponse.Status { .serviceUnavailable }
        package var issue: ErrorPage.Issue { .busy }
    }

    /// - Parameters:
    ///   - threads: How many passwords are hashed at once; each needs 19 MiB.
    ///   - mostWaiting: How many more may wait.
    package init(threads: Int, mostWaiting: Int, random: RandomSource) {
        pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
        places = Locked(HashingPlaces(threads + mostWaiting))
        decoy = Argon2id.hashOfNothing(random: random)
    }

    package func shutDown() async {
        // `try?`: it fails only if it was shut down before.
        try? await pool.shutdownGracefully()
    }

    /// - Throws: ``Busy``.
    package func hash(_ password: PasswordText, random: RandomSource) async throws -> PasswordHash {
        try await run { try Argon2id.hash(password.bytes, random: random) }
    }

    /// Whether `hash` was made from `password`; takes as long without a hash.
    ///
    /// - Parameter asker: A requester with so many wrong tries that they may take only a quarter of
    ///   the places, and with all others like them half; `nil` for everyone else.
    /// - Throws: ``Busy``.
    package func verify(
        _ password: PasswordText,
        against hash: PasswordHash?,
        for asker: LimitKey? = nil
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
        for asker: LimitKey? = nil,
        cost: Int = 1,
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        guard places.withLock({ $0.admit(asker, cost: cost) }) else { throw Busy() }
        defer { places.withLock { $0.leave(asker, cost: cost) } }
        return try await pool.runIfActive(body)
    }
}

/// Counts who is hashing, or waiting to: a hash that costs as much as several of ours takes as many
/// places, up to a quarter of all. Such hashes together leave a quarter to the others.
struct HashingPlaces: Sendable {
    private let most: Int
    private var taken = 0
    private var takenByCostly = 0
    /// Only current suspects, so never more than all places.
    private var bySuspect: [LimitKey: Int] = [:]
    private var takenBySuspects = 0

    init(_ most: Int) {
        self.most = most
    }

    private var quarter: Int { max(1, most / 4) }

    /// - Parameter suspect: Counted separately, and together with all other suspects; `nil` for
    ///   everyone else.
    mutating func admit(_ suspect: LimitKey?, cost: Int = 1) -> Bool {
        let places = min(cost, quarter)
        guard taken + places <= most else { return false }
        if cost > 1 {
            guard takenByCostly + places <= max(1, most - quarter) else { return false }
        }
        if let suspect {
            let own = bySuspect[suspect, default: 0]
            guard own + places <= quarter, takenBySuspects + places <= max(1, most / 2) else {
                return false
            }
            bySuspect[suspect] = own + places
            takenBySuspects += places
        }
        if cost > 1 { takenByCostly += places }
        taken += places
        return true
    }

    mutating func leave(_ suspect: LimitKey?, cost: Int = 1) {
        let places = min(cost, quarter)
        taken -= places
        if cost > 1 { takenByCostly -= places }
        guard let suspect, let own = bySuspect[suspect] else { return }
        bySuspect[suspect] = own > places ? own - places : nil
        takenBySuspects -= places
    }
}
