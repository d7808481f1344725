package import HTTPTypes

/// Which pages of other origins may read an answer (Fetch §3.2).
///
/// Credentials are never allowed, so a foreign page cannot use a browser's cookies. Pages and forms
/// have no policy (WEB-CORS-2).
package enum CORSPolicy: Hashable, Sendable {
    /// Public documents, and endpoints that authenticate the caller by the request itself:
    /// metadata, key sets, token, UserInfo, revocation.
    case anyone
    /// These origins, byte for byte. `null` is never one of them.
    case origins(Set<String>)

    /// The headers of an answer to a request.
    package func headers(for request: HTTPFields) -> HTTPFields {
        switch self {
        case .anyone: return [.accessControlAllowOrigin: "*"]
        case .origins(let origins):
            let given = request[values: .origin]
            guard given.count == 1, given[0] != "null",
                // Not `contains`: two encodings of one character are two origins.
                origins.contains(where: { $0.utf8.elementsEqual(given[0].utf8) })
            else { return [.vary: "Origin"] }
            return [.accessControlAllowOrigin: given[0], .vary: "Origin"]
        }
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
