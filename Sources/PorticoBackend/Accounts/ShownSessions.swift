import PorticoStores

extension AccountStore {
    /// The sessions shown to a person, most recently seen first: the most recent ones if there are
    /// very many, always including the current one. Signing out everywhere else ends the rest too.
    func shown(to live: LiveAccountSession, at now: Int64) async throws -> [AccountSession] {
        let latest = try await sessions(of: live.account.id, at: now, limit: mostShown)
        guard !latest.contains(where: { $0.id == live.session.id }) else { return latest }
        return latest.prefix(mostShown - 1) + [live.session]
    }
}

/// More than anyone reads. Each sign-in adds one, and without a limit the page could take
/// arbitrarily long.
private let mostShown = 100
