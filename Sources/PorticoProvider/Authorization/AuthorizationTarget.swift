import PorticoProtocol

/// Where an authorization response goes, and what goes with every one of them (RFC 6749 §4.1.2,
/// RFC 9207 §2).
struct AuthorizationTarget: Hashable, Sendable {
    let redirect: PermittedRedirect
    let mode: ResponseMode
    /// Returned unchanged where it was sent.
    let state: String?
    let issuer: String
    let clientName: String

    /// The longest `state` that is returned.
    static let longestState = 2048

    typealias Parameters = [(name: String, value: String)]

    /// RFC 6749 §4.1.2, with Keycloak's `session_state`.
    func success(code: String, sessionID: String) -> Parameters {
        common([("code", code), ("session_state", sessionID)])
    }

    /// RFC 6749 §4.1.2.1.
    func failure(_ error: OAuthError) -> Parameters {
        common([("error", error.code.rawValue), ("error_description", error.description)])
    }

    /// The redirect URI with the parameters in its query or its fragment, of which a registered one has
    /// none (OAuth 2.0 Multiple Response Types §2.1); `nil` where they are posted.
    func location(_ parameters: Parameters) -> String? {
        switch mode {
        case .query: FormEncoding.appending(parameters, to: redirect.uri.text)
        case .fragment: FormEncoding.appending(parameters, toFragmentOf: redirect.uri.text)
        case .formPost: nil
        }
    }

    /// RFC 9207 §2: `iss` on every response, errors too; `state` as it came (RFC 6749 §4.1.2).
    private func common(_ parameters: Parameters) -> Parameters {
        parameters + (state.map { [("state", $0)] } ?? []) + [("iss", issuer)]
    }
}
