package import HTTPTypes
import PorticoBytes
package import PorticoProtocol
import PorticoWeb
import PorticoSystem

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
