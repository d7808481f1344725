extension SignInClient {
    /// Signs a person in by a login token from another app, and keeps the session (RFC 8252 §4.1).
    ///
    /// A provider that takes pushed requests asks nothing. A token that is not valid any more
    /// counts as none: the sign-in page appears, or the app gets the account that is signed in in
    /// that browser. See ``Session/user`` for who it is.
    ///
    /// - Parameters:
    ///   - loginToken: From ``Session/loginToken(for:)`` of the other app.
    ///   - request: What this sign-in asks for beyond the scopes.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored in that case.
    public func signIn(
        loginToken: LoginToken,
        _ request: SignInRequest = SignInRequest(),
        using method: SignInMethod = .standard
    ) async throws(SignInError) -> Session {
        var request = request
        request.loginToken = loginToken
        return try await signIn(request, using: method)
    }
}
