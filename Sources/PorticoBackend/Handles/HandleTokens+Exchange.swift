import PorticoBytes
import PorticoStores

/// A refresh under its lease.
extension HandleTokens {
    /// - Returns: `nil` if the lease was lost before anything was sent.
    func exchange(
        _ session: HandleSession,
        _ lease: RefreshLease,
        but refused: SecretText?
    ) async throws(Failure) -> Open? {
        let usable = self.open(session).flatMap { isUsable($0, but: refused) ? $0 : nil }
        if session.sentAt != nil, let usable {
            // The answer to this very token was lost. Sending it again may end the session, and the
            // access token works.
            await giveBack(session, lease)
            return usable
        }
        guard let tokens = vault.open(session) else {
            await giveBack(session, lease)
            throw .signInAgain
        }
        guard let token = tokens.refresh else {
            guard let usable else { return try await end(session, "no_refresh_token", refused) }
            await giveBack(session, lease)
            return usable
        }
        let server: any HandleTokenServer
        do throws(HandleServerFailure) {
            server = try await servers.server(of: session)
        } catch {
            await giveBack(session, lease)
            switch error {
            case .movedAway: throw .signInAgain
            case .keyWithdrawn: return try await end(session, "key_withdrawn", refused)
            case .unreachable: return try later(session, usable)
            case .busy: return try whenBusy(usable)
            }
        }
        guard !isStopping else {
            await giveBack(session, lease)
            guard let usable else { throw .busy }
            return usable
        }
        guard try await isSending(session, lease) else { return nil }
        let answer: RefreshedTokens
        do throws(HandleRefreshFailure) {
            answer = try await server.refresh(token, with: tokens.key)
        } catch {
            switch error {
            case .invalidGrant: return try await end(session, "invalid_grant", refused)
            case .otherSubject(let foreign):
                // In the background; its outcome does not matter.
                if let foreign { Task { await server.revoke(foreign, with: tokens.key) } }
                return try await end(session, "other_sub", refused)
            case .unusable(let successor?):
                let left = HandleTokenVault.Tokens(refresh: successor, key: tokens.key)
                _ = try await store(left, scope: session.scope, expiresAt: nil, of: session)
                return try later(session, nil)
            case .unusable(.none):
                await giveBack(session, lease)
                return try later(session, usable)
            case .busy:
                await giveBack(session, lease, isUnspent: true)
                return try whenBusy(usable)
            case .failed(let isUnspent):
                await giveBack(session, lease, isUnspent: isUnspent)
                return try later(session, usable)
            }
        }
        let new = HandleTokenVault.Tokens(
            access: answer.access,
            refresh: answer.refresh ?? token,
            key: tokens.key
        )
        let expiresAt = answer.expiresIn.map { clock.moment().seconds + max(0, min($0, 1 << 40)) }
        var home = session
        if let host = answer.host { home.host = host }
        if let handle = answer.handle { home.handle = handle }
        let stored = try await store(new, scope: answer.scope, expiresAt: expiresAt, of: home)
        endDelay(session.sessionID)
        guard let open = self.open(stored) else { throw .unreachable }
        return open
    }

    private func isSending(_ session: HandleSession, _ lease: RefreshLease) async throws(Failure)
        -> Bool
    {
        do {
            let now = clock.moment().seconds
            return try await handles.sending(session.sessionID, lease, at: now)
        } catch {
            await giveBack(session, lease)
            throw .busy
        }
    }

    private func giveBack(
        _ session: HandleSession,
        _ lease: RefreshLease,
        isUnspent: Bool = false
    ) async {
        // `try?`: a lease that cannot be returned ends by itself.
        try? await handles.giveBack(session.sessionID, lease, isUnspent: isUnspent)
    }

    /// No server was asked: the access token is used if it works, and the next call may ask.
    private func whenBusy(_ usable: Open?) throws(Failure) -> Open {
        guard let usable else { throw .busy }
        return usable
    }

    /// The host gave nothing: the access token is used if it works, and the host is asked again later.
    private func later(_ session: HandleSession, _ usable: Open?) throws(Failure) -> Open {
        delay(session.sessionID)
        guard let usable else { throw .unreachable }
        return usable
    }

    /// The host has ended the session, unless other tokens have been stored (ATP-TL-7).
    private func end(_ session: HandleSession, _ reason: String, _ refused: SecretText?)
        async throws(Failure) -> Open
    {
        let now = clock.moment().seconds
        let newer: HandleSession?
        do {
            let change = try await handles.endedByHost(
                session.sessionID,
                revision: session.revision,
                as: reason,
                at: now
            )
            guard change == .notFound else { throw Failure.ended }
            newer = try await handles.live(session.sessionID, at: now)?.handle
        } catch {
            throw error as? Failure ?? .busy
        }
        guard let newer else { throw .ended }
        guard let open = self.open(newer), isUsable(open, but: refused) else { throw .busy }
        return open
    }

    /// Stores new tokens before any caller gets them. If that fails, it is tried again, and no caller
    /// gets them meanwhile.
    ///
    /// - Parameter session: With the host and the handle to store.
    /// - Returns: The session as it is stored.
    private func store(
        _ tokens: HandleTokenVault.Tokens,
        scope: String,
        expiresAt: Int64?,
        of session: HandleSession
    ) async throws(Failure) -> HandleSession {
        let (id, moment) = (session.sessionID, clock.moment())
        let sealed = vault.seal(tokens, for: id, random: moment.random)
        let keep: @Sendable () async throws -> KeepOutcome = { [handles] in
            try await handles.keep(
                sealed,
                scope: scope,
                accessExpiresAt: expiresAt,
                host: session.host,
                handle: session.handle,
                of: id,
                after: session.revision,
                at: moment.seconds
            )
        }
        do {
            if try await keep() == .ended { throw Failure.ended }
            guard let stored = try await handles.live(id, at: moment.seconds)?.handle else {
                throw Failure.ended
            }
            return stored
        } catch let error as Failure {
            throw error
        } catch {
            keepTrying(id, keep)
            throw .busy
        }
    }

    /// For about an hour: without these tokens the person is signed out.
    private func keepTrying(
        _ id: UniqueID,
        _ keep: @escaping @Sendable () async throws -> KeepOutcome
    ) {
        note(id, isUnstored: true)
        Task {
            var wait = Duration.milliseconds(200)
            for _ in 0..<720 {
                await pause(wait)
                // `try?`: it is tried again.
                if (try? await keep()) != nil { break }
                wait = min(wait * 2, .seconds(5))
            }
            note(id, isUnstored: false)
        }
    }
}
