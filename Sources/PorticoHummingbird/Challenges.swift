public import HTTPTypes
public import Hummingbird
import NIOCore
import PorticoProtocol

/// Why there is no session (docs/decisions/0029).
enum NoSession: String {
    case noCookie = "NO_COOKIE"
    case invalidCookie = "INVALID_COOKIE"
    case sessionExpired = "SESSION_EXPIRED"
    case oauthError = "OAUTH_ERROR"
    case unknown = "UNKNOWN"
}

/// The answers to a request without valid credentials (RFC 6750 §3, docs/decisions/0029).
struct Challenges {
    /// The issuer that confirms people's identity.
    let issuer: String
    let takesSessions: Bool
    /// Where proofs of possession are taken.
    var proofs: PresentedProofs?
    /// Whether the request uses the scheme `DPoP`.
    var isProven = false

    /// No credentials were sent: the answer then has no error (RFC 6750 §3.1).
    var missing: Refusal {
        takesSessions
            ? noSession(.noCookie)
            : Refusal(
                status: .unauthorized,
                body: ["error": "unauthorized", "message": "An access token is required."],
                challenges: challenges([])
            )
    }

    func noSession(_ reason: NoSession) -> Refusal {
        Refusal(
            status: .unauthorized,
            body: [
                "authenticated": false,
                "error": "unauthorized",
                "reason": .string(reason.rawValue),
                "message": "Nobody is signed in.",
            ],
            challenges: challenges([])
        )
    }

    var invalidToken: Refusal {
        refusal(
            OAuthError(.invalidToken, "The access token is expired, malformed, or not for this.")
        )
    }

    func insufficientScope(_ required: Scope) -> Refusal {
        refusal(
            OAuthError(.insufficientScope, "The access token was not granted what this needs."),
            [("scope", required.text)]
        )
    }

    func refusal(_ error: OAuthError, _ further: [(String, String)] = []) -> Refusal {
        Refusal(
            status: error.code == .insufficientScope ? .forbidden : .unauthorized,
            body: [
                "error": .string(error.code.rawValue),
                "error_description": .string(error.description),
            ],
            challenges: challenges(
                [("error", error.code.rawValue), ("error_description", error.description)] + further
            ),
            nonce: isProven ? proofs?.nonce : nil
        )
    }

    /// Of each scheme, that of proofs first (RFC 9449 §7.1); what is wrong is in the one that was used.
    private func challenges(_ parameters: [(String, String)]) -> [String] {
        guard proofs != nil else { return [Self.challenge("Bearer", for: issuer, parameters)] }
        let algorithms = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: " ")
        return [
            Self.challenge(
                "DPoP",
                for: issuer,
                [("algs", algorithms)] + (isProven ? parameters : [])
            ),
            Self.challenge("Bearer", for: issuer, isProven ? [] : parameters),
        ]
    }

    /// Every parameter once. None contains a quote or a backslash: they are literals, scope tokens
    /// and an address.
    private static func challenge(
        _ scheme: String,
        for issuer: String,
        _ parameters: [(String, String)]
    ) -> String {
        let all = [("realm", issuer)] + parameters
        return "\(scheme) " + all.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
    }
}

/// Why a route refuses a person: thrown by ``PersonRequestContext/requirePerson()`` and similar
/// methods, and answered as JSON.
public struct AdmissionRefusal: HTTPResponseError, Hashable {
    public let status: HTTPResponse.Status
    private let error: String
    private let message: String

    private init(_ status: HTTPResponse.Status, _ error: StaticString, _ message: StaticString) {
        self.status = status
        self.error = "\(error)"
        self.message = "\(message)"
    }

    /// No person was admitted: the route has no ``PersonAuthenticator`` before it.
    public static let unauthorized = AdmissionRefusal(
        .unauthorized,
        "unauthorized",
        "Nobody is signed in."
    )
    /// The person is not allowed to do this.
    public static let forbidden = AdmissionRefusal(
        .forbidden,
        "access_denied",
        "The person has not the role that this needs."
    )

    public func response(from request: Request, context: some RequestContext) -> Response {
        Refusal(
            status: status,
            body: ["error": .string(error), "message": .string(message)],
            challenges: status == .unauthorized ? ["Bearer"] : []
        ).response
    }
}

/// An answer of the middleware instead of the route's.
struct Refusal: Error {
    let status: HTTPResponse.Status
    let body: JSONObject
    var challenges: [String] = []
    /// For the next proof.
    var nonce: String?
    var retryAfter: Int?

    /// The backend or the issuer cannot be reached: no one is admitted without a check.
    static let unavailable = Refusal(
        status: .serviceUnavailable,
        body: [
            "error": "temporarily_unavailable",
            "message": "Who makes the request cannot be checked now.",
        ],
        retryAfter: 5
    )

    static let crossSite = Refusal(
        status: .forbidden,
        body: [
            "error": "access_denied",
            "message": "The request does not come from the service's own pages.",
        ]
    )

    var response: Response {
        var fields: HTTPFields = [
            .contentType: "application/json",
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
        ]
        // A field each: clients that read only the first scheme of a field read both this way.
        for challenge in challenges {
            fields.append(HTTPField(name: .wwwAuthenticate, value: challenge))
        }
        fields[.dpopNonce] = nonce
        if let retryAfter { fields[.retryAfter] = String(retryAfter) }
        return Response(
            status: status,
            headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body.serialized()))
        )
    }
}
