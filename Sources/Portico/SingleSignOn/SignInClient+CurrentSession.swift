import PorticoBytes

extension SignInClient {
    /// The session of an earlier run as it was stored. Uses no network, and asks no one.
    public func lastKnownSession() async -> RestoredSession {
        await restore()
    }

    /// The session of an earlier run, checked at the provider.
    ///
    /// If the provider has ended the session, it is over and its tokens are deleted. If the provider
    /// cannot be reached, the session is returned as it was stored. A session without a refresh token
    /// counts as signed out once its access token has expired or is refused; its record stays.
    public func currentSession() async -> RestoredSession {
        let restored = await restore()
        guard case .signedIn(let session) = restored else { return restored }
        do throws(SignInError) {
            try await session.check()
        } catch {
            if error.kind == .storage(.locked) { return .locked(.locked) }
            if case .interactionRequired = error.kind, !session.isRenewable { return .signedOut }
            // Without an answer, the session is assumed to be live.
            return session.isActive ? restored : .signedOut
        }
        return restored
    }
}

extension Session {
    /// Checks at the provider that the session is live, and updates ``roles``.
    ///
    /// - Throws: interactionRequired if the provider has ended the session: its tokens are then
    ///   deleted. interactionRequired(.expired) if there is no refresh token, and the access token has
    ///   expired or is refused. That and every other error leave the session as it was.
    public func check() async throws(SignInError) {
        // What cannot be renewed is over with its access token, whatever the provider says.
        if !isRenewable { _ = try await freshRecord() }
        guard try await provider.metadata().userInfoEndpoint == nil else {
            _ = try await userInfo()
            return
        }
        // Nothing but a refresh tells.
        guard isRenewable else { return }
        let used = try activeRecord().accessToken
        _ = try await refresher.record(of: self, for: .replacement(of: used))
    }

    /// Whether an expired access token can be replaced.
    var isRenewable: Bool { isRefreshable || isRenewedElsewhere }
}
