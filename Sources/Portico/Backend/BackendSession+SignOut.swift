import PorticoBytes
import PorticoProtocol

extension BackendSession {
    /// Ends the session: first locally, so that it is over even without a network, then at the
    /// backend.
    ///
    /// - Parameter everywhere: Whether to end all of the person's sessions, in every app and
    ///   browser. By the cookie of a sign-in by internet handle the backend ends this one only: the
    ///   outcome is then ``SignOutReport/Revocation-swift.enum/notOffered``.
    /// - Returns: The outcome. ``SignOutReport/revocation-swift.property`` is about the session at
    ///   the backend; no browser is involved.
    @discardableResult
    public func signOut(everywhere: Bool = false) async -> SignOutReport {
        let latest = await latestRecord()
        let shown = end(.signedOut)
        let unwritten = takeUnwritten(of: shown)
        let storageError = await clearStorage(of: latest ?? shown)
        var revocation = SignOutReport.Revocation.notAsked
        if let record = unwritten ?? latest ?? shown {
            do throws(SignInError) {
                if record.cookieName == nil {
                    try await revoke(record, everywhere)
                    revocation = .revoked
                } else {
                    _ = try await endpoint.signOut(record.sentToken, everywhere: false)
                    revocation = everywhere ? .notOffered : .revoked
                }
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

    /// Refreshes an expired session token first: the backend must know which person's sessions to
    /// end.
    private func revoke(_ record: BackendRecord, _ everywhere: Bool) async throws(SignInError) {
        if record.isFresh(.lasting(10), at: now()),
            try await endpoint.signOut(record.sentToken, everywhere: everywhere)
        {
            return
        }
        guard let token = record.refreshToken else { return try unknown(everywhere) }
        // The key of a refresh that got no answer: without it, the repetition would count as a
        // replay.
        let request = record.pending.flatMap { $0.isFor(token) ? $0 : nil }
        let answer: BackendAnswer
        do {
            answer = try await endpoint.refresh(
                token,
                idempotencyKey: request?.idempotencyKey ?? random.text(16)
            )
        } catch {
            if error.isInvalidGrant { return try unknown(everywhere) }
            throw error.error
        }
        guard
            try await endpoint.signOut(
                .bearer(answer.tokens.accessToken),
                everywhere: everywhere
            )
        else { throw SignInError(.transient(.serverError, retryAfter: nil)) }
    }

    /// A session unknown to the backend has ended at the backend too; the person's other sessions
    /// have not.
    private func unknown(_ everywhere: Bool) throws(SignInError) {
        if everywhere { throw SignInError(.interactionRequired(.sessionEnded)) }
    }
}
