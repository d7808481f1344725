import PorticoBytes

extension BackendClient {
    /// The result of looking for a stored ``BackendSession``.
    public typealias Restored = Portico.Restored<BackendSession>

    /// Restores the session of an earlier run without using the network or asking the person.
    /// ``BackendSession/check()`` finds out whether the backend has ended it since.
    ///
    /// A session of another backend or app counts as no session.
    public func restore() async -> Restored {
        let endpoint: BackendEndpoint
        let stored: BackendRecord?
        do throws(SignInError) {
            endpoint = try self.endpoint()
            stored = try await context.storage.record()
        } catch {
            guard case .storage(let problem) = error.kind else { return .signedOut }
            return .locked(problem)
        }
        guard let record = stored,
            sameBytes(record.backend, endpoint.base.text), sameBytes(record.app, app)
        else { return .signedOut }
        return .signedIn(
            BackendSession(client: self, endpoint: endpoint, record: record, isNew: false)
        )
    }

    /// Restores the session of an earlier run and checks it at the backend.
    ///
    /// If the backend refuses the session, it is over and its tokens are deleted. If the backend
    /// cannot be reached, the session is returned as it was stored.
    public func currentSession() async -> Restored {
        let restored = await restore()
        guard case .signedIn(let session) = restored else { return restored }
        do throws(SignInError) {
            try await session.check()
        } catch {
            // Another failure of the storage leaves a session in memory.
            if case .storage(.locked) = error.kind { return .locked(.locked) }
            // Without an answer, the session is assumed to be live.
            return session.isActive ? restored : .signedOut
        }
        return restored
    }
}

extension BackendSession {
    /// Checks at the backend that the session is live, and updates ``user``.
    ///
    /// - Throws: interactionRequired if the backend has ended the session: its tokens are then
    ///   deleted. Every other error leaves the session as it was.
    public func check() async throws(SignInError) {
        if try activeRecord().cookieName != nil { return try await checkCookie() }
        let token = try await freshRecord().accessToken
        var user = try await endpoint.user(of: token)
        if user == nil {
            // Only a refused refresh token ends a session: the session token may merely have
            // expired.
            let fresh = try await refresher.record(of: self, for: .replacement(of: token))
            user = try await endpoint.user(of: fresh.accessToken)
        }
        guard let user else { throw SignInError(.transient(.serverError, retryAfter: nil)) }
        guard sameBytes(user.id, self.user.id) else { throw SignInError(.rejected(.subject)) }
        if user != self.user { try await keep(user) }
    }

    /// Stores the person's new details, then shows them.
    func keep(_ user: BackendUser) async throws(SignInError) {
        // Must not overwrite a refresh by another process.
        let lock = try await storage.lock(patience: .refresh)
        defer { lock.release() }
        var record = try await storedRecord()
        record.user = user
        try await store(record, replacing: record.refreshToken, under: lock)
    }
}
