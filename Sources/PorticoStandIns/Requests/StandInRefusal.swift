import HTTPTypes
import PorticoProtocol

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
            return (
                status, ["error": .string(code), "error_description": .string("\(words)")]
            )
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
