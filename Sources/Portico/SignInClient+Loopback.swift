import PorticoProtocol

extension SignInClient {
    /// Signs a person in and keeps the session (RFC 8252 §4.1).
    ///
    /// Cancelling the task closes the port and ends the attempt.
    ///
    /// - Parameters:
    ///   - request: What this sign-in asks for beyond the scopes.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored then.
    public func signIn(
        _ request: SignInRequest = SignInRequest(),
        using method: SignInMethod = .loopback()
    ) async throws(SignInError) -> Session {
        try redirect.check()
        guard case .loopback(let path, let port) = redirect.kind else {
            throw SignInError(.misconfigured(.redirectNotLoopback))
        }
        // The port is opened only for a request that can be made (RFC 8252 §8.3).
        _ = try await remoteProvider().metadata()
        let receiver = try LoopbackReceiver(path: path, port: port)
        defer { receiver.close() }
        let attempt = try await begin(request, redirectURI: receiver.redirectURI)
        method.pasted?.attach { receiver.offer($0) }
        defer { method.pasted?.attach(nil) }
        try await receiver.response(
            timeout: method.timeout,
            opening: attempt.address,
            in: method.browser
        ) {
            attempt.receive($0) == nil
        }
        do throws(SignInError) {
            let session = try await attempt.finish()
            await receiver.finish(.signedIn(as: session.user.displayName))
            return session
        } catch {
            await receiver.finish(.failed(error.description))
            throw error
        }
    }
}
