import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoSignIn

/// Revokes the tokens of ended sessions by handle, until the host was told, or need not be told
/// (docs/decisions/0056).
struct HandleRevocation: Sendable {
    let handles: HandleSessionStore
    let vault: HandleTokenVault
    let servers: any HandleTokenServers
    let clock: Clock
    /// The time for one session's host and all other servers asked for it, together.
    var patience = Duration.seconds(10)

    /// Sessions in one round, and of one host among them. The next round is seconds later.
    private static let most = (all: 40, host: 10)
    private static let tries: Int64 = 10

    /// Called every few seconds, by any number of processes: each session goes to one of them.
    ///
    /// Hosts that do not answer leave most of the round to the others.
    func round() async throws {
        let now = clock.moment().seconds
        let due = try await handles.takeDue(
            limit: Self.most.all,
            ofHost: Self.most.host,
            at: now,
            retryAt: now + 60
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for one in due { group.addTask { try await revoke(one) } }
            try await group.waitForAll()
        }
    }

    /// Called after a sign-out: its host does not wait for those that do not answer.
    func tell(_ id: String) async throws {
        let now = clock.moment().seconds
        guard let due = try await handles.takeDue(id, at: now, retryAt: now + 60) else { return }
        try await revoke(due)
    }

    private func revoke(_ due: DueRevocation) async throws {
        let session = due.session
        guard let tokens = vault.open(session), let token = tokens.refresh ?? tokens.access else {
            return try await forget(session, "lost")
        }
        switch await outcome(session, token, tokens.key) {
        case .told: return try await forget(session, nil)
        case .notTold(let reason): return try await forget(session, reason)
        case .unreachable: break
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

    private enum Outcome: Sendable {
        case told
        /// Its host need not be told.
        case notTold(String)
        case unreachable
    }

    /// Asks, for as long as ``patience``.
    private func outcome(_ session: HandleSession, _ token: SecretText, _ key: DPoPKey) async
        -> Outcome
    {
        await withTaskGroup(of: Outcome.self) { group in
            group.addTask { await ask(session, token, key) }
            group.addTask { [patience] in
                // `try?`: cancelled if the host was quicker.
                try? await Task.sleep(for: patience)
                return .unreachable
            }
            defer { group.cancelAll() }
            return await group.next() ?? .unreachable
        }
    }

    private func ask(_ session: HandleSession, _ token: SecretText, _ key: DPoPKey) async
        -> Outcome
    {
        do throws(HandleServerFailure) {
            let server = try await server(of: session)
            return await server.revoke(token, with: key) ? .told : .unreachable
        } catch {
            switch error {
            case .movedAway: return .notTold("moved_away")
            case .keyWithdrawn: return .notTold("key_withdrawn")
            case .unreachable, .busy: return .unreachable
            }
        }
    }

    /// If the account has moved, its former server is told.
    private func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        do throws(HandleServerFailure) {
            return try await servers.server(of: session)
        } catch {
            guard error == .movedAway else { throw error }
            return try await servers.formerServer(of: session)
        }
    }

    /// - Parameter reason: Why its host was not told; `nil` if it was.
    private func forget(_ session: HandleSession, _ reason: String?) async throws {
        try await handles.revoked(
            session.sessionID,
            revision: session.revision,
            givenUp: reason,
            at: clock.moment().seconds
        )
    }
}
