import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Scripts of other origins (Fetch §3.2, WEB-CORS-1)") struct CrossOriginTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await Self.server()
    }

    private static let origin = "https://native.example"
    private static let others = "https://app.example.com"

    private static func server() async throws -> ProviderUnderTest {
        try await ProviderUnderTest { $0.clients[client: "native1"].webOrigins = [Self.origin] }
    }

    private func allowed(_ reply: Reply) -> String? { reply.headers[.accessControlAllowOrigin] }

    @Test("An origin counts for the client that registered it: at no other's answer, nor error")
    func perClient() async throws {
        let tokens = try await server.tokens("alice", "native1")
        let access = try tokens.accessToken
        let refresh = try tokens.refreshToken
        for (origin, isOwn) in [(Self.origin, true), (Self.others, false)] {
            let headers: HTTPFields = [.origin: origin]
            let expected = isOwn ? origin : nil
            let refused = try await server.post(
                .endpoint("token"),
                [
                    ("grant_type", "refresh_token"), ("refresh_token", "x"),
                    ("client_id", "native1"),
                ],
                headers: headers
            )
            #expect(refused.status == 400)
            #expect(allowed(refused) == expected, "\(origin)")
            let userInfo = try await server.send(
                .get,
                .endpoint("userinfo"),
                headers: [.origin: origin, .authorization: "Bearer " + access]
            )
            #expect(userInfo.status == 200)
            #expect(allowed(userInfo) == expected, "\(origin)")
            #expect(userInfo.headers[.vary]?.contains("Origin") == true)
            let revoked = try await server.post(
                .endpoint("revoke"),
                [("token", "x"), ("client_id", "native1")],
                headers: headers
            )
            #expect(allowed(revoked) == expected, "\(origin)")
        }
        let refreshed = try await server.post(
            .endpoint("token"),
            [
                ("grant_type", "refresh_token"), ("refresh_token", refresh),
                ("client_id", "native1"),
            ],
            headers: [.origin: Self.origin]
        )
        #expect(refreshed.status == 200)
        #expect(allowed(refreshed) == Self.origin)
    }

    @Test("An answer that names no client says nothing of any: scripts of all of them may read it")
    func noClient() async throws {
        for origin in [Self.origin, Self.others, "https://evil.example"] {
            let isKnown = origin != "https://evil.example"
            let reply = try await server.send(
                .get,
                .endpoint("userinfo"),
                headers: [.origin: origin, .authorization: "Bearer x"]
            )
            #expect(reply.status == 401)
            #expect(allowed(reply) == (isKnown ? origin : nil))
        }
    }

    @Test("A client that only its assertion names counts like any other")
    func assertion() async throws {
        let now = server.clock.seconds
        let claims: JSONObject = [
            "iss": "jwt1", "sub": "jwt1", "aud": .string(TestRealm.issuer), "jti": "j-1",
            "iat": .integer(now), "exp": .integer(now + 60),
        ]
        let reply = try await server.post(
            .endpoint("token"),
            [
                ("grant_type", "client_credentials"),
                TestFlow.assertionType,
                ("client_assertion", try TestRealm.clientKey.sign(claims: claims, type: .jwt)),
            ],
            headers: [.origin: Self.origin]
        )
        #expect(reply.status == 200)
        #expect(allowed(reply) == nil)
    }

    @Test("RFC 6749 §5.2: who may read invalid_client does not say which clients there are")
    func refusals() async throws {
        for name in ["web1", "jwt1", "nobody"] {
            let reply = try await server.post(
                .endpoint("token"),
                TestFlow.own,
                headers: [.origin: Self.origin, .authorization: ProviderUnderTest.basic(name, "x")]
            )
            #expect(reply.error == "invalid_client")
            #expect(allowed(reply) == Self.origin, "\(name)")
        }
    }

    @Test("Signing out with a refresh token is for scripts too; the page beside it is for none")
    func signOut() async throws {
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "native1", browser: browser)
        let path = String.endpoint("logout")
        let form = [("client_id", "native1"), ("refresh_token", try tokens.refreshToken)]
        let preflight = try await server.send(.options, path, headers: [.origin: Self.origin])
        #expect(preflight.status == 204)
        #expect(preflight.headers[.accessControlAllowMethods] == "POST")
        let page = try await browser.get(path, headers: [.origin: Self.origin])
        #expect(page.status == 200)
        #expect(allowed(page) == nil)
        #expect(try await allowed(server.post(path, [], headers: [.origin: Self.origin])) == nil)
        let foreign = try await server.post(path, form, headers: [.origin: "https://evil.example"])
        #expect(allowed(foreign) == nil)
        let again = try await server.post(path, form, headers: [.origin: Self.origin])
        #expect(allowed(again) == Self.origin)
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("Fetch §4.8: a preflight allows what the script wants to send, if it is a list of names")
    func requestedHeaders() async throws {
        let usual = "Authorization, Content-Type, DPoP, Idempotency-Key"
        let metadata = "/realms/test/.well-known/openid-configuration"
        for (asked, expected) in [
            ("mcp-protocol-version", "mcp-protocol-version"),
            ("authorization,content-type, x-trace", "authorization, content-type, x-trace"),
            ("", usual), ("a b", usual), ("x\u{FC}", usual), ("a,,b", "a, b"),
            (String(repeating: "a", count: 1025), usual),
        ] {
            for path in [metadata, String.endpoint("token")] {
                let reply = try await server.send(
                    .options,
                    path,
                    headers: [.origin: Self.origin, .accessControlRequestHeaders: asked]
                )
                #expect(reply.status == 204)
                #expect(
                    reply.headers[.accessControlAllowHeaders] == expected,
                    "\(asked.prefix(40))"
                )
                #expect(reply.headers[.accessControlAllowCredentials] == nil)
            }
        }
        // Two fields of it are no list that a browser sends.
        var twice: HTTPFields = [.origin: Self.origin]
        twice.append(HTTPField(name: .accessControlRequestHeaders, value: "x-a"))
        twice.append(HTTPField(name: .accessControlRequestHeaders, value: "x-b"))
        let reply = try await server.send(.options, .endpoint("token"), headers: twice)
        #expect(reply.headers[.accessControlAllowHeaders] == usual)
        let foreign = try await server.send(
            .options,
            .endpoint("token"),
            headers: [.origin: "https://evil.example", .accessControlRequestHeaders: "x-a"]
        )
        #expect(foreign.headers[.accessControlAllowHeaders] == nil)
    }
}
