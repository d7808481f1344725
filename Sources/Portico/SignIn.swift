import PorticoBytes
import PorticoProtocol
public import PorticoSystem

/// A pending sign-in, from the address opened in a browser to the session (RFC 6749 §4.1, OpenID
/// Connect Core §3.1).
///
/// State, nonce and PKCE verifier are made for this attempt only. One response uses it up.
public final class SignIn: Sendable {
    /// The address to open in the browser (RFC 8252 §8.8). It holds no secret, except a login token
    /// where the provider takes no pushed requests. A pushed request can be opened once only.
    public let address: String
    private let client: SignInClient
    private let flow: CodeFlow
    private let request: SignInRequest
    private let further: FurtherParameters
    private let response: AwaitedResponse
    /// The session that goes on with what is received.
    private let continued: Session?

    init(
        client: SignInClient,
        flow: CodeFlow,
        request: SignInRequest,
        further: FurtherParameters,
        continuing session: Session?
    ) async throws(SignInError) {
        continued = session
        self.client = client
        self.request = request
        self.further = further
        self.flow = flow
        response = AwaitedResponse(flow.expectation, log: ClientLog(tell: client.options.log)) {
            SignInError($0)
        }
        address = try await flow.pushedAddress(
            for: request,
            scopes: client.scopes,
            further: further.all
        )
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

    /// The same with a `URL`, as apps receive it from the system.
    public func complete(url callback: URL) async throws(SignInError) -> Session {
        try await complete(callback.absoluteString)
    }

    /// ``address`` as a `URL`.
    public var url: URL? { URL(string: address) }

    /// A pushed request is good for one use (RFC 9126 §4), so it is pushed again.
    func addressAgain() async throws(SignInError) -> String {
        try await flow.pushedAddress(for: request, scopes: client.scopes, further: further.all)
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
        if let continued {
            try await continued.continued(with: redemption)
            return continued
        }
        let record = SessionRecord(
            client.context.random.text(16),
            redemption,
            for: client,
            await flow.provider.lasting
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

    /// - Parameter session: Goes on with what is received, if it is of the same person.
    func begin(
        _ request: SignInRequest,
        redirectURI: String,
        continuing session: Session? = nil
    ) async throws(SignInError) -> SignIn {
        for scope in scopes {
            do {
                _ = try Scope(scope.text)
            } catch {
                throw SignInError(.misconfigured(.scopeInvalid))
            }
        }
        let further = try FurtherParameters(options.parameters, request.parameters)
        let provider = try remoteProvider()
        // A session keeps its key, whatever becomes of its tokens.
        let key = try self.key(continuing: session)
        var flowClient = FlowClient(id: clientID)
        flowClient.trustedAudiences = options.trustedAudiences
        let flow = CodeFlow(
            provider: provider,
            metadata: try await provider.metadata(),
            client: flowClient,
            secrets: FlowSecrets(redirectURI: redirectURI, random: context.random),
            key: key,
            http: context.http
        )
        return try await SignIn(
            client: self,
            flow: flow,
            request: request,
            further: further,
            continuing: session
        )
    }

    /// The requirements for every ID Token of this client.
    func expectation(of issuer: Issuer, nonce: IDTokenExpectation.Nonce) -> IDTokenExpectation {
        var expected = IDTokenExpectation(issuer: issuer, clientID: clientID, nonce: nonce)
        expected.trustedAudiences = options.trustedAudiences
        return expected
    }
}

/// The single response that a pending sign-in accepts (RFC 8252 §8.9, RFC 9700 §4.2.4).
final class AwaitedResponse: Sendable {
    let expectation: AuthorizationResponse.Expectation
    private let meaning: @Sendable (ErrorResponse) -> SignInError
    private let log: ClientLog
    private let stage = Locked(Stage.waiting)

    private enum Stage {
        case waiting
        case answered(Result<SecretText, SignInError>)
        case used
    }

    /// - Parameter meaning: What an error in the response means for the app.
    init(
        _ expectation: AuthorizationResponse.Expectation,
        log: ClientLog,
        meaning: @escaping @Sendable (ErrorResponse) -> SignInError
    ) {
        self.expectation = expectation
        self.log = log
        self.meaning = meaning
    }

    /// Takes a URI, and only the first answer. Sends nothing.
    ///
    /// - Returns: Why the URI is ignored, or `nil` if it was the answer, successful or not.
    func receive(_ callback: String) -> SignInError.Check? {
        let refusal = refusal(of: callback)
        if let refusal { log.tell?(.callbackIgnored(refusal)) }
        return refusal
    }

    private func refusal(of callback: String) -> SignInError.Check? {
        stage.withLock { stage in
            guard case .waiting = stage else { return .alreadyUsed }
            do throws(AuthorizationResponse.Refusal) {
                switch try AuthorizationResponse(callback, expecting: expectation) {
                case .code(let code): stage = .answered(.success(code))
                case .error(let error): stage = .answered(.failure(meaning(error)))
                }
            } catch {
                guard !error.isIgnored else { return error.check }
                stage = .answered(.failure(SignInError(.rejected(error.check))))
            }
            return nil
        }
    }

    /// The received code. It can be taken once.
    func takeCode() throws(SignInError) -> SecretText {
        let answer = stage.withLock { stage -> Result<SecretText, SignInError> in
            guard case .answered(let answer) = stage else {
                return .failure(SignInError(.rejected(.alreadyUsed)))
            }
            stage = .used
            return answer
        }
        return try answer.get()
    }
}
