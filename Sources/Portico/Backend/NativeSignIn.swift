import PorticoBytes
import PorticoProtocol

/// A pending sign-in by what a system or a vendor's SDK shows in the app itself, such as Sign in with
/// Apple or Google's: it gives an identity token, for which the backend gives a session.
///
/// The backend takes only a token that has this attempt's nonce, and only from the installation that
/// asked for the nonce: the verifier stays here until then (RFC 7636). One answer uses it up.
public final class NativeSignIn: Sendable {
    /// What the identity token must have as `nonce`: hand it to Google's SDK.
    public let nonce: String
    /// The same as Apple wants it: SHA-256, in hexadecimal.
    public let hashedNonce: String
    private let client: BackendClient
    private let endpoint: BackendEndpoint
    private let provider: String
    private let verifier: CodeVerifier
    private let isUsed = Locked(false)

    fileprivate init(
        client: BackendClient,
        endpoint: BackendEndpoint,
        provider: String,
        nonce: String,
        verifier: CodeVerifier
    ) {
        self.client = client
        self.endpoint = endpoint
        self.provider = provider
        self.nonce = nonce
        self.verifier = verifier
        hashedNonce = Hexadecimal.text(Hash256(of: nonce).bytes)
    }

    /// Gives the backend what the system gave, and keeps the session.
    ///
    /// - Parameters:
    ///   - idToken: The identity token.
    ///   - authorizationCode: Apple's, by which the backend can take its access back when the person
    ///     deletes their account.
    ///   - name: What Apple says of the person at the first sign-in, and never again.
    /// - Throws: rejected(.alreadyUsed) after the first answer; rejected(.identityTokenRefused) if the
    ///   backend does not accept it; interactionRequired if an account with that address is there
    ///   already, to which the person adds this method in the browser; any other ``SignInError``.
    ///   Nothing is stored in these cases.
    public func complete(
        idToken: String,
        authorizationCode: String? = nil,
        name: PersonName? = nil
    ) async throws(SignInError) -> BackendSession {
        let isFirst = isUsed.withLock { used in
            defer { used = true }
            return !used
        }
        guard isFirst else { throw SignInError(.rejected(.alreadyUsed)) }
        let answer: BackendAnswer
        do {
            answer = try await endpoint.present(
                idToken,
                of: provider,
                nonce: nonce,
                verifier: verifier,
                further: [("authorization_code", authorizationCode), ("user", name?.json)]
            )
        } catch {
            throw error.error
        }
        return try await client.keep(answer, from: endpoint)
    }

    /// A person's name, as a system gives it.
    public struct PersonName: Sendable, Hashable {
        /// The given names.
        public var given: String?
        /// The surnames.
        public var family: String?

        /// A name in two parts.
        public init(given: String?, family: String?) {
            self.given = given
            self.family = family
        }

        /// As Apple's web pages write it.
        fileprivate var json: String? {
            var parts: JSONObject = [:]
            parts["firstName"] = given.map(JSONValue.string)
            parts["lastName"] = family.map(JSONValue.string)
            guard !parts.isEmpty else { return nil }
            let user: JSONObject = ["name": .object(parts)]
            return String(decoding: user.serialized(), as: UTF8.self)
        }
    }
}

extension BackendClient {
    /// Begins a sign-in without a browser, by what the system or a vendor's SDK shows in the app.
    ///
    /// - Parameter provider: The backend's name for it, such as `apple` or `google`. The app must be
    ///   registered there with its client ID at that provider.
    /// - Throws: misconfigured(.providerNameInvalid), and every error of a request.
    public func beginNative(with provider: String) async throws(SignInError) -> NativeSignIn {
        let endpoint = try endpoint()
        try await context.storage.checkKeeps(BackendRecord.self)
        let verifier = CodeVerifier(random: context.random)
        let nonce: String
        do {
            nonce = try await endpoint.nativeNonce(of: provider, challenge: verifier.challenge)
        } catch {
            throw error.error
        }
        return NativeSignIn(
            client: self,
            endpoint: endpoint,
            provider: provider,
            nonce: nonce,
            verifier: verifier
        )
    }

    /// Stores the session of an answer to a sign-in, before the caller gets it.
    func keep(_ answer: BackendAnswer, from endpoint: BackendEndpoint)
        async throws(SignInError) -> BackendSession
    {
        let record = BackendRecord(
            id: context.random.text(16),
            backend: endpoint.base.text,
            app: app,
            answer: answer,
            receivedAt: context.now()
        )
        try await store(record)
        return BackendSession(
            client: self,
            endpoint: endpoint,
            record: record,
            isNew: answer.isNewUser
        )
    }
}

extension BackendEndpoint {
    /// A nonce for one native identity token, good with the verifier of the challenge only.
    fileprivate func nativeNonce(of provider: String, challenge: CodeChallenge)
        async throws(Failure) -> String
    {
        guard Self.isName(provider) else {
            throw .other(SignInError(.misconfigured(.providerNameInvalid)))
        }
        let reply = try await posted(
            "/v1/auth/\(provider)/native/nonce",
            [("code_challenge", challenge.text), ("code_challenge_method", "S256")],
            check: .backendAnswer
        )
        guard reply.isJSON,
            // `try?`: every kind of damage has the same outcome.
            let json = try? JSONObject(parsing: reply.body),
            let nonce = json.string("nonce"), (1...512).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ $0.isVisible })
        else { throw .other(SignInError(.rejected(.backendAnswer))) }
        return nonce
    }

    /// Presents an identity token for a session.
    fileprivate func present(
        _ idToken: String,
        of provider: String,
        nonce: String,
        verifier: CodeVerifier,
        further: [(name: String, value: String?)]
    ) async throws(Failure) -> BackendAnswer {
        let given = further.compactMap { parameter in
            parameter.value.map { (name: parameter.name, value: $0) }
        }
        return try await tokens(
            "/v1/auth/\(provider)/native",
            [
                ("app", app), ("id_token", idToken), ("nonce", nonce),
                ("code_verifier", verifier.reveal()),
            ] + given
        )
    }
}
