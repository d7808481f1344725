// Only with the trait `OpenAPI`: otherwise the target is empty.
#if canImport(OpenAPIRuntime)
    public import HTTPTypes
    public import OpenAPIRuntime
    public import Portico
    public import PorticoSystem

    /// Sends a session's token with the requests of a client that swift-openapi-generator made (RFC
    /// 6750 §2.1, RFC 9449 §7.1).
    ///
    /// It goes only to the origins that the session's client names (``SignInClient/Options/apiOrigins``
    /// or ``BackendClient/Options/apiOrigins``). If the server refuses the token as invalid, it is
    /// refreshed and the request is sent again, once, unless its body can be read only once; the same
    /// if the server asks for a nonce in the proof (RFC 9449 §9).
    public struct SessionMiddleware: ClientMiddleware {
        private let http: AuthorizedHTTP

        /// - Parameter http: ``Session/http`` or ``BackendSession/http``.
        public init(_ http: AuthorizedHTTP) {
            self.http = http
        }

        @concurrent public func intercept(
            _ request: HTTPRequest,
            body: HTTPBody?,
            baseURL: URL,
            operationID: String,
            next:
                @concurrent @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (
                    HTTPResponse, HTTPBody?
                )
        ) async throws -> (HTTPResponse, HTTPBody?) {
            var whole = Self.whole(request, baseURL)
            try await http.authorize(&whole)
            let answer = try await next(Self.request(request, with: whole), body, baseURL)
            guard body.map({ $0.iterationBehavior == .multiple }) ?? true,
                try await http.reauthorize(&whole, after: answer.0)
            else { return answer }
            return try await next(Self.request(request, with: whole), body, baseURL)
        }

        /// The request as it goes out: the generated one has a path below the server's URL.
        private static func whole(_ request: HTTPRequest, _ server: URL) -> HTTPRequest {
            var whole = request
            whole.scheme = server.scheme
            let port = server.port.map { ":\($0)" } ?? ""
            whole.authority = server.host(percentEncoded: true).map { $0 + port }
            var base = server.path(percentEncoded: true)
            if base.hasSuffix("/") { base.removeLast() }
            whole.path = base + (request.path ?? "/")
            return whole
        }

        private static func request(_ request: HTTPRequest, with whole: HTTPRequest) -> HTTPRequest
        {
            var request = request
            for field in AuthorizedHTTP.fields {
                request.headerFields[field] = whole.headerFields[field]
            }
            return request
        }
    }
#endif
