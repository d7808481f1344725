import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("For whom: id_token_hint and claims") struct NamedPersonTests {
    private func request(_ changes: (String, String)...) -> [(String, String)] {
        TestFlow.request("native1", changes)
    }

    @Test("attack B23: bob's hint while alice is signed in: login_required, or a page for bob")
    func otherPerson() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let hint = try await server.tokens("bob").idToken
        let silent = request(("id_token_hint", hint), ("prompt", "none"))
        expectError(try await browser.authorize(silent), "login_required")
        let choice = try await browser.authorize(request(("id_token_hint", hint)))
        // To go on as alice would be no answer.
        expectPage(choice, "select-account")
        #expect(!choice.text.contains("value=\"continue\""))
        let page = try await browser.submit(choice, [("action", "switch")])
        expectPage(page, "authenticate")
        let alice = try await browser.submit(page, TestRealm.login())
        #expect(alice.redirected["error"] == "login_required")
        #expect(alice.redirected["code"] == nil)
    }

    @Test("OpenID Connect Core §3.1.2.1: an expired hint of the person who is signed in is good")
    func expiredHint() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        server.clock.advance(by: 1000)
        let hint = try tokens.idToken
        let silent = request(("id_token_hint", hint), ("prompt", "none"))
        expectCode(try await browser.authorize(silent))
    }

    @Test("attack B23, OpenID Connect Core §3.1.2.1: a forged hint is invalid_request")
    func forgedHint() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let token = try await server.tokens().idToken
        for forged in try HintForge(token).all {
            for prompt in ["none", ""] {
                let request = request(("id_token_hint", forged), ("prompt", prompt))
                expectError(try await browser.authorize(request), "invalid_request")
            }
        }
        let access = try await server.tokens().accessToken
        let request = request(("id_token_hint", access), ("prompt", "none"))
        expectError(try await browser.authorize(request), "invalid_request")
    }

    @Test("OpenID Connect Core §3.1.2.2, §5.5: sub asked for by value is answered for no one else")
    func subject() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let tokens = try await server.tokens("bob")
        let bob = try #require(try tokens.claims.string("sub"))
        for claims in [
            #"{"id_token":{"sub":{"value":"\#(bob)"}}}"#,
            #"{"id_token":{"sub":{"values":["\#(bob)"]}}}"#,
            #"{"id_token":{"sub":{"essential":true,"value":"nobody"}}}"#,
            #"{"id_token":{"sub":{"value":42}}}"#,
        ] {
            let silent = request(("claims", claims), ("prompt", "none"))
            expectError(try await browser.authorize(silent), "login_required")
            expectPage(try await browser.authorize(request(("claims", claims))), "select-account")
        }
        let alice =
            try ProviderUnderTest.claims(
                try await server.tokens().json.string("id_token")
            ).string("sub") ?? ""
        for claims in [
            #"{"id_token":{"sub":{"value":"\#(alice)"}}}"#,
            #"{"id_token":{"sub":{"values":["\#(bob)","\#(alice)"]}}}"#,
            #"{"id_token":{"sub":null}}"#,
        ] {
            expectCode(try await browser.authorize(request(("claims", claims))))
        }
    }

    @Test("OpenID Connect Core §5.5: single claims come in the ID Token and at UserInfo")
    func singleClaims() async throws {
        let server = try await ProviderUnderTest()
        let claims = """
            {"id_token":{"email":{"essential":true},"shoe_size":{"essential":true},\
            "acr":{"essential":true,"values":["gold","1"]}},"userinfo":{"given_name":null,\
            "birthdate":null},"other":{"x":1}}
            """
        let tokens = try await server.tokens(scope: "openid", [("claims", claims)])
        let token = try tokens.claims
        #expect(token.string("email") == "alice@example.com")
        #expect(token.string("acr") == "1")
        #expect(token["shoe_size"] == nil)
        #expect(token["given_name"] == nil)
        let info = try await server.userInfo(try tokens.accessToken).json
        #expect(info.string("given_name") == "Alice")
        #expect(info["birthdate"] == nil)
        #expect(info["email"] == nil)
    }

    @Test("OpenID Connect Core §3.1.2.1: scope without openid is OAuth without an ID Token")
    func withoutOpenID() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens(scope: "profile")
        #expect(tokens.status == 200)
        #expect(tokens.json["id_token"] == nil)
    }

    @Test("OpenID Connect Core §3.1.2.1: scopes that no one knows are left out")
    func unknownScope() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens(scope: "openid foo admin email")
        let scope = try Scope(try #require(tokens.json.string("scope")))
        #expect(scope.contains("openid"))
        #expect(scope.contains("email"))
        #expect(!scope.contains("foo"))
        #expect(!scope.contains("admin"))
    }
}
