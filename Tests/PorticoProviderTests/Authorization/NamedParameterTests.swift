import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// A refused request says which of its parameters is wrong, whoever reads the answer.
@Suite("Refusals name the parameter") struct NamedParameterTests {
    private static func without(_ name: String) -> [(String, String)] {
        TestFlow.request().filter { $0.0 != name }
    }

    private func page(_ parameters: [(String, String)]) async throws -> Reply {
        try await TestBrowser(RefusedRequests.server.value).authorize(parameters)
    }

    @Test(
        "RFC 6749 §4.1.2.1: on pages, where the app cannot be told",
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
        "RFC 6749 §4.1.2.1: in the answer to the app",
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

    @Test("RFC 6749 §5.2: in JSON, and never by what the request wrote")
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
