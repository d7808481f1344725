import PorticoStores

/// Deletes the backend's expired data.
struct AccountPurge: Sendable {
    let accounts: AccountStore
    let outbox: OutboxStore

    private static let day: Int64 = 86_400

    /// - Parameter now: Seconds since 1970.
    func callAsFunction(at now: Int64) async throws {
        // A day's margin, as for the Provider: nothing already used becomes valid again because
        // the clock ran ahead for a while.
        try await accounts.purge(before: now - Self.day)
        try await outbox.purge(before: now - 7 * Self.day)
    }
}
