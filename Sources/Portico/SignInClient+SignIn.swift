extension SignInClient {
    /// Signs a person in and keeps the session (RFC 8252 §4.1).
    ///
    /// Cancelling the task closes the port or the sheet, and ends the attempt.
    ///
    /// - Parameters:
    ///   - request: What this sign-in asks for beyond the scopes.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored in that case.
    public func signIn(
        _ request: SignInRequest = SignInRequest(),
        using method: SignInMethod = .standard
    ) async throws(SignInError) -> Session {
        try redirect.check()
        if let browser = context.browser {
            return try await browser.finish(begin(request, redirectURI: redirect.scriptedURI))
        }
        _ = try method.kind(for: redirect)
        try await context.storage.checkKeeps(SessionRecord.self)
        // The port is opened only once the request is known to be valid (RFC 8252 §8.3).
        _ = try await remoteProvider().metadata()
        return try await method.run(on: redirect) { session in
            session.user.displayName
        } begin: { redirectURI throws(SignInError) in
            try await begin(request, redirectURI: redirectURI)
        }
    }
}
