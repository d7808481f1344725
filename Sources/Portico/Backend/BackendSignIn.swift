import PorticoBytes
import PorticoProtocol
public import PorticoSystem

/// A pending sign-in at a backend, from the address opened in a browser to the session (RFC 6749
/// §4.1, RFC 7636).
///
/// State and PKCE verifier are made for this attempt only. One response uses it up.
public final class BackendSignIn: Sendable {
    /// The address to open in the browser. It holds no secret (RFC 8252 §8.8).
    public let address: String
    private let client: BackendClient
    private let endpoint: BackendEndpoint
    private let verifier: CodeVerifier
    private let response: AwaitedResponse

    init(client: BackendClient, at beginning: BackendEndpoint.Beginning, redirectURI: String)
        throws(SignInError)
    {
        let random = client.context.random
        let state = SecretText(random.text(16))
        self.client = client
        verifier = CodeVerifier(random: random)
        endpoint = try client.endpoint()
        address = try endpoint.start(
            at: beginning,
            redirectURI: redirectURI,
            state: state,
            challenge: verifier.challenge
        )
        let expectation = AuthorizationResponse.Expectation(
            redirectURI: redirectURI,
            state: state,
            issuer: endpoint.base,
            isIssuerAnnounced: false
        )
        response = AwaitedResponse(expectation, log: ClientLog(tell: client.options.log)) {
            SignInError(ofBackend: $0)
        }
    }

    /// Takes the URI received on the redirect and completes the sign-in with it.
    ///
    /// - Throws: rejected(.state) or rejected(.redirect) if the URI does not belong to this
    ///   attempt, which then keeps waiting; rejected(.alreadyUsed) after the first answer. Every
    ///   other error ends the attempt.
    public func complete(_ callback: String) async throws(SignInError) -> BackendSession {
        if let refusal = receive(callback) { throw SignInError(.rejected(refusal)) }
        return try await finish()
    }

    /// The same with a `URL`, as apps receive it from the system.
    public func complete(url callback: URL) async throws(SignInError) -> BackendSession {
        try await complete(callback.absoluteString)
    }

    /// ``address`` as a `URL`.
    public var url: URL? { URL(string: address) }

    func receive(_ callback: String) -> SignInError.Check? {
        response.receive(callback)
    }

    /// Redeems the received hand-off code, once.
    func finish() async throws(SignInError) -> BackendSession {
        let code = try response.takeCode()
        let answer: BackendAnswer
        do {
            answer = try await endpoint.redeem(
                code,
                redirectURI: response.expectation.redirectURI,
                verifier: verifier
            )
        } catch {
            throw error.error
        }
        return try await client.keep(answer, from: endpoint)
    }
}

extension BackendSignIn: SignInUnderWay {}

extension BackendClient {
    /// Signs a person in and keeps the session (RFC 8252 §4.1, §7.3).
    ///
    /// Cancelling the task closes the port or the sheet, and ends the attempt.
    ///
    /// - Parameters:
    ///   - provider: The backend's name for a provider, such as `google`; `nil` opens the backend's
    ///     page with all of them.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored in that case.
    public func signIn(
        with provider: String? = nil,
        using method: SignInMethod = .standard
    ) async throws(SignInError) -> BackendSession {
        try await signIn(at: .provider(provider), using: method)
    }

    /// Signs a person in by their internet handle (AT Protocol), and keeps the session.
    ///
    /// The backend finds the person's own host, which signs them in. The session is a cookie of the
    /// backend's, which is kept and sent by ``BackendSession/http``; ``BackendUser/did`` and
    /// ``BackendUser/handle`` say who it is.
    ///
    /// - Parameters:
    ///   - handle: As the person typed it, such as `alice.example.com`; `nil` opens the backend's page
    ///     that asks for it.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored in that case.
    public func signIn(
        byHandle handle: String?,
        using method: SignInMethod = .standard
    ) async throws(SignInError) -> BackendSession {
        try await signIn(at: .handle(handle), using: method)
    }

    private func signIn(at beginning: BackendEndpoint.Beginning, using method: SignInMethod)
        async throws(SignInError) -> BackendSession
    {
        try redirect.check()
        if let browser = context.browser {
            return try await browser.finish(
                BackendSignIn(client: self, at: beginning, redirectURI: redirect.scriptedURI)
            )
        }
        _ = try method.kind(for: redirect)
        try await context.storage.checkKeeps(BackendRecord.self)
        // The port is opened only once the request is known to be valid (RFC 8252 §8.3).
        _ = try endpoint()
        return try await method.run(on: redirect) { session in
            session.user.displayName
        } begin: { redirectURI throws(SignInError) in
            try BackendSignIn(client: self, at: beginning, redirectURI: redirectURI)
        }
    }

    /// Begins a sign-in when the app itself receives the answer, on an https or private-use
    /// redirect. Sends nothing.
    ///
    /// - Parameter provider: As for ``signIn(with:using:)``.
    /// - Throws: misconfigured if the client's redirect is a loopback redirect or invalid.
    public func begin(with provider: String? = nil) throws(SignInError) -> BackendSignIn {
        try begin(at: .provider(provider))
    }

    /// Begins a sign-in by internet handle when the app itself receives the answer. Sends nothing.
    ///
    /// - Parameter handle: As for ``signIn(byHandle:using:)``.
    /// - Throws: As ``begin(with:)``.
    public func begin(byHandle handle: String?) throws(SignInError) -> BackendSignIn {
        try begin(at: .handle(handle))
    }

    private func begin(at beginning: BackendEndpoint.Beginning) throws(SignInError)
        -> BackendSignIn
    {
        try redirect.check()
        guard case .uri(let redirectURI) = redirect.kind else {
            throw SignInError(.misconfigured(.redirectInvalid))
        }
        return try BackendSignIn(client: self, at: beginning, redirectURI: redirectURI)
    }

    /// Stores a new session before the caller gets it.
    func store(_ record: BackendRecord) async throws(SignInError) {
        try await context.storage.replace(with: record)
    }
}

extension BackendSignIn: CustomStringConvertible, CustomReflectable {
    public var description: String { "BackendSignIn" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension BackendClient: CustomStringConvertible, CustomReflectable {
    public var description: String { "BackendClient(\(app) at \(backend))" }
    public var customMirror: Mirror {
        Mirror(self, children: ["backend": backend, "app": app])
    }
}
