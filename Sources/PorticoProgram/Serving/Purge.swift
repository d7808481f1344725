import PorticoStores

/// Clears away what has been dead for a while. Nothing depends on it but the size of the database:
/// what is dead is dead before.
struct Purge: Sendable {
    let realms: RealmStore
    let sessions: BrowserSessionStore
    let grants: GrantStore
    let pushedRequests: PushedRequestStore
    let mailboxes: PersonMailboxStore
    let audit: AuditStore

    /// - Parameter now: Seconds since 1970.
    func callAsFunction(at now: Int64) async throws {
        // A day's margin: a spent code is remembered for as long, and a clock that ran ahead for a
        // while costs no key that is still needed.
        let day: Int64 = 86_400
        let yesterday = now - day
        try await grants.purge(before: yesterday)
        try await sessions.purge(before: yesterday)
        try await pushedRequests.purgePushedRequests(before: now - 3600)
        try await mailboxes.purgeResets(before: yesterday)
        try await realms.removeKeys(retiredBefore: yesterday)
        // What strangers can bring about is kept for a month, what happened to accounts for over a year.
        try await audit.purge([.clientRefused], before: now - 30 * day)
        try await audit.purge(AuditEvent.Kind.all, before: now - 400 * day)
    }
}
