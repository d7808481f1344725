import HTTPTypes
import PorticoBytes
import PorticoProtocol

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The requests of a public client to the token endpoint (RFC 6749 §3.2): a form by POST, with
/// `client_id` and nothing that would authenticate.
struct TokenEndpoint: Sendable {
    let address: String
    let clientID: String
    let http: ProviderHTTP

    static let limits = HTTPLimits(bytes: 256 * 1024, seconds: 30)

    /// An answer with tokens, and when the server says that it was made.
    struct Answer: Sendable {
        let tokens: TokenResponse
        let serverDate: Date?
    }

    /// What came instead of tokens.
    enum Failure: Error {
        /// An error in the protocol's words (RFC 6749 §5.2).
        case refused(OAuthError.Code, retryAfter: Duration?)
        case other(SignInError)
    }

    /// RFC 6749 §4.1.3, RFC 7636 §4.5.
    func redeem(_ code: SecretText, redirectURI: String, verifier: CodeVerifier)
        async throws(Failure) -> Answer
    {
        try await post(
            [
                ("grant_type", "authorization_code"),
                ("code", code.reveal()),
                ("redirect_uri", redirectURI),
                ("client_id", clientID),
                ("code_verifier", verifier.reveal()),
            ],
            fields: [:]
        )
    }

    /// RFC 6749 §6.
    ///
    /// - Parameter idempotencyKey: Sent again with each repetition, so that a server that knows it
    ///   gives the same answer to a request whose answer was lost.
    func refresh(_ token: SecretText, idempotencyKey: String) async throws(Failure) -> Answer {
        var fields = HTTPFields()
        if let name = HTTPField.Name("Idempotency-Key") { fields[name] = "\"\(idempotencyKey)\"" }
        return try await post(
            [
                ("grant_type", "refresh_token"),
                ("refresh_token", token.reveal()),
                ("client_id", clientID),
            ],
            fields: fields
        )
    }

    private func post(_ form: [(name: String, value: String)], fields: HTTPFields)
        async throws(Failure) -> Answer
    {
        let reply: HTTPReply
        do {
            reply = try await http.post(
                address,
                form: form,
                fields: fields,
                limits: Self.limits,
                check: .tokenResponse
            )
        } catch {
            throw .other(error)
        }
        guard reply.response.status == .ok else {
            guard let error = TokenErrorResponse(reply), reply.response.status.code != 429 else {
                throw .other(http.failure(of: reply))
            }
            throw .refused(error.code, retryAfter: http.retryAfter(reply))
        }
        guard reply.isJSON else { throw .other(SignInError(.rejected(.tokenResponse))) }
        do {
            return Answer(
                tokens: try TokenResponse(parsing: reply.body),
                serverDate: reply.date
            )
        } catch {
            let check: SignInError.Check =
                error == .unknownTokenType ? .tokenType : .tokenResponse
            throw .other(SignInError(.rejected(check)))
        }
    }
}

extension SignInError {
    /// What an error code of the authorization or token endpoint means for an app
    /// (RFC 6749 §4.1.2.1, §5.2, OpenID Connect Core §3.1.2.6).
    init(_ code: OAuthError.Code, retryAfter: Duration? = nil) {
        switch code {
        case .accessDenied: self.init(.cancelled(.denied))
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
        case .invalidScope: self.init(.misconfigured(.scopeRefused))
        case .invalidRequest, .unsupportedResponseType, .requestNotSupported,
            .requestURINotSupported, .registrationNotSupported, .invalidRequestURI:
            self.init(.misconfigured(.requestRefused))
        case .invalidGrant: self.init(.rejected(.codeRefused))
        default: self.init(.rejected(.errorResponse))
        }
    }
}
