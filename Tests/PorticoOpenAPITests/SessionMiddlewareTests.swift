#if canImport(OpenAPIRuntime)
    import Foundation
    import HTTPTypes
    import OpenAPIRuntime
    import PorticoBytes
    import PorticoOpenAPI
    import PorticoProtocol
    import Testing

    @testable import Portico

    @Suite("A session's token in the requests of a generated client") struct SessionMiddlewareTests
    {
        /// A backend that hands out tokens `S1`, `S2`, …
        private final class Backend: HTTPTransport {
            private let serial = Locked(0)

            func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
                async throws(HTTPTransportError) -> HTTPReply
            {
                let number = serial.withLock { serial in
                    serial += 1
                    return serial
                }
                let answer: JSONObject = [
                    "session_token": .string("S\(number)"), "token_type": "Bearer",
                    "expires_in": 900, "refresh_token": .string("R\(number)"),
                    "user": ["id": "u-1"], "is_new_user": false,
                ]
                var response = HTTPResponse(status: .ok)
                response.headerFields[.contentType] = "application/json"
                return HTTPReply(response: response, body: answer.serialized())
            }
        }

        private func session() async throws -> BackendSession {
            var options = BackendClient.Options()
            options.apiOrigins = ["https://api.example.com"]
            let client = BackendClient(
                backend: "https://bff.example.com",
                app: "notes",
                redirect: .https("https://notes.example.com/cb"),
                options: options,
                transport: Backend()
            )
            let attempt = try client.begin()
            let state = try #require(attempt.address.firstMatch(of: /state=([^&]+)/)).1
            return try await attempt.complete("https://notes.example.com/cb?code=c&state=\(state)")
        }

        /// What goes out, and answers with these statuses.
        private func sent(
            to server: String,
            path: String = "/notes?x=1",
            body: HTTPBody? = nil,
            answering statuses: [Int]
        ) async throws -> (authorizations: [String?], status: Int) {
            let sent = Locked<[String?]>([])
            let middleware = SessionMiddleware(try await session().http)
            let (response, _) = try await middleware.intercept(
                HTTPRequest(method: .get, scheme: nil, authority: nil, path: path),
                body: body,
                baseURL: try #require(URL(string: server)),
                operationID: "getNotes"
            ) { request, _, _ in
                #expect(request.path == path)
                let count = sent.withLock { sent in
                    sent.append(request.headerFields[.authorization])
                    return sent.count
                }
                return (HTTPResponse(status: .init(code: statuses[count - 1])), nil)
            }
            return (sent.withLock(\.self), response.status.code)
        }

        @Test("RFC 6750 §2.1: it goes out with the request, to the origins on the list only")
        func authorizes() async throws {
            for server in ["https://api.example.com/v1", "https://API.example.com:443"] {
                let (sent, status) = try await sent(to: server, answering: [200])
                #expect(sent == ["Bearer S1"])
                #expect(status == 200)
            }
            for server in [
                "https://evil.example/v1", "http://api.example.com", "https://api.example.com:8443",
                "https://user@api.example.com.evil.example",
            ] {
                await #expect(throws: SignInError(.misconfigured(.originNotAllowed))) {
                    try await self.sent(to: server, answering: [])
                }
            }
            await #expect(throws: SignInError(.misconfigured(.tokenInQuery))) {
                try await self.sent(
                    to: "https://api.example.com",
                    path: "/x?access_token=y",
                    answering: []
                )
            }
        }

        @Test("a refused token is refreshed and the request sent again, once")
        func again() async throws {
            let (tokens, status) = try await sent(
                to: "https://api.example.com",
                body: HTTPBody("text"),
                answering: [401, 401]
            )
            #expect(tokens == ["Bearer S1", "Bearer S2"])
            #expect(status == 401)
            #expect(
                try await sent(to: "https://api.example.com", answering: [403]).authorizations
                    == ["Bearer S1"]
            )
        }

        @Test("a body that can be read only once is not sent twice")
        func stream() async throws {
            let stream = AsyncStream<ArraySlice<UInt8>> { $0.finish() }
            let body = HTTPBody(stream, length: .unknown, iterationBehavior: .single)
            let (tokens, status) = try await sent(
                to: "https://api.example.com",
                body: body,
                answering: [401]
            )
            #expect(tokens == ["Bearer S1"])
            #expect(status == 401)
        }
    }
#endif
