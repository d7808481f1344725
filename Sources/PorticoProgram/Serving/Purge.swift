import PorticoSQLite
import PorticoStores

/// Deletes data that expired some time ago. Only the size of the database depends on it: expired
/// data is already unusable.
struct Purge: Sendable {
    let database: SQLiteDatabase
    let directory: DataDirectory

    private static let day: Int64 = 86_400

    /// The Provider's.
    ///
    /// - Parameter now: Seconds since 1970.
    func callAsFunction(at now: Int64) async throws {
        // A day's margin: a used code is remembered that long, and no key that is still needed is
        // lost because the clock ran ahead for a while.
        let yesterday = now - Self.day
        let (realms, people) = (RealmStore(database), PersonStore(database))
        let grants = GrantStore(database)
        try await grants.purge(before: yesterday)
        try await people.purgeRemovedApps(before: yesterday)
        try await grants.purgeClientsFromDocuments(before: now - 90 * Self.day)
        try await SessionStore(database).purge(before: yesterday)
        try await PushedRequestStore(database).purgePushedRequests(before: now - 3600)
        try await PersonMailboxStore(database).purgeResets(before: yesterday)
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

    /// The backend's, with the same margin: nothing already used becomes valid again.
    func accounts(at now: Int64) async throws {
        try await AccountStore(database).purge(before: now - Self.day)
        try await OutboxStore(database).purge(before: now - 7 * Self.day)
    }
}
