package import HTTPTypes
package import PorticoProtocol

/// A protected resource's answer if an access token is missing or not valid (RFC 6750 §3).
package struct BearerChallenge: Sendable {
    private let error: OAuthError?
    private let issuer: String
    private let scope: String?

    /// - Parameters:
    ///   - error: `nil` if the request had no token: the challenge must then have no error
    ///     (RFC 6750 §3.1).
    ///   - issuer: The realm.
    ///   - scope: The required scope, for `insufficient_scope`.
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

    /// The `WWW-Authenticate` header, with every parameter once.
    package var value: String { "Bearer " + parameters }

    /// The same where proofs of possession are taken (RFC 9449 §7.1).
    package var proofValue: String {
        let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: " ")
        return "DPoP algs=\(QuotedString(algorithms)), " + parameters
    }

    private var parameters: String {
        var value = "realm=\(QuotedString(issuer))"
        if let error {
            value += ", error=\(QuotedString(error.code.rawValue))"
            value += ", error_description=\(QuotedString(error.description))"
        }
        if let scope { value += ", scope=\(QuotedString(scope))" }
        return value
    }
}

/// A request that no good token came with: 401, with a challenge for each scheme (RFC 9110 §15.5.2).
package struct Unauthenticated: Error {
    package let challenges: HTTPFields

    package init(challenges: HTTPFields) {
        self.challenges = challenges
    }
}
