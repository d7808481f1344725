import HTTPTypes
package import PorticoProtocol

/// What a protected resource answers where an access token is missing or will not do
/// (RFC 6750 §3).
package struct BearerChallenge: Sendable {
    private let error: OAuthError?
    private let issuer: String
    private let scope: String?

    /// - Parameters:
    ///   - error: `nil` where the request brought no token at all: then there is nothing to say
    ///     (RFC 6750 §3.1).
    ///   - issuer: The realm.
    ///   - scope: What the resource needs, for `insufficient_scope`.
    package init(_ error: OAuthError?, issuer: String, scope: String? = nil) {
        self.error = error
        self.issuer = issuer
        self.scope = scope
    }

    package func response(headers: SecurityHeaders) -> Response {
        guard let error else {
            return Response(
                empty: .unauthorized,
                headers: headers,
                adding: [.wwwAuthenticate: value]
            )
        }
        return Response(
            json: [
                "error": .string(error.code.rawValue),
                "error_description": .string(error.description),
            ],
            status: error.status,
            headers: headers,
            adding: [.wwwAuthenticate: value]
        )
    }

    /// The `WWW-Authenticate` header: every parameter once.
    package var value: String {
        var value = "Bearer realm=\(QuotedString(issuer))"
        if let error {
            value += ", error=\(QuotedString(error.code.rawValue))"
            value += ", error_description=\(QuotedString(error.description))"
        }
        if let scope { value += ", scope=\(QuotedString(scope))" }
        return value
    }
}
