import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Parameters that are missing, repeated or not text") struct AuthorizationParameterTests {
    @Test(
        "attack B03, RFC 6749 §3.1: a repeated parameter is invalid_request",
        arguments: ["response_type", "scope", "nonce", "code_challenge", "prompt", "max_age"]
    )
    func repeated(_ name: String) async throws {
        let value = TestFlow.request().first { $0.0 == name }?.1 ?? "1"
        let added = [(name, value), (name, value == "code" ? "token" : value)]
        try await expectRefused([(name, "")], adding: added, as: "invalid_request")
    }

    @Test("attack B03: a repeated state is invalid_request, and neither of the two comes back")
    func repeatedState() async throws {
        let added = [("state", "s-2")]
        try await expectRefused([], adding: added, as: "invalid_request", state: nil)
    }

    @Test("RFC 6749 §3.1: a repeated client_id is a page, not a redirect")
    func repeatedClient() async throws {
        let server = try await RefusedRequests.server.value
        for second in ["native1", "web1"] {
            let request = TestFlow.request() + [("client_id", second)]
            expectErrorPage(try await server.send(.get, TestBrowser.authorizationPath(request)))
        }
    }

    @Test(
        "RFC 6749 §3.1.2.4, RFC 9700 §4.11.2: an unknown or missing client_id is a page",
        arguments: ["", "evil", "NATIVE1", "native1 ", "n\u{E4}tive1", "<script>alert(1)</script>"]
    )
    func unknownClient(_ clientID: String) async throws {
        let server = try await RefusedRequests.server.value
        let request =
            TestFlow.request("native1", [("client_id", "")])
            + (clientID.isEmpty ? [] : [("client_id", clientID)])
        let reply = try await server.send(.get, TestBrowser.authorizationPath(request))
        #expect(reply.status == 400)
        #expect(reply.location == nil)
        // Where none is named, it is not said that there is no such app.
        let isNamed = !clientID.isEmpty
        #expect(reply.text.contains("This app isn’t registered here") == isNamed)
        #expect(reply.text.contains("client_id is missing") == !isNamed)
        #expect(!reply.text.contains("<script>alert"))
        #expect(reply.headers[values: .setCookie].isEmpty)
    }

    @Test("RFC 6749 §3.1: parameters without a value are as if they were not there")
    func emptyParameters() async throws {
        let server = try await RefusedRequests.server.value
        let empty = ["state", "nonce", "prompt", "max_age", "claims", "request", "display"]
        let request =
            TestFlow.request("native1", [("state", ""), ("nonce", "")]) + empty.map { ($0, "") }
        let page = try await server.send(.get, TestBrowser.authorizationPath(request))
        expectPage(page, "authenticate")
        let refused = try await server.send(
            .get,
            TestBrowser.authorizationPath(request + [("max_age", "x")])
        )
        #expect(refused.redirected["error"] == "invalid_request")
        #expect(refused.location?.contains("state") == false)
    }

    @Test("RFC 6749 §3.1: unknown parameters change nothing")
    func unknownParameters() async throws {
        let server = try await RefusedRequests.server.value
        let request =
            TestFlow.request() + [("foo", "bar"), ("redirect_url", "https://evil.example")]
        expectPage(
            try await server.send(.get, TestBrowser.authorizationPath(request)),
            "authenticate"
        )
    }

    @Test("attack B15, WEB-REDIR-2, RFC 6749 §10.14: line breaks in state come back as escapes")
    func lineBreaksInState() async throws {
        let server = try await RefusedRequests.server.value
        let path = TestBrowser.authorizationPath(
            TestFlow.request("native1", [("state", ""), ("prompt", "none")])
        )
        let reply = try await server.send(.get, path + "&state=%0d%0aSet-Cookie:%20x=1")
        #expect(reply.location?.contains("state=%0D%0ASet-Cookie%3A%20x%3D1&") == true)
        #expect(reply.headers[values: .setCookie].isEmpty)
        #expect(reply.redirected["state"] == "\r\nSet-Cookie: x=1")
    }

    @Test(
        "RFC 6749 §4.1.2, WEB-REDIR-3: state comes back byte for byte",
        arguments: [
            "a b+c", "&code=evil#", "\u{FC}\u{1F600}", "e\u{301}", "\"<>'\\", "%41%zz", "=&=", " ",
        ]
    )
    func stateUnchanged(_ state: String) async throws {
        let server = try await RefusedRequests.server.value
        let reply = try await server.send(
            .get,
            TestBrowser.authorizationPath(
                TestFlow.request("native1", [("state", state), ("prompt", "none")])
            )
        )
        #expect(reply.status == 303)
        let location = try #require(reply.location)
        #expect(location.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x23 })
        #expect(reply.redirected["state"]?.utf8.elementsEqual(state.utf8) == true)
        #expect(reply.redirected["code"] == nil)
    }

    @Test("attack B17: a state of 8 kB is invalid_request, one of 100 kB is never read")
    func longState() async throws {
        let server = try await RefusedRequests.server.value
        try await expectRefused(
            [("state", String(repeating: "s", count: 8192))],
            as: "invalid_request",
            state: nil
        )
        let request = TestFlow.request(
            "native1",
            [("state", String(repeating: "s", count: 100_000))]
        )
        expectErrorPage(try await server.post(.endpoint("auth"), request), status: 413)
        #expect(try await server.push(request).status == 413)
        let direct = try await server.send(.get, TestBrowser.authorizationPath(request))
        #expect([303, 400, 414].contains(direct.status))
        #expect((direct.location ?? "").utf8.count < 1000)
    }

    @Test(
        "attack B18, RFC 6749 appendix B: NUL and what is not UTF-8 are refused, never a 500",
        arguments: ["%00", "%ff", "%ED%A0%80", "%C0%AF", "%F4%90%80%80", "%", "%4", "%zz"]
    )
    func badCharacters(_ state: String) async throws {
        let server = try await RefusedRequests.server.value
        let request = TestFlow.request("native1", [("state", "")])
        let path = TestBrowser.authorizationPath(request)
        expectErrorPage(try await server.send(.get, path + "&state=" + state))
        let body = FormEncoding.encode(request.map { (name: $0.0, value: $0.1) })
        for endpoint in ["auth", "ext/par/request"] {
            let reply = try await server.send(
                .post,
                .endpoint(endpoint),
                headers: [.contentType: "application/x-www-form-urlencoded"],
                body: body + Array("&state=\(state)".utf8)
            )
            #expect(reply.status == 400)
            #expect(reply.location == nil)
        }
        #expect(try await server.remains() == Remains())
    }

    @Test(
        "RFC 6749 §3.1: a POST with another content type is refused",
        arguments: ["application/json", "text/plain", "multipart/form-data; boundary=x", ""]
    )
    func contentType(_ type: String) async throws {
        let server = try await RefusedRequests.server.value
        let form = FormEncoding.encode(TestFlow.request().map { (name: $0.0, value: $0.1) })
        let reply = try await server.send(
            .post,
            .endpoint("auth"),
            headers: type.isEmpty ? [:] : [.contentType: type],
            body: form
        )
        expectErrorPage(reply)
    }

    @Test("RFC 6749 §3.3: without scope it is the client's default scopes, and no ID Token")
    func missingScope() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].defaultScopes = ["roles", "phone"]
            realm.clients[client: "native1"].optionalScopes = []
        }
        let tokens = try await server.tokens("alice", "native1", scope: "")
        #expect(tokens.status == 200)
        #expect(tokens.json.string("scope") == "roles phone")
        #expect(tokens.json["id_token"] == nil)
    }

    @Test("OpenID Connect Core §15.1: all that every provider must take, in one request")
    func mandatory() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "native1"].idTokenAlgorithm = .rs256
        }
        let reply = try await server.tokens(
            "alice",
            "native1",
            [
                ("display", "wap foo"), ("ui_locales", "tlh de-AT"), ("claims_locales", "tlh de"),
                ("prompt", "login"), ("max_age", "600"), ("acr_values", "gold 1"),
                ("login_hint", "alice"),
            ]
        )
        #expect(reply.status == 200)
        let token = try reply.idToken
        #expect(try JWT(parsing: token).header.algorithm == .rs256)
        let claims = try ProviderUnderTest.claims(token)
        #expect(claims.int64("auth_time") == server.clock.seconds)
        #expect(claims.string("acr") == "1")
        #expect(claims.string("nonce") == "n-1")
    }

    @Test("OpenID Connect Core §3.1.2.1: display, ui_locales and claims_locales never fail")
    func locales() async throws {
        let server = try await RefusedRequests.server.value
        for (locales, language) in [
            ("tlh de-AT en", "de"), ("fr en-GB de", "en"), ("xx", "en"), ("\u{FC} \" de", "de"),
        ] {
            let request = TestFlow.request(
                "native1",
                [("ui_locales", locales), ("display", "foo"), ("claims_locales", locales)]
            )
            let page = try await server.send(.get, TestBrowser.authorizationPath(request))
            expectPage(page, "authenticate")
            #expect(page.text.contains("<html lang=\"\(language)\""))
        }
    }

    @Test("OpenID Connect Core §3.1.2.1: login_hint fills the field, escaped, and proves nothing")
    func loginHint() async throws {
        let server = try await RefusedRequests.server.value
        for hint in ["alice", "\"><script>alert(1)</script>", "a' onfocus=alert(1) b='"] {
            let request = TestFlow.request("native1", [("login_hint", hint)])
            let page = try await server.send(.get, TestBrowser.authorizationPath(request))
            expectPage(page, "authenticate")
            #expect(!page.text.contains("<script>alert"))
            #expect(!page.text.contains("value=\"\""))
            let shown = page.text.firstMatch(of: /name="username" value="([^"]*)"/)
            #expect(shown.map { String($0.1) }?.contains("<") == false)
        }
        #expect(try await server.remains() == Remains())
    }
}
