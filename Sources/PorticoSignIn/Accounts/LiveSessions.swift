import PorticoBytes
package import PorticoStores

/// Reads the live sessions of one place.
package struct LiveSessions: Sendable {
    package let store: SessionStore
    let directory: ProviderDirectory
    /// Whether one counts only when its person has passed their second step, too.
    var needsBothSteps = false

    func live(cookie: Hash256, at now: Int64) async throws -> LiveSession? {
        try await permitted { realmID, idle in
            needsBothSteps
                ? try await store.withProviders(
                    try await store.live(cookie: cookie, realmID: realmID, at: now, idle: idle)
                )
                : try await store.liveByFirstStep(
                    cookie: cookie,
                    realmID: realmID,
                    at: now,
                    idle: idle
                )
        }
    }

    package func live(id: String, at now: Int64) async throws -> LiveSession? {
        try await permitted { realmID, idle in
            try await store.liveByFirstStep(id: id, realmID: realmID, at: now, idle: idle)
        }
    }

    /// One that `not-before` has not ended.
    private func permitted(
        _ read: (_ realmID: String, _ idle: Int64) async throws -> LiveSession?
    ) async throws -> LiveSession? {
        guard let rule = directory.sessionRule,
            let live = try await read(rule.realmID, rule.idle),
            live.session.authenticatedAt >= rule.notBefore
        else { return nil }
        return live
    }
}
