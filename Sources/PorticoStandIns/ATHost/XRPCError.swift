import HTTPTypes
import PorticoProtocol
import PorticoWeb

/// Why the PDS refuses a request: `{"error", "message"}` (AT Protocol, HTTP API), with the statuses and
/// names of a real one.
struct XRPCError: Error, Sendable {
    let status: HTTPResponse.Status
    let error: String
    let message: String
    /// Whether a challenge says it, too (RFC 9449 §7.1).
    var isChallenge = false
    /// Whether a nonce goes with it.
    var givesNonce = true

    static let missing = XRPCError(
        status: .unauthorized,
        error: "AuthMissing",
        message: "Authentication Required",
        givesNonce: false
    )
    static let bearer = XRPCError(
        status: .badRequest,
        error: "InvalidToken",
        message: "Malformed token",
        givesNonce: false
    )
    static let nonce = XRPCError(
        status: .unauthorized,
        error: "use_dpop_nonce",
        message: "Authorization server requires nonce in DPoP proof",
        isChallenge: true
    )
    /// Another service would answer the method.
    static let upstream = XRPCError(
        status: .badGateway,
        error: "UpstreamFailure",
        message: "Upstream service unreachable"
    )

    static func proof(_ message: String) -> XRPCError {
        XRPCError(
            status: .unauthorized,
            error: "invalid_dpop_proof",
            message: message,
            isChallenge: true
        )
    }

    static func token(_ message: String) -> XRPCError {
        XRPCError(
            status: .unauthorized,
            error: "invalid_token",
            message: message,
            isChallenge: true
        )
    }

    static func invalid(_ message: String) -> XRPCError {
        XRPCError(status: .badRequest, error: "InvalidRequest", message: message)
    }

    /// - Parameter scope: One that would do.
    static func scope(_ scope: String) -> XRPCError {
        XRPCError(
            status: .forbidden,
            error: "ScopeMissingError",
            message: "Missing required scope \"\(scope)\""
        )
    }

    func response(_ headers: SecurityHeaders) -> Response {
        var extra: HTTPFields = [:]
        if isChallenge { extra[.wwwAuthenticate] = challenge }
        return Response(
            json: ["error": .string(error), "message": .string(message)],
            status: status,
            headers: headers,
            adding: extra
        )
    }

    /// A message with a quotation mark is left out.
    private var challenge: String {
        let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: " ")
        let said = "DPoP algs=\(QuotedString(algorithms)), error=\(QuotedString(error))"
        guard !message.utf8.contains(UInt8(ascii: "\"")) else { return said }
        return said + ", error_description=\(QuotedString(message))"
    }
}
