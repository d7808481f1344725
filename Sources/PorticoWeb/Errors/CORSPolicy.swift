package import HTTPTypes

/// Which pages of other origins may read an answer (Fetch §3.2).
///
/// Credentials are never allowed, so that a browser's cookies are worth nothing to a foreign page.
/// Pages and forms have no policy at all (WEB-CORS-2).
package enum CORSPolicy: Hashable, Sendable {
    /// Public documents and endpoints that prove the caller by what is in the request: metadata,
    /// key sets, token, UserInfo, revocation.
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
                // Not `contains`: two spellings of one character are two origins.
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

    /// What the script wants to send (Fetch §4.8): libraries add fields of their own, such as
    /// `mcp-protocol-version`, and none of them means anything here that the fields below do not.
    /// Where it is no list of names, or a long one, those alone.
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
