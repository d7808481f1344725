import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Values of the authorization request that are not served") struct RefusedValueTests {
    @Test("RFC 6749 §3.1.1: a missing response_type is invalid_request")
    func missingResponseType() async throws {
        try await expectRefused([("response_type", "")], as: "invalid_request")
    }

    @Test(
        "attack B04, RFC 8252 §8.2, RFC 9700 §2.1.2: only code is served, and nothing in a fragment",
        arguments: ["token", "id_token", "code token", "code id_token", "none", "CODE", "code "]
    )
    func responseType(_ type: String) async throws {
        try await expectRefused([("response_type", type)], as: "unsupported_response_type")
    }

    @Test(
        "attack B27, OpenID Connect Core §3.1.2.1: an unknown response_mode is invalid_request",
        arguments: [
            "fragment", "Fragment", "web_message", "jwt", "foo", "QUERY", "query form_post",
        ]
    )
    func responseMode(_ mode: String) async throws {
        try await expectRefused([("response_mode", mode)], as: "invalid_request")
    }

    @Test("attack B05, RFC 7636 §4.4.1, RFC 8252 §8.1: no challenge, no page")
    func missingChallenge() async throws {
        try await expectRefused(
            [("code_challenge", ""), ("code_challenge_method", "")],
            as: "invalid_request"
        )
    }

    @Test(
        "attack B06, RFC 7636 §4.3, §4.4.1: every method but S256 is refused, a missing one too",
        arguments: ["plain", "s256", "S512", "", "S256 "]
    )
    func challengeMethod(_ method: String) async throws {
        try await expectRefused([("code_challenge_method", method)], as: "invalid_request")
    }

    @Test("RFC 7636 §4.3: a method without a challenge is refused")
    func methodWithoutChallenge() async throws {
        try await expectRefused([("code_challenge", "")], of: "web1", as: "invalid_request")
    }

    @Test(
        "RFC 7636 §4.2: a challenge is 43 characters of base64url",
        arguments: [
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMM",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw/cM",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw cM",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN",
        ]
    )
    func challenge(_ challenge: String) async throws {
        try await expectRefused([("code_challenge", challenge)], as: "invalid_request")
    }

    @Test(
        "RFC 6749 §3.3, §4.1.2.1: a scope with a foreign character is invalid_scope, and not shown",
        arguments: [
            "openid a\"b", "openid a\\b", "openid \u{FC}", "openid\tprofile", "openid\r\nX: y",
        ]
    )
    func scope(_ scope: String) async throws {
        try await expectRefused([("scope", scope)], as: "invalid_scope")
    }

    @Test(
        "attack B22, attack H12, OpenID Connect Core §3.1.2.1: max_age is a small whole number",
        arguments: [
            "-1", "abc", "99999999999999999999", "1.5", "9223372036854775808", "+1", "1e3", "0x10",
            "٣", "1 ", "1e309", "9999999999",
        ]
    )
    func maxAge(_ maxAge: String) async throws {
        try await expectRefused([("max_age", maxAge)], as: "invalid_request")
    }

    @Test(
        "attack B20, OpenID Connect Core §3.1.2.1: prompt=none goes with nothing, others are known",
        arguments: [
            "none login", "login none", "none consent", "create", "LOGIN", "none\u{2003}login",
        ]
    )
    func prompt(_ prompt: String) async throws {
        try await expectRefused([("prompt", prompt)], as: "invalid_request")
    }

    @Test(
        "attack B26, OpenID Connect Core §3.1.2.6, §6.1, §15.1: what is not supported has its own error",
        arguments: [
            ("request", "eyJhbGciOiJub25lIn0.e30.", "request_not_supported"),
            ("request_uri", "https://169.254.169.254/x", "request_uri_not_supported"),
            ("request_uri", "http://127.0.0.1:1/x", "request_uri_not_supported"),
            ("registration", "{}", "registration_not_supported"),
        ]
    )
    func unsupported(_ name: String, _ value: String, _ code: String) async throws {
        try await expectRefused([(name, value)], as: code)
    }

    @Test(
        "OpenID Connect Core §5.5: a claims parameter that is not its JSON is invalid_request",
        arguments: [
            "{", "[]", "null", "\"x\"", #"{"id_token":5}"#, #"{"id_token":{"acr":7}}"#,
            #"{"userinfo":{"a":null,"a":null}}"#,
        ]
    )
    func claims(_ claims: String) async throws {
        try await expectRefused([("claims", claims)], as: "invalid_request")
    }

    @Test("OpenID Connect Core §5.5.1: an essential acr that cannot be reached is an error")
    func essentialACR() async throws {
        let claims = #"{"id_token":{"acr":{"essential":true,"values":["gold"]}}}"#
        try await expectRefused([("claims", claims)], as: "unmet_authentication_requirements")
    }

    @Test(
        "attack B23, OpenID Connect Core §3.1.2.1: a hint that is no ID Token of ours",
        arguments: ["x", "eyJhbGciOiJub25lIn0.e30.", "a.b.c"]
    )
    func hint(_ hint: String) async throws {
        try await expectRefused([("id_token_hint", hint)], as: "invalid_request")
    }

    @Test("RFC 6749 §4.1.2.1: the descriptions have the characters that are allowed there")
    func descriptions() async throws {
        let server = try await RefusedRequests.server.value
        for (name, value) in [
            ("scope", "a\"b"), ("prompt", "create"), ("response_type", "token"), ("max_age", "x"),
            ("request", "x"), ("claims", "{"), ("code_challenge", "x"), ("response_mode", "x"),
        ] {
            let request = TestFlow.request("native1", [(name, value)])
            let reply = try await server.send(.get, TestBrowser.authorizationPath(request))
            let description = try #require(reply.redirected["error_description"])
            #expect(
                description.utf8.allSatisfy {
                    $0 == 0x20 || $0 == 0x21 || (0x23...0x5B).contains($0)
                        || (0x5D...0x7E).contains($0)
                }
            )
        }
    }

    @Test("RFC 6749 §4.1.2.1: a client that may not use the code grant is told so")
    func unauthorizedClient() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "plain"].grantTypes = [.refreshToken]
        }
        let reply = try await TestBrowser(server).authorize(TestFlow.request("plain"))
        expectError(reply, "unauthorized_client", of: "plain")
    }

    private static func without(_ name: String) -> [(String, String)] {
        TestFlow.request().filter { $0.0 != name }
    }

    private func page(_ parameters: [(String, String)]) async throws -> Reply {
        try await TestBrowser(RefusedRequests.server.value).authorize(parameters)
    }

    @Test(
        "RFC 6749 §4.1.2.1: pages name the wrong parameter, where the app cannot be told",
        arguments: ["client_id", "redirect_uri"]
    )
    func pages(_ name: String) async throws {
        let reply = try await page(Self.without(name))
        expectErrorPage(reply)
        #expect(reply.text.contains("\(name) is missing."))
        let twice = try await page(TestFlow.request() + [(name, "x")])
        expectErrorPage(twice)
        #expect(twice.text.contains("\(name) is given more than once."))
    }

    @Test(
        "RFC 6749 §4.1.2.1: the answer to the app names the wrong parameter",
        arguments: [
            ("response_type", "", "response_type is missing."),
            ("code_challenge", "", "code_challenge"), ("nonce", "256", "nonce is too long."),
            ("login_hint", "1025", "login_hint is too long."),
            ("state", "4097", "state is too long."),
            ("id_token_hint", "40000", "id_token_hint is too long."),
            ("scope", "twice", "scope is given more than once."),
            ("prompt", "x", "prompt has a value"), ("max_age", "x", "max_age is not"),
            ("acr_values", "twice", "acr_values is given more than once."),
        ]
    )
    func redirects(_ name: String, _ wrong: String, _ told: String) async throws {
        var request = Self.without(name)
        switch wrong {
        case "": break
        case "twice": request += [(name, "a"), (name, "b")]
        default:
            request.append((name, Int(wrong).map { String(repeating: "x", count: $0) } ?? wrong))
        }
        let reply = try await page(request)
        #expect(reply.status == 303)
        #expect(reply.redirected["error_description"]?.hasPrefix(told) == true, "\(name)")
    }

    @Test("RFC 6749 §5.2: JSON names the wrong parameter, and never by what was sent")
    func programs() async throws {
        let server = try await RefusedRequests.server.value
        let web1 = TestRealm.web1
        func told(_ form: [(String, String)]) async throws -> String? {
            try await server.token(form, basic: web1).json.string("error_description")
        }
        let code = [("grant_type", "authorization_code")]
        #expect(try await told(code) == "code is missing.")
        #expect(try await told([]) == "grant_type is missing.")
        #expect(try await told([("grant_type", "refresh_token")]) == "refresh_token is missing.")
        #expect(
            try await told(code + [("code", "a"), ("code", "b")])
                == "code is given more than once."
        )
        #expect(
            try await told(code + [("secret-name", "a"), ("secret-name", "b")])
                == "A parameter is given more than once."
        )
        let pushed = try await server.push(Self.without("redirect_uri"))
        #expect(pushed.error == "invalid_request")
        #expect(pushed.json.string("error_description") == "redirect_uri is missing.")
        let introspected = try await server.post(
            .endpoint("token/introspect"),
            [],
            headers: .basic(web1.0, web1.1)
        )
        #expect(introspected.json.string("error_description") == "token is missing.")
    }

    @Test("OpenID Connect Core §6.1: a request object is not read, and that is what is said")
    func requestObjects() async throws {
        let server = try await RefusedRequests.server.value
        let alone = [("client_id", "native1"), ("request", "a.b.c")]
        let pushed = try await server.push(alone)
        #expect(pushed.status == 400 && pushed.error == "request_not_supported")
        #expect(pushed.json.string("error_description")?.hasPrefix("request is") == true)
        let shown = try await page(alone)
        expectErrorPage(shown)
        #expect(shown.text.contains("request_not_supported"))
        let full = try await page(TestFlow.request("native1", [("request", "a.b.c")]))
        expectError(full, "request_not_supported")
        // An unknown client is told nothing else.
        let unknown = try await page([("client_id", "nobody"), ("request", "a.b.c")])
        #expect(unknown.text.contains("client_id is not that of a registered client."))
    }

    @Test("RFC 6749 §4.1.1: a state of 4 kB goes through all pages, pushed or not, and comes back")
    func longState() async throws {
        let server = try await ProviderUnderTest()
        for state in [String(repeating: "s", count: 4096), String(repeating: "/+=&", count: 1024)] {
            let request = TestFlow.request(
                "third",
                [("state", state), ("prompt", "login consent")]
            )
            let browser = TestBrowser(server)
            let consent = try await browser.signIn("alice", request)
            expectPage(consent, "consent")
            let answer = try await browser.submit(consent, [("action", "allow")])
            #expect(answer.redirected["state"] == state)
            #expect(answer.redirected["code"] != nil)
            let pushed = try await server.push(TestFlow.request("native1", [("state", state)]))
            let uri = try pushed.requestURI
            let reply = try await TestBrowser(server).signIn(
                "alice",
                [("client_id", "native1"), ("request_uri", uri)]
            )
            #expect(reply.redirected["state"] == state)
        }
    }
}
