import PorticoStores

/// Clears away what the backend has kept for long enough.
struct AccountPurge: Sendable {
    let accounts: AccountStore
    let outbox: OutboxStore

    private static let day: Int64 = 86_400

    /// - Parameter now: Seconds since 1970.
    func callAsFunction(at now: Int64) async throws {
        // A day's margin, as for the Provider: a clock that ran ahead for a while makes nothing
        // good again that was spent.
        try await accounts.purge(before: now - Self.day)
        try await outbox.purge(before: now - 7 * Self.day)
    }
}
