import PorticoStores

extension AccountStore {
    /// The sessions that somebody is shown, the one seen last first: of very many those seen last, and the
    /// one that they look with. Signing out everywhere else ends the rest, too.
    func shown(to live: LiveAccountSession, at now: Int64) async throws -> [AccountSession] {
        let latest = try await sessions(of: live.account.id, at: now, limit: mostShown)
        guard !latest.contains(where: { $0.id == live.session.id }) else { return latest }
        return latest.prefix(mostShown - 1) + [live.session]
    }
}

/// More than anybody reads through. Each sign-in is one more, and a page of all of them would take as long
/// as somebody likes.
private let mostShown = 100
