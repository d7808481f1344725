import PorticoBytes
import PorticoProtocol

extension BackendSession {
    /// Ends the session: here first, so that it is over even without a network, then at the backend.
    ///
    /// - Parameter everywhere: Whether all of the person's sessions end, in every app and browser.
    /// - Returns: What became of it. ``SignOutReport/revocation-swift.property`` is about the session
    ///   at the backend; no browser has a part in it.
    @discardableResult
    public func signOut(everywhere: Bool = false) async -> SignOutReport {
        let latest = await latestRecord()
        let shown = end(.signedOut)
        let storageError = await clearStorage(of: latest ?? shown)
        var revocation = SignOutReport.Revocation.notAsked
        if let record = latest ?? shown {
            do throws(SignInError) {
                try await revoke(record, everywhere)
                revocation = .revoked
            } catch {
                revocation = .failed(error)
            }
        }
        return SignOutReport(
            revocation: revocation,
            browserSession: .notAsked,
            storageError: storageError
        )
    }

    /// With a new session token where the kept one is too old: the backend must know whose sessions
    /// are to end.
    private func revoke(_ record: BackendRecord, _ everywhere: Bool) async throws(SignInError) {
        if record.isFresh(for: 10, at: now()),
            try await endpoint.signOut(record.accessToken, everywhere: everywhere)
        {
            return
        }
        guard let token = record.refreshToken else { return try unknown(everywhere) }
        // The key of a refresh whose answer was lost: without it the repetition is a replay.
        let request = record.pending.flatMap { $0.isFor(token) ? $0 : nil }
        let answer: BackendAnswer
        do {
            answer = try await endpoint.refresh(
                token,
                idempotencyKey: request?.idempotencyKey ?? random.text(16)
            )
        } catch {
            if case .refused(.invalidGrant, _) = error { return try unknown(everywhere) }
            throw error.error
        }
        guard
            try await endpoint.signOut(answer.tokens.accessToken, everywhere: everywhere)
        else { throw SignInError(.transient(.serverError, retryAfter: nil)) }
    }

    /// A session that the backend knows no more is over there too; the person's others are not.
    private func unknown(_ everywhere: Bool) throws(SignInError) {
        if everywhere { throw SignInError(.interactionRequired(.sessionEnded)) }
    }
}
