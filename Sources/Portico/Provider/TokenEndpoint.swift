import HTTPTypes
package import PorticoBytes
package import PorticoProtocol
package import PorticoSystem

/// Sends requests to the token endpoint (RFC 6749 §3.2): a form by POST that identifies the client.
package struct TokenEndpoint: Sendable {
    let address: String
    private let identification: ClientIdentification.Source
    private let key: DPoPKey?
    private let http: ProviderHTTP
    private let profile: ProviderProfile

    /// - Parameter key: What the tokens are bound to: then each request has a proof, and an answer
    ///   with tokens that are not bound is refused (RFC 9449 §5).
    package init(
        address: String,
        identification: @escaping ClientIdentification.Source,
        key: DPoPKey?,
        http: ProviderHTTP,
        profile: ProviderProfile
    ) {
        self.address = address
        self.identification = identification
        self.key = key
        self.http = http
        self.profile = profile
    }

    /// As a public client, which sends its identifier and does not authenticate.
    init(address: String, clientID: String, key: DPoPKey?, http: ProviderHTTP) {
        self.init(
            address: address,
            identification: { () throws(SignInError) in ClientIdentification(clientID: clientID) },
            key: key,
            http: http,
            profile: ProviderProfile()
        )
    }

    /// An answer with tokens, and the server's time when it answered.
    package struct Answer: Sendable {
        package let tokens: TokenResponse
        package let serverDate: Date?
    }

    /// Why no tokens were received.
    package enum Failure: Error {
        /// A protocol error code (RFC 6749 §5.2).
        case refused(ErrorResponse, retryAfter: Duration?)
        /// A success (status 200) that is not as RFC 6749 §5.1 wants it.
        ///
        /// - Parameter refreshToken: The one in it, if any.
        case unusable(SignInError, refreshToken: SecretText?)
        case other(SignInError)
    }

    /// Redeems an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5).
    ///
    /// - Parameter deviceSecret: What the app has of an earlier sign-in (OpenID Connect Native SSO
    ///   §3.3).
    package func redeem(
        _ code: SecretText,
        redirectURI: String,
        verifier: CodeVerifier,
        deviceSecret: SecretText? = nil
    ) async throws(Failure) -> Answer {
        try await post(
            [
                ("grant_type", "authorization_code"),
                ("code", code.reveal()),
                ("redirect_uri", redirectURI),
                ("code_verifier", verifier.reveal()),
            ] + Self.parameter(deviceSecret),
            spendsCode: true
        )
    }

    private static func parameter(_ deviceSecret: SecretText?) -> [(name: String, value: String)] {
        deviceSecret.map { [("device_secret", $0.reveal())] } ?? []
    }

    /// Redeems a code from a system's native sign-in, which has neither a redirect nor a challenge.
    package func redeemNative(_ code: SecretText) async throws(Failure) -> Answer {
        try await post(
            [("grant_type", "authorization_code"), ("code", code.reveal())],
            spendsCode: true
        )
    }

    /// Exchanges a refresh token (RFC 6749 §6).
    ///
    /// - Parameter idempotencyKey: The same for each repetition, so that a server which supports it
    ///   gives the same answer to a request whose answer was lost.
    package func refresh(
        _ token: SecretText,
        idempotencyKey: String,
        deviceSecret: SecretText? = nil
    ) async throws(Failure) -> Answer {
        try await post(
            [
                ("grant_type", "refresh_token"),
                ("refresh_token", token.reveal()),
            ] + Self.parameter(deviceSecret),
            fields: [.idempotencyKey: "\"\(idempotencyKey)\""]
        )
    }

    /// - Parameter spendsCode: Whether a refusal is final even if it is no protocol error: the code is
    ///   not sent again. A session survives such an answer.
    func post(
        _ form: [(name: String, value: String)],
        fields: HTTPFields = [:],
        spendsCode: Bool = false
    ) async throws(Failure) -> Answer {
        let reply = try await reply(to: form, fields: fields, spendsCode: spendsCode)
        do {
            let type = key == nil ? "bearer" : "dpop"
            return Answer(
                tokens: try TokenResponse(parsing: reply.body, type: type),
                serverDate: reply.date
            )
        } catch {
            throw Self.unusable(reply, SignInError.Check(error, isBound: key != nil))
        }
    }

    /// A successful reply, in JSON.
    func reply(
        to form: [(name: String, value: String)],
        fields: HTTPFields = [:],
        spendsCode: Bool = false
    ) async throws(Failure) -> HTTPReply {
        let reply: HTTPReply
        do {
            reply = try await http.post(
                address,
                form: form,
                fields: fields,
                by: identification,
                proving: key,
                limits: profile.tokenLimits,
                check: .tokenResponse
            )
        } catch {
            throw .other(error)
        }
        guard reply.response.status == .ok else {
            guard let error = ErrorResponse(reply) ?? profile.otherTokenError(reply),
                reply.response.status.code != 429
            else {
                let isFinal = spendsCode && (400..<500).contains(reply.response.status.code)
                throw .other(
                    isFinal && ![408, 429].contains(reply.response.status.code)
                        ? SignInError(.rejected(.tokenResponse)) : http.failure(of: reply)
                )
            }
            throw .refused(error, retryAfter: http.retryAfter(reply))
        }
        guard reply.isJSON else { throw Self.unusable(reply, .tokenResponse.notJSON) }
        return reply
    }

    private static func unusable(_ reply: HTTPReply, _ check: SignInError.Check) -> Failure {
        .unusable(
            SignInError(.rejected(check)),
            refreshToken: TokenResponse.refreshToken(in: reply.body)
        )
    }
}

extension SignInError.Check {
    /// - Parameter isBound: Whether the tokens were to be bound to a key.
    init(_ refusal: TokenResponse.Refusal, isBound: Bool = false) {
        guard refusal == .unknownTokenType else {
            self = .tokenResponse.naming(refusal.member)
            return
        }
        self = isBound ? .tokenNotBound : .tokenType
    }
}

extension TokenEndpoint.Failure {
    /// The code or refresh token is spent, expired or revoked (RFC 6749 §5.2).
    package var isInvalidGrant: Bool {
        if case .refused(let error, _) = self { error.code == .invalidGrant } else { false }
    }

    /// The error for a request that no session depends on.
    package var signInError: SignInError {
        switch self {
        case .refused(let error, let retryAfter): SignInError(error, retryAfter: retryAfter)
        case .unusable(let error, _), .other(let error): error
        }
    }
}

extension SignInError {
    /// What an error code of the authorization or token endpoint means for an app
    /// (RFC 6749 §4.1.2.1, §5.2, OpenID Connect Core §3.1.2.6).
    package init(_ error: ErrorResponse, retryAfter: Duration? = nil) {
        switch error.code {
        // No standard has the others: LinkedIn's and Apple's.
        case .accessDenied, OAuthError.Code(rawValue: "user_cancelled_login"),
            OAuthError.Code(rawValue: "user_cancelled_authorize"):
            self.init(.denied)
        case .loginRequired: self.init(.interactionRequired(.loginRequired))
        case .consentRequired: self.init(.interactionRequired(.consentRequired))
        case .accountSelectionRequired:
            self.init(.interactionRequired(.accountSelectionRequired))
        case .interactionRequired: self.init(.interactionRequired(.interactionRequired))
        case .unmetAuthenticationRequirements: self.init(.rejected(.acr))
        case .serverError, .temporarilyUnavailable:
            self.init(.transient(.serverError, retryAfter: retryAfter))
        case OAuthError.Code(rawValue: "slow_down"):
            self.init(.transient(.tooManyRequests, retryAfter: retryAfter))
        case .invalidClient, .unauthorizedClient, .unsupportedGrantType:
            self.init(.misconfigured(.clientRefused))
        case .invalidTarget: self.init(.misconfigured(.targetRefused))
        case .invalidScope: self.init(.misconfigured(.scopeRefused))
        case .invalidRequest, .unsupportedResponseType, .requestNotSupported,
            .requestURINotSupported, .registrationNotSupported, .invalidRequestURI:
            self.init(.misconfigured(.requestRefused))
        case .invalidGrant: self.init(.rejected(.codeRefused))
        case .invalidDPoPProof: self.init(.misconfigured(.proofRefused))
        // After a second request with a nonce of its own: the server does not know what it gave.
        case .useDPoPNonce: self.init(.transient(.serverError, retryAfter: retryAfter))
        default: self.init(.rejected(.errorResponse))
        }
        providerError = ProviderError(error)
    }
}
