import PorticoProtocol

/// The address of an authorization response, and the parameters of every response (RFC 6749 §4.1.2,
/// RFC 9207 §2).
struct AuthorizationTarget: Hashable, Sendable {
    let redirect: PermittedRedirect
    let mode: ResponseMode
    /// Returned unchanged if it was sent.
    let state: String?
    /// `nil` for a client that cannot take it (``Compatibility/noIssuer``).
    let issuer: String?
    /// Whether the client hears which session it is (``Compatibility/noSessionState``).
    let namesSession: Bool
    let clientName: String

    /// The longest `state` that is returned, in bytes: some apps keep all of theirs in it.
    static let longestState = 4096

    typealias Parameters = [(name: String, value: String)]

    /// RFC 6749 §4.1.2, with `session_state`.
    ///
    /// - Parameters:
    ///   - action: What the request asked for.
    ///   - status: What became of it.
    func success(
        code: String,
        sessionID: String,
        action: RequestedAction?,
        _ status: RequestedAction.Status?
    ) -> Parameters {
        var parameters: Parameters = [("code", code)]
        if namesSession { parameters.append(("session_state", sessionID)) }
        if let action {
            parameters.append(("kc_action_status", (status ?? .error).word))
            parameters.append(("kc_action", action.name))
        }
        return common(parameters)
    }

    /// RFC 6749 §4.1.2.1.
    func failure(_ error: OAuthError) -> Parameters {
        common([("error", error.code.rawValue), ("error_description", error.description)])
    }

    /// The redirect URI with the parameters in its query, or in its fragment, which a registered
    /// one does not have (OAuth 2.0 Multiple Response Types §2.1); `nil` if they are posted.
    func location(_ parameters: Parameters) -> String? {
        switch mode {
        case .query: FormEncoding.appending(parameters, to: redirect.uri.text)
        case .fragment: FormEncoding.appending(parameters, toFragmentOf: redirect.uri.text)
        case .formPost: nil
        }
    }

    /// RFC 9207 §2: `iss` in every response, including errors; `state` as received (RFC 6749
    /// §4.1.2).
    private func common(_ parameters: Parameters) -> Parameters {
        parameters + (state.map { [("state", $0)] } ?? []) + (issuer.map { [("iss", $0)] } ?? [])
    }
}
