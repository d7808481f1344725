public import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// Authenticating the same person again, for an action that needs it (RFC 9470, OpenID Connect Core
/// §3.1.2.1).
extension Session {
    /// Asks the person to authenticate again, and goes on with the new tokens in this session.
    ///
    /// The earlier tokens are replaced, not revoked: at some providers that would end the new ones
    /// too.
    ///
    /// - Parameters:
    ///   - request: Which authentication is needed; see ``SignInRequest/init(answering:)``.
    ///   - method: Which browser, and for how long.
    /// - Throws: rejected(.subject) if another person signed in, and every error of a sign-in; the
    ///   session then stays as it was.
    public func stepUp(_ request: SignInRequest, using method: SignInMethod = .standard)
        async throws(SignInError)
    {
        let redirect = client.redirect
        try redirect.check()
        _ = try activeRecord()
        if let browser = client.context.browser {
            let uri = redirect.scriptedURI
            _ = try await browser.finish(
                client.begin(hinting(request), redirectURI: uri, continuing: self)
            )
            return
        }
        _ = try await provider.metadata()
        _ = try await method.run(on: redirect) { session in
            session.user.displayName
        } begin: { redirectURI throws(SignInError) in
            try await client.begin(hinting(request), redirectURI: redirectURI, continuing: self)
        }
    }

    /// Begins the same where the app itself receives the answer; ``SignIn/complete(_:)`` returns
    /// this session.
    public func beginStepUp(_ request: SignInRequest) async throws(SignInError) -> SignIn {
        try client.redirect.check()
        guard case .uri(let redirectURI) = client.redirect.kind else {
            throw SignInError(.misconfigured(.redirectInvalid))
        }
        _ = try activeRecord()
        return try await client.begin(hinting(request), redirectURI: redirectURI, continuing: self)
    }

    private func hinting(_ request: SignInRequest) -> SignInRequest {
        var request = request
        request.loginHint = request.loginHint ?? user.preferredUsername ?? user.email
        return request
    }

    /// Takes the tokens of another sign-in of the same person.
    func continued(with redemption: CodeFlow.Redemption) async throws(SignInError) {
        let lock = try await storage.lock(patience: .refresh)
        defer { lock.release() }
        let stored = try await storedRecord()
        guard sameBytes(redemption.idToken.claims.subject, stored.original.subject),
            sameBytes(redemption.idToken.claims.issuer, stored.original.issuer)
        else {
            await discard(SessionRecord(stored.id, redemption, for: client, [:]))
            throw SignInError(.rejected(.subject))
        }
        var record = SessionRecord(stored.id, redemption, for: client, await provider.lasting)
        record.deviceSecret = record.deviceSecret ?? stored.deviceSecret
        try await store(record, replacing: stored.refreshToken, under: lock)
        unwritten.drop(of: record)
    }
}

extension SignInRequest {
    /// What a resource server asks for with `insufficient_user_authentication` (RFC 9470 §3).
    ///
    /// - Returns: `nil` if the answer is not such a challenge.
    public init?(answering response: HTTPResponse) {
        let reply = HTTPReply(response: response, body: [])
        guard
            let challenge = reply.challenges.first(where: {
                ["bearer", "dpop"].contains($0.scheme)
                    && $0.parameters["error"] == "insufficient_user_authentication"
            })
        else { return nil }
        let contexts = challenge.parameters["acr_values"] ?? ""
        let seconds = challenge.parameters["max_age"].flatMap { Int64(digits: $0.utf8, atMost: 9) }
        self.init(
            maxAge: seconds.map { .seconds($0) },
            acr: contexts.split(separator: " ").map { AuthenticationContext(String($0)) }
        )
    }
}
