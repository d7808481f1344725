import PorticoBytes
import PorticoProtocol

/// A pending sign-in, from the address opened in a browser to the session (RFC 6749 §4.1, OpenID
/// Connect Core §3.1).
///
/// State, nonce and PKCE verifier are made for this attempt only. One response uses it up.
public final class SignIn: Sendable {
    /// The address to open in the browser. It holds no secret (RFC 8252 §8.8).
    public let address: String
    private let client: SignInClient
    private let flow: CodeFlow
    private let request: SignInRequest
    private let response: AwaitedResponse

    init(client: SignInClient, flow: CodeFlow, request: SignInRequest) async throws(SignInError) {
        self.client = client
        self.request = request
        self.flow = flow
        response = AwaitedResponse(flow.expectation) { SignInError($0) }
        address = try await flow.pushedAddress(for: request, scopes: client.scopes)
    }

    /// Takes the URI received on the redirect and completes the sign-in with it.
    ///
    /// - Throws: rejected(.state) or rejected(.redirect) if the URI does not belong to this
    ///   attempt, which then keeps waiting; rejected(.alreadyUsed) after the first answer. Every
    ///   other error ends the attempt.
    public func complete(_ callback: String) async throws(SignInError) -> Session {
        if let refusal = receive(callback) { throw SignInError(.rejected(refusal)) }
        return try await finish()
    }

    func receive(_ callback: String) -> SignInError.Check? {
        response.receive(callback)
    }

    /// Redeems the received code, once.
    func finish() async throws(SignInError) -> Session {
        let code = try response.takeCode()
        let redemption = try await flow.redeem(
            code,
            maxAge: request.maxAgeSeconds,
            acr: request.acr.map(\.text),
            deviceSecret: await client.storedDeviceSecret()
        )
        let record = SessionRecord(
            id: client.context.random.text(16),
            issuer: flow.metadata.issuer,
            clientID: client.clientID,
            answer: redemption.tokens,
            idToken: VerifiedToken(
                text: redemption.idTokenText,
                claims: redemption.idToken.claims
            ),
            requestedScope: Scope(tokens: client.scopes.map(\.text)),
            provider: await flow.provider.lasting,
            receivedAt: redemption.receivedAt
        )
        try await client.store(record)
        return Session(client: client, provider: flow.provider, record: record)
    }
}

extension SignIn: SignInUnderWay {}

extension SignInClient {
    /// Begins a sign-in when the app itself receives the answer, on an https or private-use
    /// redirect.
    ///
    /// - Parameter request: What this sign-in asks for beyond the scopes.
    /// - Throws: misconfigured if the client's redirect is a loopback redirect or invalid; and
    ///   every error of ``SignInClient/provider()``.
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
        var flowClient = FlowClient(id: clientID)
        flowClient.trustedAudiences = options.trustedAudiences
        let flow = CodeFlow(
            provider: provider,
            metadata: try await provider.metadata(),
            client: flowClient,
            secrets: FlowSecrets(redirectURI: redirectURI, random: context.random),
            http: context.http
        )
        return try await SignIn(client: self, flow: flow, request: request)
    }

    /// The requirements for every ID Token of this client.
    func expectation(of issuer: Issuer, nonce: IDTokenExpectation.Nonce) -> IDTokenExpectation {
        var expected = IDTokenExpectation(issuer: issuer, clientID: clientID, nonce: nonce)
        expected.trustedAudiences = options.trustedAudiences
        return expected
    }
}
