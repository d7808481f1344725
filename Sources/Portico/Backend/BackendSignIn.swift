import PorticoBytes
import PorticoProtocol

/// One sign-in at a backend under way: from the address that is opened in a browser to the session
/// (RFC 6749 §4.1, RFC 7636).
///
/// State and PKCE verifier are made here, for this attempt only. One response uses it up.
public final class BackendSignIn: Sendable {
    /// What to open in the browser. It holds no secret (RFC 8252 §8.8).
    public let address: String
    private let client: BackendClient
    private let endpoint: BackendEndpoint
    private let verifier: CodeVerifier
    private let response: AwaitedResponse

    init(client: BackendClient, provider: String?, redirectURI: String) throws(SignInError) {
        let random = client.context.random
        let state = SecretText(random.text(16))
        self.client = client
        verifier = CodeVerifier(random: random)
        endpoint = try client.endpoint()
        address = try endpoint.start(
            at: provider,
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
        response = AwaitedResponse(expectation) { SignInError(ofBackend: $0) }
    }

    /// Takes the URI that came in on the redirect, and completes the sign-in with it.
    ///
    /// - Throws: rejected(.state) or rejected(.redirect) where the URI is no answer to this attempt,
    ///   which then goes on waiting; rejected(.alreadyUsed) after the first answer. Everything else
    ///   ends the attempt.
    public func complete(_ callback: String) async throws(SignInError) -> BackendSession {
        if let refusal = receive(callback) { throw SignInError(.rejected(refusal)) }
        return try await finish()
    }

    func receive(_ callback: String) -> SignInError.Check? {
        // Where a provider adds a fragment to its answer, the backend puts an empty one in its
        // place, whose mark a browser hands on (RFC 9110 §10.2.2).
        let isMarked = callback.utf8.last == UInt8(ascii: "#")
        return response.receive(
            isMarked ? String(Substring(callback.utf8.dropLast())) : callback
        )
    }

    /// Redeems the hand-off code that was received, once.
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
        let record = BackendRecord(
            id: client.context.random.text(16),
            backend: endpoint.base.text,
            app: client.app,
            answer: answer,
            receivedAt: client.context.now()
        )
        try await client.store(record)
        return BackendSession(
            client: client,
            endpoint: endpoint,
            record: record,
            isNew: answer.isNewUser
        )
    }
}

extension BackendSignIn: SignInUnderWay {}

extension BackendClient {
    /// Signs a person in and keeps the session (RFC 8252 §4.1, §7.3).
    ///
    /// Cancelling the task closes the port and ends the attempt.
    ///
    /// - Parameters:
    ///   - provider: The name that the backend has a provider by, such as `google`; `nil` opens the
    ///     backend's page with all of them.
    ///   - method: Which browser, and for how long.
    /// - Throws: Any kind of ``SignInError``; nothing is stored then.
    public func signIn(
        with provider: String? = nil,
        using method: SignInMethod = .loopback()
    ) async throws(SignInError) -> BackendSession {
        try redirect.check()
        // The port is opened only for a request that can be made (RFC 8252 §8.3).
        _ = try endpoint()
        return try await method.run(on: redirect) { session in
            session.user.displayName
        } begin: { redirectURI throws(SignInError) in
            try BackendSignIn(client: self, provider: provider, redirectURI: redirectURI)
        }
    }

    /// Begins a sign-in whose answer the app itself receives, on an https or private-use redirect.
    /// Nothing is sent.
    ///
    /// - Parameter provider: As for ``signIn(with:using:)``.
    /// - Throws: misconfigured where the client's redirect is a loopback one, or wrong.
    public func begin(with provider: String? = nil) throws(SignInError) -> BackendSignIn {
        try redirect.check()
        guard case .uri(let redirectURI) = redirect.kind else {
            throw SignInError(.misconfigured(.redirectInvalid))
        }
        return try BackendSignIn(client: self, provider: provider, redirectURI: redirectURI)
    }

    /// Stores a new session, before anybody has it.
    func store(_ record: BackendRecord) async throws(SignInError) {
        // A refresh of the session before, in another process, must not overwrite this one.
        let lock = try await context.storage.lock(patience: .seconds(40))
        defer { lock.release() }
        try await context.storage.write(record.serialized())
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
