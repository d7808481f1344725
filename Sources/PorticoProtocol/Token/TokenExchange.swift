import PorticoBytes

/// A request to exchange a token (RFC 8693 §2.1).
package struct TokenExchange: Sendable {
    package let subject: Token
    /// The party that acts for the subject, if the request names one.
    package let actor: Token?
    /// `nil`: the server decides.
    package let requestedType: TokenType?
    /// For whom the token is to be.
    package let audience: String
    package let scope: Scope?

    package struct Token: Sendable {
        package let text: String
        package let type: TokenType
    }

    /// - Throws: `invalid_request` if a parameter is missing or a type is not served here,
    ///   `invalid_target` for a `resource`.
    package init(_ form: FormParameters, scope: Scope?) throws(OAuthError) {
        subject = Token(
            text: try form.required("subject_token"),
            type: try TokenType(
                served: try form.required("subject_token_type"),
                in: "subject_token_type"
            )
        )
        // RFC 8693 §2.1: the type is required with an actor_token, and not allowed without one.
        switch (form["actor_token"], form["actor_token_type"]) {
        case (nil, nil): actor = nil
        case (let text?, let type?):
            actor = Token(text: text, type: try TokenType(served: type, in: "actor_token_type"))
        default:
            throw OAuthError(
                .invalidRequest,
                "actor_token and actor_token_type come together or not at all."
            )
        }
        requestedType = try form["requested_token_type"].map { text throws(OAuthError) in
            try TokenType(served: text, in: "requested_token_type")
        }
        // RFC 8693 §2.2.2: a token for that place cannot be had.
        guard form["resource"] == nil else {
            throw OAuthError(.invalidTarget, "resource is not served here.")
        }
        audience = try form.required("audience")
        self.scope = scope
    }
}

/// What a token is (RFC 8693 §3).
package enum TokenType: String, CaseIterable, Sendable {
    case accessToken = "urn:ietf:params:oauth:token-type:access_token"
    case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
    case idToken = "urn:ietf:params:oauth:token-type:id_token"
    /// OpenID Connect Native SSO §4.1.
    case deviceSecret = "urn:openid:params:token-type:device-secret"
    /// Signs a person in to another app of the same vendor.
    case loginToken = "urn:portico:token-type:login-token"

    fileprivate init(served text: String, in parameter: StaticString) throws(OAuthError) {
        guard let type = TokenType(wire: text) else {
            throw OAuthError(.invalidRequest, parameter: parameter, "is not served here.")
        }
        self = type
    }
}
