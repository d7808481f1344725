import PorticoBytes
package import PorticoStores

/// Notes when sessions are used, and tells the store about many at once: at most one write per
/// session in five minutes, and none within a request.
package final class AccountActivity: Sendable {
    private let accounts: any AccountStore
    private let seen = Locked<[UniqueID: Int64]>([:])

    /// How stale the stored time may become, in seconds.
    package static let precision: Int64 = 300
    /// More sessions than this between two flushes are noted at their next use.
    private static let most = 100_000

    package init(accounts: any AccountStore) {
        self.accounts = accounts
    }

    /// - Parameter now: Seconds since 1970.
    func note(_ session: AccountSession, at now: Int64) {
        guard now - session.lastSeenAt >= Self.precision else { return }
        seen.withLock { seen in
            guard seen.count < Self.most || seen[session.id] != nil else { return }
            seen[session.id] = now
        }
    }

    /// Writes what was noted since the last time. Called every few seconds, and at the end.
    package func flush() async throws {
        let batch = seen.withLock { seen in
            defer { seen = [:] }
            return seen
        }
        guard !batch.isEmpty else { return }
        try await accounts.touch(batch.map { (id: $0.key, at: $0.value) })
    }
}
