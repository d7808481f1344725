public import HTTPTypes
public import Hummingbird
import NIOCore
import PorticoProtocol

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
