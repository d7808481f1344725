package import HTTPTypes
package import PorticoProtocol

extension OAuthError {
    /// The only JSON form of an error from the token endpoint and similar ones (RFC 6749 §5.2).
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the `Authorization` header that the client tried, if any;
    ///     `invalid_client` is then 401 and challenges with it.
    ///   - issuer: The realm of that challenge.
    ///   - seconds: How long a client that is over its limit must wait: 429 (RFC 6585 §4). 503 has its
    ///     own delay.
    package func response(
        headers: SecurityHeaders,
        attempted scheme: AuthenticationScheme? = nil,
        issuer: String = "",
        retryAfter seconds: Double? = nil
    ) -> Response {
        var extra: HTTPFields = [.pragma: "no-cache"]
        if seconds != nil || code == .temporarilyUnavailable {
            extra.append(contentsOf: Response.retryAfter(seconds ?? Response.whenBusy))
        } else if status == .unauthorized, let scheme {
            extra[.wwwAuthenticate] = "\(scheme.rawValue) realm=\(QuotedString(issuer))"
        }
        return Response(
            json: [
                "error": .string(code.rawValue), "error_description": .string(description),
            ],
            status: seconds == nil ? status : .tooManyRequests,
            headers: headers,
            adding: extra
        )
    }

    /// RFC 6749 §5.2; RFC 6750 §3.1.
    package var status: HTTPResponse.Status {
        switch code {
        case .invalidClient, .invalidToken: .unauthorized
        case .insufficientScope, .accessDenied: .forbidden
        case .serverError: .internalServerError
        case .temporarilyUnavailable: .serviceUnavailable
        default: .badRequest
        }
    }

    package enum AuthenticationScheme: String, Sendable {
        case basic = "Basic"
        case bearer = "Bearer"
    }
}

/// Quoted text in a header (RFC 9110 §5.6.4). Quotes and backslashes are escaped; characters that a
/// header cannot hold are left out.
package struct QuotedString: CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        var quoted = "\""
        for scalar in text.unicodeScalars where (0x20...0x7E).contains(scalar.value) {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        description = quoted + "\""
    }
}
