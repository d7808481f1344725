package import HTTPTypes
import PorticoBytes

/// Which pages of other origins may read an answer (Fetch §3.2).
///
/// Credentials are allowed to origins that clients from Keycloak have registered, because Keycloak's
/// adapters send them always; the answers that have a policy never depend on a cookie. Pages and
/// forms have no policy (WEB-CORS-2).
package enum CORSPolicy: Hashable, Sendable {
    /// Public documents, and endpoints that authenticate the caller by the request itself:
    /// metadata, key sets, token, UserInfo, revocation.
    case anyone
    /// These origins, byte for byte. `null` is never one of them.
    ///
    /// - Parameters:
    ///   - credentials: Those of them whose requests may have credentials.
    ///   - others: Whether any other origin may read too, without them.
    case origins(Set<String>, credentials: Set<String> = [], others: Bool = false)

    /// The same for any other origin as well, without credentials.
    package var withOthers: CORSPolicy {
        switch self {
        case .anyone: .anyone
        case .origins(_, let credentials, _) where credentials.isEmpty: .anyone
        case .origins(let origins, let credentials, _):
            .origins(origins, credentials: credentials, others: true)
        }
    }

    /// The headers of an answer to a request.
    package func headers(for request: HTTPFields) -> HTTPFields {
        switch self {
        case .anyone: return [.accessControlAllowOrigin: "*"]
        case .origins(let origins, let credentials, let others):
            let given = request[values: .origin]
            guard given.count == 1, given[0] != "null", Self.isOne(of: origins, given[0]) else {
                return others
                    ? [.accessControlAllowOrigin: "*", .vary: "Origin"] : [.vary: "Origin"]
            }
            var headers: HTTPFields = [.accessControlAllowOrigin: given[0], .vary: "Origin"]
            if Self.isOne(of: credentials, given[0]) {
                headers[.accessControlAllowCredentials] = "true"
            }
            return headers
        }
    }

    /// Not `contains`: two encodings of one character are two origins.
    private static func isOne(of origins: Set<String>, _ given: String) -> Bool {
        origins.contains { sameBytes($0, given) }
    }

    /// The headers of the answer to a preflight (`OPTIONS`).
    package func preflight(
        for request: HTTPFields,
        methods: [HTTPRequest.Method]
    ) -> HTTPFields {
        var headers = headers(for: request)
        guard headers[.accessControlAllowOrigin] != nil else { return headers }
        headers[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
        headers[.accessControlAllowHeaders] = Self.allowedHeaders(for: request)
        headers[.accessControlMaxAge] = "7200"
        headers.append(HTTPField(name: .vary, value: "Access-Control-Request-Headers"))
        return headers
    }

    /// The header fields that the script wants to send (Fetch §4.8): libraries add their own, such
    /// as `mcp-protocol-version`, which have no effect on this server. If the value is not a list
    /// of names, or too long, only the fields below are allowed.
    private static func allowedHeaders(for request: HTTPFields) -> String {
        let usual = "Authorization, Content-Type, DPoP, Idempotency-Key"
        let asked = request[values: .accessControlRequestHeaders]
        guard asked.count == 1, asked[0].utf8.count <= 1024 else { return usual }
        let names = asked[0].utf8.split(separator: UInt8(ascii: ",")).map { name in
            String(decoding: name.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
        }
        guard !names.isEmpty, names.allSatisfy({ HTTPField.Name($0) != nil }) else { return usual }
        return names.joined(separator: ", ")
    }
}
