import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A token that would be longer than any that is taken back, or has a claim that would be, so that
/// it is not issued (docs/decisions/0102).
struct TokenTooLong: Refusal {
    enum Token: String, Sendable {
        case accessToken = "access_token"
        case idToken = "id_token"
    }

    let token: Token
    /// How long it would be, in bytes.
    let bytes: Int
    /// The claim that is too long by itself, or that most of it is.
    let claim: String
    /// The name of the mapper that writes that claim.
    let mapper: String?

    init(_ token: Token, _ bytes: Int, _ claims: JSONObject, writtenBy mappers: [ClaimMapper]) {
        self.token = token
        self.bytes = bytes
        let texts = claims.map { (name: $0.0, json: $0.1.serialized()) }
        let beyond = texts.first { text in
            // `try?`: only whether it can be read.
            (try? JSONValue(parsing: text.json, limits: .claims(size: text.json.count))) == nil
        }
        claim = (beyond ?? texts.max { $0.json.count < $1.json.count })?.name ?? ""
        let root = claim
        mapper =
            mappers.first { $0.claim.map { sameBytes($0.root, root) } ?? false }?.name
    }

    private var error: OAuthError {
        OAuthError(
            .serverError,
            "A token would be longer than 32 KiB, or have a text too long to be read; the server's log names the claim."
        )
    }

    var name: String { error.code.rawValue }
    var status: HTTPResponse.Status { error.status }
    var issue: ErrorPage.Issue { .serverError }
    var reason: String? { error.description }
    var json: JSONValue? { error.json }

    func fields(realm: String) -> HTTPFields { error.fields(realm: realm) }
}
