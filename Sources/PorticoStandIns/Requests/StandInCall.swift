package import HTTPTypes
import PorticoBytes
package import PorticoProtocol
import PorticoSystem
import PorticoWeb

/// A parsed request to one endpoint, not answered yet.
package struct StandInCall: Sendable {
    package let kind: StandInKind
    package let endpoint: StandInEndpoint
    package var method: HTTPRequest.Method
    /// Path and query as received, for a form that is sent to the same address.
    let target: String
    /// The segments after the stand-in's name.
    let segments: [String]
    package let query: FormParameters
    package var form: FormParameters
    package let headers: HTTPFields
    let moment: Moment

    init(_ context: RequestContext, _ kind: StandInKind, _ endpoint: StandInEndpoint) throws {
        self.kind = kind
        self.endpoint = endpoint
        method = context.method
        target = context.received.head.path ?? "/"
        segments = context.target.segments.dropFirst().map(String.init)
        query = try FormParameters(query: context.target)
        let isForm = method == .post && context.headers[.contentType] != nil
        form = isForm ? try context.form() : FormParameters()
        headers = context.headers
        moment = context.moment
    }

    var now: Date { moment.now }

    /// A parameter, from the body or otherwise from the query.
    package subscript(name: String) -> String? { form[name] ?? query[name] }

    /// The token of `Authorization: Bearer` (RFC 6750 §2.1).
    var bearer: String? {
        guard let field = headers[.authorization], field.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(field.dropFirst("bearer ".count))
    }

    /// Name and password of `Authorization: Basic`, decoded (RFC 6749 §2.3.1).
    var basic: (clientID: String, secret: String)? {
        guard let field = headers[.authorization], field.lowercased().hasPrefix("basic ") else {
            return nil
        }
        // The strict decoder accepts the URL alphabet without padding: the same bits.
        let text = field.dropFirst("basic ".count).prefix { $0 != "=" }
            .replacing("+", with: "-").replacing("/", with: "_")
        guard let bytes = Base64URL.decode(String(text)) else { return nil }
        let parts = bytes.split(
            separator: UInt8(ascii: ":"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, let clientID = FormEncoding.decode(parts[0]),
            let secret = FormEncoding.decode(parts[1])
        else { return nil }
        return (clientID, secret)
    }
}

/// Why a stand-in refuses a request, in the form of the real provider.
enum StandInRefusal: Error, Sendable {
    /// A page for the person: nothing is sent to an address that was not proven.
    case page(StaticString)
    /// JSON for a program (RFC 6749 §5.2).
    case oauth(HTTPResponse.Status, code: String, StaticString)
    /// JSON as Graph writes it.
    case graph(HTTPResponse.Status, type: StaticString, code: Int64, subcode: Int64?, StaticString)

    static func invalidGrant(_ words: StaticString) -> Self {
        .oauth(.badRequest, code: "invalid_grant", words)
    }

    static func graph(_ code: Int64, subcode: Int64? = nil, _ words: StaticString) -> Self {
        .graph(.badRequest, type: "OAuthException", code: code, subcode: subcode, words)
    }

    /// `nil` for a page.
    var json: (status: HTTPResponse.Status, body: JSONObject)? {
        switch self {
        case .page: return nil
        case .oauth(let status, let code, let words):
            return (status, ["error": .string(code), "error_description": .string("\(words)")])
        case .graph(let status, let type, let code, let subcode, let words):
            var error: JSONObject = [
                "message": .string("\(words)"), "type": .string("\(type)"),
                "code": .integer(code), "fbtrace_id": "StandIn",
            ]
            if let subcode { error["error_subcode"] = .integer(subcode) }
            return (status, ["error": .object(error)])
        }
    }
}
