import PorticoBytes
import PorticoProtocol

/// One sign-in under way: from the address that is opened in a browser to the session
/// (RFC 6749 §4.1, OpenID Connect Core §3.1).
///
/// State, nonce and PKCE verifier are made here, for this attempt only. One response uses it up.
public final class SignIn: Sendable {
    /// What to open in the browser. It holds no secret (RFC 8252 §8.8).
    public let address: String
    private let client: SignInClient
    private let provider: RemoteProvider
    private let metadata: ProviderMetadata
    private let request: SignInRequest
    private let nonce: SecretText
    private let verifier: CodeVerifier
    private let response: AwaitedResponse

    init(
        client: SignInClient,
        provider: RemoteProvider,
        metadata: ProviderMetadata,
        request: SignInRequest,
        redirectURI: String
    ) {
        let random = client.context.random
        let state = SecretText(random.text(16))
        nonce = SecretText(random.text(16))
        verifier = CodeVerifier(random: random)
        self.client = client
        self.provider = provider
        self.metadata = metadata
        self.request = request
        let expectation = AuthorizationResponse.Expectation(
            redirectURI: redirectURI,
            state: state,
            issuer: provider.issuer,
            isIssuerAnnounced: metadata.sendsIssuerInResponses
        )
        response = AwaitedResponse(expectation) { SignInError($0) }
        address = FormEncoding.appending(
            AuthorizationParameters(
                clientID: client.clientID,
                redirectURI: redirectURI,
                scopes: client.scopes,
                state: state,
                nonce: nonce,
                challenge: verifier.challenge,
                request: request,
                supportsClaims: metadata.supportsClaimsParameter
            ).all,
            to: metadata.authorizationEndpoint
        )
    }

    /// Takes the URI that came in on the redirect, and completes the sign-in with it.
    ///
    /// - Throws: rejected(.state) or rejected(.redirect) where the URI is no answer to this attempt,
    ///   which then goes on waiting; rejected(.alreadyUsed) after the first answer. Everything else
    ///   ends the attempt.
    public func complete(_ callback: String) async throws(SignInError) -> Session {
        if let refusal = receive(callback) { throw SignInError(.rejected(refusal)) }
        return try await finish()
    }

    func receive(_ callback: String) -> SignInError.Check? {
        response.receive(callback)
    }

    /// Redeems the code that was received, once.
    func finish() async throws(SignInError) -> Session {
        let code = try response.takeCode()
        let endpoint = TokenEndpoint(
            address: metadata.tokenEndpoint,
            clientID: client.clientID,
            http: client.context.http
        )
        let answer: TokenEndpoint.Answer
        do {
            answer = try await endpoint.redeem(
                code,
                redirectURI: response.expectation.redirectURI,
                verifier: verifier
            )
        } catch {
            switch error {
            case .refused(let code, let retryAfter):
                throw SignInError(code, retryAfter: retryAfter)
            case .other(let error): throw error
            }
        }
        let received = client.context.now()
        let idToken = try await verifiedIDToken(of: answer)
        let record = SessionRecord(
            id: client.context.random.text(16),
            issuer: metadata.issuer,
            clientID: client.clientID,
            answer: answer.tokens,
            idToken: idToken,
            requestedScope: Scope(tokens: client.scopes.map(\.text)),
            receivedAt: received
        )
        try await client.store(record)
        return Session(client: client, provider: provider, record: record)
    }

    /// Order of OpenID Connect Core §3.1.3.5: first the response as OAuth, then the ID Token, then
    /// `at_hash`; nothing is returned before.
    private func verifiedIDToken(of answer: TokenEndpoint.Answer) async throws(SignInError)
        -> VerifiedToken
    {
        guard let token = answer.tokens.idToken else {
            throw SignInError(.rejected(.idTokenMissing))
        }
        var expected = client.expectation(of: provider.issuer, nonce: .equal(nonce))
        expected.maxAge = request.maxAgeSeconds
        expected.acr = request.acr.map(\.text)
        expected.accessToken = answer.tokens.accessToken
        let verified = try await IDTokenVerifier(provider: provider, now: client.context.now)
            .verify(token, meeting: expected, serverDate: answer.serverDate)
        return VerifiedToken(text: token, claims: verified.claims)
    }
}

extension SignIn: SignInUnderWay {}

extension SignInClient {
    /// Begins a sign-in whose answer the app itself receives, on an https or private-use redirect.
    ///
    /// - Parameter request: What this sign-in asks for beyond the scopes.
    /// - Throws: misconfigured where the client's redirect is a loopback one, or wrong; and
    ///   whatever ``SignInClient/provider()`` throws.
    public func begin(_ request: SignInRequest = SignInRequest()) async throws(SignInError)
        -> SignIn
    {
        try redirect.check()
        guard case .uri(let redirectURI) = redirect.kind else {
            throw SignInError(.misconfigured(.redirectInvalid))
        }
        return try await begin(request, redirectURI: redirectURI)
    }

    func begin(_ request: SignInRequest, redirectURI: String) async throws(SignInError) -> SignIn {
        for scope in scopes {
            do {
                _ = try Scope(scope.text)
            } catch {
                throw SignInError(.misconfigured(.scopeInvalid))
            }
        }
        let provider = try remoteProvider()
        return SignIn(
            client: self,
            provider: provider,
            metadata: try await provider.metadata(),
            request: request,
            redirectURI: redirectURI
        )
    }

    /// What every ID Token of this client must meet.
    func expectation(of issuer: Issuer, nonce: IDTokenExpectation.Nonce) -> IDTokenExpectation {
        var expected = IDTokenExpectation(issuer: issuer, clientID: clientID, nonce: nonce)
        expected.trustedAudiences = options.trustedAudiences
        return expected
    }
}
