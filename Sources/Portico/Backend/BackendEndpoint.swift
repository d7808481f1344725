import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// The requests of an app to its backend. Codes and refresh tokens are sent by POST as a form, the
/// session token in the `Authorization` or `Cookie` field. None of them ever appears in a URL.
struct BackendEndpoint: Sendable {
    /// Without a trailing slash.
    let base: Issuer
    let app: String
    let http: ProviderHTTP

    static let limits = HTTPLimits(bytes: 64 * 1024, seconds: 30)

    /// Why a request failed.
    enum Failure: Error {
        /// A protocol error code.
        case refused(ErrorResponse, retryAfter: Duration?)
        case other(SignInError)

        /// For a caller without a session that could end.
        var error: SignInError {
            switch self {
            case .refused(let error, let retryAfter):
                SignInError(ofBackend: error, retryAfter: retryAfter)
            case .other(let error): error
            }
        }

        var isInvalidGrant: Bool {
            if case .refused(let error, _) = self { error.code == .invalidGrant } else { false }
        }
    }

    /// Where a sign-in begins.
    enum Beginning: Sendable {
        /// At a provider, by the backend's name for it; `nil`: at the page that offers all.
        case provider(String?)
        /// At a person's own host; `nil`: at the page that asks for the handle.
        case handle(String?)
    }

    /// The address that begins a sign-in.
    ///
    /// - Throws: misconfigured(.providerNameInvalid)
    func start(
        at beginning: Beginning,
        redirectURI: String,
        state: SecretText,
        challenge: CodeChallenge
    ) throws(SignInError) -> String {
        let path: String
        var parameters = [("platform", "mobile")]
        switch beginning {
        case .provider(nil): path = "/login"
        case .provider(let provider?):
            guard Self.isName(provider) else {
                throw SignInError(.misconfigured(.providerNameInvalid))
            }
            path = "/v1/auth/\(provider)"
        case .handle(nil), .handle(""):
            path = "/mobile-auth"
            parameters = []
        case .handle(let handle?):
            path = "/login"
            parameters = [("handle", handle), ("mobile", "true")]
        }
        return FormEncoding.appending(
            parameters + [
                ("app", app),
                ("redirect_uri", redirectURI),
                ("code_challenge", challenge.text),
                ("code_challenge_method", "S256"),
                ("state", state.reveal()),
            ],
            to: base.text + path
        )
    }

    /// Redeems a hand-off code for a session (RFC 6749 §4.1.3, RFC 7636 §4.5).
    func redeem(_ code: SecretText, redirectURI: String, verifier: CodeVerifier)
        async throws(Failure) -> BackendAnswer
    {
        try await tokens(
            "/v1/auth/token",
            [
                ("grant_type", "authorization_code"),
                ("code", code.reveal()),
                ("code_verifier", verifier.reveal()),
                ("app", app),
                ("redirect_uri", redirectURI),
            ]
        )
    }

    /// - Parameter idempotencyKey: The same for each repetition, so that the backend gives the same
    ///   answer to a request whose answer was lost.
    func refresh(_ token: SecretText, idempotencyKey: String) async throws(Failure)
        -> BackendAnswer
    {
        let answer = try await tokens(
            "/v1/auth/refresh",
            [("refresh_token", token.reveal())],
            [.idempotencyKey: "\"\(idempotencyKey)\""]
        )
        guard answer.cookieName == nil else { throw .other(SignInError(.rejected(.tokenType))) }
        return answer
    }

    /// The person that the session token belongs to, fetched from the backend now.
    ///
    /// - Returns: `nil` if the backend has no such session.
    func user(of token: SecretText) async throws(SignInError) -> BackendUser? {
        let reply = try await http.get(
            base.text + "/v1/auth/session",
            with: .bearer(token),
            limits: Self.limits,
            check: .backendAnswer
        )
        guard reply.response.status != .unauthorized else { return nil }
        guard reply.response.status == .ok else { throw http.failure(of: reply) }
        guard reply.isJSON,
            // `try?`: every kind of damage has the same outcome.
            let json = try? JSONObject(parsing: reply.body),
            json.bool("authenticated") == true,
            let user = json.object("user").flatMap({ BackendUser($0) })
        else { throw SignInError(.rejected(.backendAnswer)) }
        return user
    }

    /// Ends the session of this token, or all of that person's sessions.
    ///
    /// - Returns: `false` if the backend has no such session.
    func signOut(_ token: SentToken, everywhere: Bool) async throws(SignInError) -> Bool {
        var path = "/v1/auth/logout"
        if case .cookie = token { path = "/api/auth/logout" }
        if everywhere { path += "?everywhere=true" }
        var request = try http.request(.post, base.text + path)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        let reply = try await http.send(
            request,
            body: [],
            with: token,
            limits: HTTPLimits(bytes: Self.limits.bytes, seconds: 10),
            check: .backendAnswer
        )
        switch reply.response.status {
        case .ok, .noContent: return true
        case .unauthorized: return false
        default: throw http.failure(of: reply)
        }
    }

    /// A successful reply to a form.
    func posted(
        _ path: String,
        _ form: [(name: String, value: String)],
        _ fields: HTTPFields = [:],
        check: SignInError.Check
    ) async throws(Failure) -> HTTPReply {
        let reply: HTTPReply
        do {
            reply = try await http.post(
                base.text + path,
                form: form,
                fields: fields,
                limits: Self.limits,
                check: check
            )
        } catch {
            throw .other(error)
        }
        guard reply.response.status == .ok else {
            guard let error = ErrorResponse(reply), reply.response.status.code != 429 else {
                throw .other(http.failure(of: reply))
            }
            throw .refused(error, retryAfter: http.retryAfter(reply))
        }
        return reply
    }

    func tokens(
        _ path: String,
        _ form: [(name: String, value: String)],
        _ fields: HTTPFields = [:]
    ) async throws(Failure) -> BackendAnswer {
        let reply = try await posted(path, form, fields, check: .tokenResponse)
        guard reply.isJSON else { throw .other(SignInError(.rejected(.tokenResponse.notJSON))) }
        do {
            return try BackendAnswer(parsing: reply.body)
        } catch {
            throw .other(SignInError(.rejected(SignInError.Check(error))))
        }
    }

    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
    }
}

extension SignInError {
    /// What a backend's error code means for an app, in a redirect or in an answer.
    init(ofBackend error: ErrorResponse, retryAfter: Duration? = nil) {
        switch error.code.rawValue {
        case "rate_limited": self.init(.transient(.tooManyRequests, retryAfter: retryAfter))
        case "authentication_failed", "internal_error":
            self.init(.transient(.serverError, retryAfter: retryAfter))
        // The attempt expired or was lost before the person returned from the provider.
        case "invalid_state": self.init(.cancelled(.timedOut))
        case "email_unverified", "link_required":
            self.init(.interactionRequired(.interactionRequired))
        case "missing_parameter", "invalid_provider":
            self.init(.misconfigured(.requestRefused))
        // The app, or its client ID at the provider, is not registered.
        case "invalid_app": self.init(.misconfigured(.clientRefused))
        case "invalid_token": self.init(.rejected(.identityTokenRefused))
        case "account_blocked", "sign_up_closed": self.init(.denied)
        default: self.init(error, retryAfter: retryAfter)
        }
        providerError = ProviderError(error)
    }
}

/// A backend's answer to a hand-off code or a refresh token: the session's tokens and its user.
struct BackendAnswer: Sendable {
    /// The access token is the session token.
    let tokens: TokenResponse
    let user: BackendUser
    let isNewUser: Bool
    /// In which cookie the session token is sent, after a sign-in by internet handle. There is no
    /// refresh token then: the backend replaces the cookie itself.
    let cookieName: String?

    /// - Throws: malformed if a member is missing or has the wrong type; unknownTokenType.
    init(parsing body: [UInt8]) throws(TokenResponse.Refusal) {
        let json: JSONObject
        do {
            json = try JSONObject(parsing: body)
        } catch {
            throw .malformed
        }
        isNewUser = json.bool("is_new_user") ?? false
        if json.present("cookie_name") != nil {
            tokens = try TokenResponse(json, token: "session_token", type: "cookie")
            guard let name = json.string("cookie_name"), ReceivedCookie.isName(name),
                ReceivedCookie.isValue(tokens.accessToken.reveal()),
                let user = BackendUser(ofHandle: json)
            else { throw .malformed }
            cookieName = name
            self.user = user
            return
        }
        tokens = try TokenResponse(json, token: "session_token")
        guard tokens.refreshToken != nil else { throw .malformed("refresh_token") }
        guard let user = json.object("user").flatMap({ BackendUser($0) }) else {
            throw .malformed("user")
        }
        cookieName = nil
        self.user = user
    }
}

extension BackendUser {
    /// Who signed in by internet handle. A backend that says nothing else of the person names them by
    /// their DID.
    fileprivate init?(ofHandle json: JSONObject) {
        guard let did = json.string("did"), (1...2048).contains(did.utf8.count),
            let handle = json.string("handle")
        else { return nil }
        var person = json.object("user") ?? ["id": .string(did)]
        person["did"] = .string(did)
        person["handle"] = .string(handle)
        self.init(person)
    }
}
