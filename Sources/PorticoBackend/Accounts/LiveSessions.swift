import PorticoBytes
import PorticoStores

/// Reads the live sessions of the backend's realm.
struct LiveSessions: Sendable {
    let store: SessionStore
    let directory: BackendDirectory

    func live(cookie: Hash256, at now: Int64) async throws -> LiveSession? {
        guard let rule = directory.sessionRule else { return nil }
        let live = try await store.liveByFirstStep(
            cookie: cookie,
            realmID: rule.realmID,
            at: now,
            idle: rule.idle
        )
        return rule.permitted(live)
    }

    func live(id: String, at now: Int64) async throws -> LiveSession? {
        guard let rule = directory.sessionRule else { return nil }
        let live = try await store.liveByFirstStep(
            id: id,
            realmID: rule.realmID,
            at: now,
            idle: rule.idle
        )
        return rule.permitted(live)
    }
}

extension BackendDirectory.SessionRule {
    fileprivate func permitted(_ live: LiveSession?) -> LiveSession? {
        live.flatMap { $0.session.authenticatedAt >= notBefore ? $0 : nil }
    }
}
