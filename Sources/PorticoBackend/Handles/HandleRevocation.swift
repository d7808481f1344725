import PorticoBytes
import PorticoStores

/// Revokes the tokens of sessions by handle that are over, each until its host was told, or is not to
/// be told (docs/decisions/0056).
struct HandleRevocation: Sendable {
    let handles: HandleSessionStore
    let vault: HandleTokenVault
    let servers: any HandleTokenServers
    let clock: Clock

    /// In one round. The next one is seconds later.
    private static let most = 20
    private static let tries: Int64 = 10

    /// Called every few seconds, and after a sign-out. Any number of processes may: each session
    /// comes to one.
    func round() async throws {
        let now = clock.moment().seconds
        let due = try await handles.takeDue(limit: Self.most, at: now, retryAt: now + 60)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for one in due { group.addTask { try await revoke(one) } }
            try await group.waitForAll()
        }
    }

    private func revoke(_ due: DueRevocation) async throws {
        let session = due.session
        guard let tokens = vault.open(session), let token = tokens.refresh ?? tokens.access else {
            return try await forget(session, "lost")
        }
        let server: (any HandleTokenServer)?
        do throws(HandleServerFailure) {
            server = try await servers.server(of: session)
        } catch {
            if error == .movedAway { return try await forget(session, "moved_away") }
            server = nil
        }
        if await server?.revoke(token, with: tokens.key) == true {
            return try await forget(session, nil)
        }
        guard due.tries < Self.tries else { return try await forget(session, "unreachable") }
        // 1, 2, 4 … minutes, at most 6 hours.
        let wait = min(Int64(60) << (due.tries - 1), 6 * 3600)
        try await handles.postpone(
            session.sessionID,
            revision: session.revision,
            until: clock.moment().seconds + wait
        )
    }

    /// - Parameter reason: Why its host was not told; `nil` where it was.
    private func forget(_ session: HandleSession, _ reason: String?) async throws {
        try await handles.revoked(
            session.sessionID,
            revision: session.revision,
            givenUp: reason,
            at: clock.moment().seconds
        )
    }
}
