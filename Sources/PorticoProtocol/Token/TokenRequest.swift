import PorticoBytes

/// The body of a request to the token endpoint, one case per grant type (RFC 6749 §3.2).
package enum TokenRequest: Sendable {
    case authorizationCode(AuthorizationCode)
    case refreshToken(Refresh)
    case clientCredentials(scope: Scope?)
    case tokenExchange(TokenExchange)

    /// RFC 6749 §4.1.3, with the `code_verifier` of RFC 7636 §4.5.
    package struct AuthorizationCode: Sendable {
        package let code: String
        /// `nil` if the request has none.
        package let redirectURI: RedirectURI?
        package let codeVerifier: Verifier
    }

    /// A `code_verifier` as received.
    package enum Verifier: Sendable {
        case absent
        /// Not 43 to 128 unreserved characters (RFC 7636 §4.1).
        case malformed
        case given(CodeVerifier)
    }

    /// RFC 6749 §6.
    package struct Refresh: Sendable {
        package let refreshToken: String
        /// `nil` for the scope of the grant.
        package let scope: Scope?
    }

    /// - Throws: `invalid_request` if a parameter is missing or repeated, `unsupported_grant_type`
    ///   for a grant type that is not supported, `invalid_scope`.
    package init(_ form: FormParameters) throws(OAuthError) {
        try form.refuseRepeats()
        switch GrantType(wire: try form.required("grant_type")) {
        case .authorizationCode:
            self = .authorizationCode(
                AuthorizationCode(
                    code: try form.required("code"),
                    redirectURI: form["redirect_uri"].map(RedirectURI.init),
                    codeVerifier: Self.verifier(form["code_verifier"])
                )
            )
        case .refreshToken:
            self = .refreshToken(
                Refresh(
                    refreshToken: try form.required("refresh_token"),
                    scope: try Self.scope(form)
                )
            )
        case .clientCredentials:
            self = .clientCredentials(scope: try Self.scope(form))
        case .tokenExchange:
            self = .tokenExchange(try TokenExchange(form, scope: try Self.scope(form)))
        case nil: throw Self.unserved
        }
    }

    /// - Throws: `unsupported_grant_type` if the request names a grant type that is not supported,
    ///   `invalid_request` if a parameter is repeated.
    package static func refuseUnserved(_ form: FormParameters) throws(OAuthError) {
        try form.refuseRepeats()
        if let name = form["grant_type"], GrantType(wire: name) == nil { throw unserved }
    }

    private static let unserved = OAuthError(
        .unsupportedGrantType,
        "grant_type is not one that is served here."
    )

    private static func scope(_ form: FormParameters) throws(OAuthError) -> Scope? {
        guard let text = form["scope"] else { return nil }
        return try Scope(text)
    }

    private static func verifier(_ text: String?) -> Verifier {
        guard let text else { return .absent }
        return CodeVerifier(text).map(Verifier.given) ?? .malformed
    }
}
