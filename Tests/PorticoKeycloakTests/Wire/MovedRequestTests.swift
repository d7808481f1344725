import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoTestSupport
import Testing

@Suite("Requests of clients that come from Keycloak") struct MovedRequestTests {
    private static let moved = Task { try await MovedServer() }

    @Test("decision 0049: a public client from Keycloak may send some secret, which proves nothing")
    func dummySecret() async throws {
        let moved = try await Self.moved.value
        let basic: HTTPFields = [.authorization: ProviderUnderTest.basic("spa", "dummy")]
        for (form, headers) in [
            ([("client_id", "spa"), ("client_secret", "dummy")], HTTPFields()), ([], basic),
        ] {
            let tokens = try await moved.tokens("ann", "spa").json
            let token = try #require(tokens.string("refresh_token"))
            let reply = try await moved.server.post(
                MovedServer.path("token"),
                [("grant_type", "refresh_token"), ("refresh_token", token)] + form,
                headers: headers
            )
            #expect(reply.status == 200)
        }
        // A confidential client's secret must be right, and a client of Portico's is told.
        let wrong = try await moved.server.post(
            MovedServer.path("token"),
            [
                ("grant_type", "client_credentials"), ("client_id", "web"),
                ("client_secret", "dummy"),
            ]
        )
        #expect(wrong.status == 401)
        let own = try await moved.server.post(
            MovedServer.path("token", realm: "test"),
            TestFlow.redemption("x", "native1", [("client_secret", "dummy")])
        )
        #expect(own.status == 401)
    }

    @Test("decision 0049: an unknown prompt is as none, and prompt=none stays alone")
    func prompts() async throws {
        let moved = try await Self.moved.value
        let browser = TestBrowser(moved.server)
        let unknown = MovedServer.request("spa", [("prompt", "foo")])
        #expect(try await moved.authorize(unknown, browser).formAction != nil)
        for (prompt, error) in [
            ("none foo", "login_required"), ("none", "login_required"),
            ("none login", "invalid_request"),
        ] {
            let request = MovedServer.request("spa", [("prompt", prompt)])
            #expect(try await moved.authorize(request, browser).error == error, "\(prompt)")
        }
        // A client of Portico's is told of its mistake.
        let own = try await browser.authorize(TestFlow.request("native1", [("prompt", "foo")]))
        #expect(own.error == "invalid_request")
    }

    @Test(
        "OpenID Connect Core §5.5.1.1: an essential acr is reached by its name, as Keycloak has it",
        arguments: [
            ("spa", "silver", true), ("spa", "1", true), ("spa", "0", true), ("spa", "gold", false),
            ("spa", "2", false), ("spa", "bronze", false), ("spa", "99999999999999999999", false),
            ("plain", "bronze", true), ("plain", "silver", false),
        ]
    )
    func essentialACR(_ client: String, _ value: String, _ isReached: Bool) async throws {
        let moved = try await Self.moved.value
        let claims = #"{"id_token":{"acr":{"essential":true,"values":["\#(value)"]}}}"#
        let request = MovedServer.request(client, [("claims", claims), ("prompt", "none")])
        let reply = try await moved.authorize(request, TestBrowser(moved.server))
        #expect(
            reply.error == (isReached ? "login_required" : "unmet_authentication_requirements")
        )
    }

    @Test("decision 0049: the level that was reached has its name in the ID Token")
    func namedACR() async throws {
        let moved = try await Self.moved.value
        for (client, name) in [("spa", "silver"), ("plain", "bronze")] {
            let tokens = try await moved.tokens("ann", client).json
            let idToken = try JWT(parsing: try #require(tokens.string("id_token")))
                .uncheckedClaims()
            #expect(idToken.string("acr") == name)
        }
    }

    @Test("decision 0049: a secret may come in the header and in the body, if it is one secret")
    func bothWays() async throws {
        let moved = try await Self.moved.value
        let right = "a secret of the web client"
        func ask(_ header: String, _ body: [(String, String)], realm: String = "acme") async throws
            -> Reply
        {
            try await moved.server.post(
                MovedServer.path("token", realm: realm),
                [("grant_type", "client_credentials")] + body,
                headers: [
                    .authorization: ProviderUnderTest.basic(
                        realm == "acme" ? "web" : "machine",
                        header
                    )
                ]
            )
        }
        let both = try await ask(right, [("client_id", "web"), ("client_secret", right)])
        #expect(both.status == 200)
        #expect(try await ask(right, [("client_secret", right)]).status == 200)
        for (header, body, error) in [
            (right, [("client_id", "web"), ("client_secret", "x")], "invalid_request"),
            ("x", [("client_id", "web"), ("client_secret", right)], "invalid_request"),
            ("x", [("client_id", "web"), ("client_secret", "x")], "invalid_client"),
            (right, [("client_id", "spa"), ("client_secret", right)], "invalid_request"),
            (
                right,
                [
                    ("client_id", "web"), ("client_secret", right), ("client_assertion", "x"),
                    (
                        "client_assertion_type",
                        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                    ),
                ], "invalid_request"
            ),
        ] {
            let reply = try await ask(header, body)
            #expect(reply.error == error)
            #expect(reply.json.string("access_token") == nil)
        }
        // RFC 6749 §2.3: a client of Portico's uses one way.
        let own = try await ask("x", [("client_secret", "x")], realm: "test")
        #expect(own.error == "invalid_request")
    }

    @Test("decision 0049: who asks for no language gets the realm's")
    func defaultLocale() async throws {
        let moved = try await Self.moved.value
        for (accepted, asked, language) in [
            (nil, "", "de"), ("fr", "", "de"), ("en", "", "en"), (nil, "ar", "ar"),
            ("en", "fr", "en"),
        ] {
            let browser = TestBrowser(moved.server, speaking: accepted)
            let request = MovedServer.request("spa", [("ui_locales", asked)])
            let page = try await moved.authorize(request, browser)
            #expect(page.text.contains("<html lang=\"\(language)\""), "\(accepted ?? "") \(asked)")
        }
    }

    @Test("OpenID Connect Core §5.3.2: UserInfo is signed for a client that had it so")
    func signedUserInfo() async throws {
        let moved = try await Self.moved.value
        for (client, isSigned) in [("quiet", true), ("spa", false)] {
            let tokens = try await moved.tokens("ann", client).json
            let access = try #require(tokens.string("access_token"))
            let reply = try await moved.get(
                MovedServer.path("userinfo"),
                [.authorization: "Bearer " + access]
            )
            #expect(reply.status == 200)
            let type = isSigned ? "application/jwt" : "application/json"
            #expect(reply.headers[.contentType] == type)
            guard isSigned else { continue }
            let keys = try JWKSet(try await moved.get(MovedServer.path("certs")).json)
            let claims = try JWT(parsing: reply.text)
                .verified(by: keys.keys, allowing: [.rs256], types: [.jwt]).claims
            #expect(claims.string("aud") == client)
            #expect(claims.string("iss") == "https://op.example.com/realms/acme")
            #expect(claims.string("sub") == "4f6f4a0a-6a2c-4a8e-9d7d-0d2c1b0a9e01")
        }
    }

    @Test("RFC 9207 §2: iss and session_state are left out where the client cannot take them")
    func excluded() async throws {
        let moved = try await Self.moved.value
        let browser = TestBrowser(moved.server)
        for (client, has) in [("quiet", false), ("spa", true)] {
            let error = try await moved.authorize(
                MovedServer.request(client, [("prompt", "none")]),
                TestBrowser(moved.server)
            )
            #expect((error.redirected["iss"] != nil) == has)
            let answer = try await moved.signIn("ann", MovedServer.request(client), browser)
            #expect(answer.redirected["code"] != nil)
            #expect(answer.redirected["state"] == "s-1")
            #expect((answer.redirected["iss"] != nil) == has)
            #expect((answer.redirected["session_state"] != nil) == has)
        }
    }
}
