import PorticoStores

/// Deletes data that expired some time ago. Only the size of the database depends on it: expired
/// data is already unusable.
struct Purge: Sendable {
    let realms: RealmStore
    let sessions: BrowserSessionStore
    let people: PersonStore
    let grants: GrantStore
    let pushedRequests: PushedRequestStore
    let mailboxes: PersonMailboxStore
    let directory: DataDirectory

    /// - Parameter now: Seconds since 1970.
    func callAsFunction(at now: Int64) async throws {
        // A day's margin: a used code is remembered that long, and no key that is still needed is
        // lost because the clock ran ahead for a while.
        let day: Int64 = 86_400
        let yesterday = now - day
        try await grants.purge(before: yesterday)
        try await people.purgeRemovedApps(before: yesterday)
        try await grants.purgeClientsFromDocuments(before: now - 90 * day)
        try await sessions.purge(before: yesterday)
        try await pushedRequests.purgePushedRequests(before: now - 3600)
        try await mailboxes.purgeResets(before: yesterday)
        try await realms.removeKeys(retiredBefore: yesterday)
        try await realms.closeTokenSwaps(at: now)
        try await grants.purgeMoved()
        try await realms.removeDeleted()
        // What an import left that was killed.
        if let lock = ImportLock.attempt(directory) {
            try await realms.removeStaged()
            withExtendedLifetime(lock) {}
        }
        try await realms.events.purge(at: now)
    }
}

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
