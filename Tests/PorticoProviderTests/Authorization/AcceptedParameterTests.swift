import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Parameters of the authorization request that are taken") struct AcceptedParameterTests {
    @Test("RFC 6749 §3.1, OpenID Connect Core §3.1.2.1: POST is as good as GET")
    func post() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.post(.endpoint("auth"), TestFlow.request())
        expectPage(page, "authenticate")
        let answer = try await browser.submit(page, TestRealm.login())
        let code = expectCode(answer)
        #expect(try await server.redeem(code).status == 200)
        let again = try await browser.post(.endpoint("auth"), TestFlow.request())
        expectCode(again)
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
