import PorticoBytes

extension BackendClient {
    /// What an app finds when it starts.
    public enum Restored: Sendable {
        /// There is a session.
        case signedIn(BackendSession)
        /// There is none, or one of another backend or app, or none that can be understood.
        case signedOut
        /// A session may be there, but cannot be read now: that is not "signed out".
        case locked(SignInError.StorageProblem)
    }

    /// The session of an earlier run. Neither the network nor the person is asked; whether the
    /// backend has ended it since, ``BackendSession/check()`` tells.
    ///
    /// A session of another backend or app counts as none.
    public func restore() async -> Restored {
        let endpoint: BackendEndpoint
        let bytes: [UInt8]?
        do throws(SignInError) {
            endpoint = try self.endpoint()
            bytes = try await context.storage.read()
        } catch {
            guard case .storage(let problem) = error.kind else { return .signedOut }
            return .locked(problem)
        }
        guard let record = bytes.flatMap(BackendRecord.init),
            sameBytes(record.backend, endpoint.base.text), sameBytes(record.app, app)
        else { return .signedOut }
        return .signedIn(
            BackendSession(client: self, endpoint: endpoint, record: record, isNew: false)
        )
    }

    /// The session of an earlier run, checked at the backend.
    ///
    /// One that the backend refuses is over, and its tokens are forgotten. Where the backend cannot
    /// be asked now, the session is handed out as it was kept.
    public func currentSession() async -> Restored {
        let restored = await restore()
        guard case .signedIn(let session) = restored else { return restored }
        do throws(SignInError) {
            try await session.check()
        } catch {
            if case .storage(let problem) = error.kind { return .locked(problem) }
            // Without an answer nothing is known against the session.
            return session.isActive ? restored : .signedOut
        }
        return restored
    }
}

extension BackendSession {
    /// Asks the backend whether the session is live, and who it is; ``user`` is new then.
    ///
    /// - Throws: interactionRequired where the backend has ended the session: its tokens are
    ///   forgotten. Everything else leaves it as it was.
    public func check() async throws(SignInError) {
        let token = try await freshRecord(for: .seconds(60)).accessToken
        var user = try await endpoint.user(of: token)
        if user == nil {
            // Only the refresh token's refusal ends a session: the token alone may be what is over.
            let fresh = try await refresher.record(of: self, for: .replacement(of: token))
            user = try await endpoint.user(of: fresh.accessToken)
        }
        guard let user else { throw SignInError(.transient(.serverError, retryAfter: nil)) }
        guard sameBytes(user.id, self.user.id) else { throw SignInError(.rejected(.subject)) }
        if user != self.user { try await keep(user) }
    }

    /// Stores what is new of the person, and shows it then.
    private func keep(_ user: BackendUser) async throws(SignInError) {
        // A refresh in another process must not be overwritten.
        let lock = try await storage.lock(patience: .seconds(40))
        defer { lock.release() }
        var record = try await storedRecord()
        record.user = user
        try await store(record, replacing: record.refreshToken)
    }
}
