import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Revocation and introspection") struct RevocationTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    private func revoke(
        _ server: ProviderUnderTest,
        _ token: String,
        _ client: String,
        _ extra: [(String, String)] = []
    )
        async throws -> Reply
    {
        try await server.post(
            .endpoint("revoke"),
            [("token", token), ("client_id", client)] + extra
        )
    }

    @Test(
        "attack C28, RFC 7009 §2.1: revoking either token ends the grant, whatever the hint",
        arguments: [
            ("refresh_token", "access_token"), ("access_token", "refresh_token"),
            ("access_token", "nonsense"),
        ]
    )
    func revokes(member: String, hint: String) async throws {
        let tokens = try await server.tokens()
        let token = try #require(tokens.json.string(member))
        let reply = try await revoke(server, token, "native1", [("token_type_hint", hint)])
        #expect(reply.status == 200)
        #expect(reply.text == "{}")
        #expect(try await server.userInfo(tokens.accessToken).status == 401)
        #expect(try await server.refresh(tokens.refreshToken).error == "invalid_grant")
        #expect(try await revoke(server, token, "native1").status == 200, "RFC 7009 §2.2: again")
    }

    @Test("attack C28, RFC 7009 §2.1: a token of another client stays alive")
    func foreign() async throws {
        let tokens = try await server.tokens()
        for member in ["access_token", "refresh_token"] {
            let token = try #require(tokens.json.string(member))
            #expect(try await revoke(server, token, "third").status == 200)
        }
        #expect(try await server.userInfo(tokens.accessToken).status == 200)
        #expect(try await server.refresh(tokens.refreshToken).status == 200)
    }

    /// 57 bytes: every bit of the last character is one of the MAC.
    private func alter(_ refreshToken: String) -> String {
        String(refreshToken.dropLast()) + (refreshToken.hasSuffix("A") ? "B" : "A")
    }

    @Test("decision 0035: an altered refresh token revokes nothing")
    func altered() async throws {
        let token = try await server.tokens().refreshToken
        #expect(try await revoke(server, alter(token), "native1").status == 200)
        #expect(try await server.refresh(token).status == 200)
    }

    @Test("RFC 7009 §2.2: an unknown token is no error; GET is; a wrong secret is 401")
    func unknown() async throws {
        #expect(try await revoke(server, "nobody knows it", "native1").status == 200)
        #expect(try await server.send(.get, .endpoint("revoke?token=x&callback=f")).status == 405)
        let wrong = try await server.post(
            .endpoint("revoke"),
            [("token", "x")],
            headers: .basic("web1", "wrong")
        )
        #expect(wrong.status == 401)
        #expect(try await revoke(server, "", "native1").error == "invalid_request")
    }

    @Test("attack C29, RFC 7662 §2.1: public clients and strangers cannot introspect")
    func callers() async throws {
        let token = try await server.tokens().accessToken
        let path = String.endpoint("token/introspect")
        let byPublic = try await server.post(path, [("token", token), ("client_id", "native1")])
        #expect(byPublic.status == 401)
        #expect(try await server.post(path, [("token", token)]).status == 401)
        #expect(try await server.send(.get, path).status == 405)
    }

    @Test("RFC 7662 §2.2: the token's own client learns about it")
    func active() async throws {
        let tokens = try await server.tokens("alice", "web1")
        let reply = try await server.introspect(try tokens.accessToken)
        #expect(reply.json.bool("active") == true)
        #expect(reply.json.string("username") == "alice")
        #expect(reply.json.string("client_id") == "web1")
        #expect(reply.json.string("iss") == TestRealm.issuer)
        #expect(reply.json.int64("exp") == server.clock.seconds + 300)
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(try await server.introspect(try tokens.refreshToken).json.bool("active") == true)
    }

    @Test("attack C29, RFC 7662 §2.2: of a token that is not active nothing is said but that")
    func inactive() async throws {
        let foreign = try await server.tokens("bob", "native1")
        let own = try await server.tokens("alice", "web1")
        let code = try await server.code("alice", "web1")
        var tokens = ["unknown", "a.b.c", code]
        for member in ["access_token", "refresh_token"] {
            tokens.append(try #require(foreign.json.string(member)))
        }
        tokens.append(try own.idToken)
        tokens.append(alter(try own.refreshToken))
        for token in tokens {
            #expect(try await server.introspect(token).text == #"{"active":false}"#)
        }
        let revoked = try await server.tokens("bob", "web1")
        let refresh = try revoked.refreshToken
        _ = try await server.post(.endpoint("revoke"), [("token", refresh)], headers: .web1)
        for token in [try revoked.accessToken, refresh] {
            #expect(try await server.introspect(token).text == #"{"active":false}"#)
        }
        server.clock.advance(by: 301)
        #expect(try await server.introspect(own.accessToken).text == #"{"active":false}"#)
    }

    @Test("WEB-SESS-5, RFC 7662 §2.2: a disabled client's access token is active nowhere")
    func disabledClient() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].mappers = [ClaimMapper(.audience("web1"))]
        }
        let token = try await server.tokens().accessToken
        for isEnabled in [true, false, true] {
            try await server.change("native1") { $0.isEnabled = isEnabled }
            #expect(try await server.userInfo(token).status == (isEnabled ? 200 : 401))
            #expect(try await server.introspect(token).json.bool("active") == isEnabled)
        }
    }

    @Test("RFC 7662 §4: only the current generation of a refresh token is active")
    func generations() async throws {
        let tokens = try await server.tokens("alice", "web1")
        let old = try tokens.refreshToken
        let rotated = try await server.token(
            [("grant_type", "refresh_token"), ("refresh_token", old)],
            basic: TestRealm.web1
        )
        #expect(rotated.status == 200)
        #expect(try await server.introspect(old).text == #"{"active":false}"#)
    }

    @Test(
        "WEB-BRUTE-2, RFC 7009 §5, RFC 7662 §4, RFC 9126 §2.3: wrong secrets are 401, then 429",
        arguments: ["revoke", "token/introspect", "ext/par/request"]
    )
    func guesses(endpoint: String) async throws {
        let own = try await server.tokens("alice", "web1")
        let token = try own.accessToken
        var replies: [Reply] = []
        for guess in 0..<25 {
            replies.append(
                try await server.post(
                    .endpoint(endpoint),
                    [("token", token)],
                    headers: .basic("web1", "guess \(guess)")
                )
            )
        }
        #expect(replies.first?.status == 401)
        #expect(replies.first?.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
        #expect(replies.last?.status == 429)
        #expect(replies.last?.headers[.retryAfter] != nil)
        for reply in replies { #expect(!reply.text.contains("alice")) }
        #expect(try await server.userInfo(token).status == 200)
    }

    @Test("RFC 7009 §2.3, WEB-CORS-1: only scripts of registered origins may read the answers")
    func crossOrigin() async throws {
        let registered = "https://app.example.com"
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices { realm.clients[index].webOrigins = [registered] }
        }
        for endpoint in ["revoke", "token", "token/introspect", "ext/par/request"] {
            // Servers call these two, and no page does.
            let isForPages = ["revoke", "token"].contains(endpoint)
            for origin in [registered, "https://evil.example", "null"] {
                let isAllowed = isForPages && origin == registered
                let path = String.endpoint(endpoint)
                let preflight = try await server.send(.options, path, headers: [.origin: origin])
                let post = try await server.post(
                    path,
                    [("token", "x"), ("client_id", "native1")],
                    headers: [.origin: origin]
                )
                for reply in [preflight, post] {
                    let allowed = reply.headers[.accessControlAllowOrigin]
                    #expect(allowed == (isAllowed ? registered : nil), "\(endpoint) \(origin)")
                    #expect(reply.headers[.accessControlAllowCredentials] == nil)
                }
            }
        }
    }
}
