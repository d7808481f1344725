import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
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

    @Test("OpenID Connect Core §3.1.2.1: scopes that no one knows are left out")
    func unknownScope() async throws {
        let tokens = try await ProviderUnderTest().tokens(scope: "openid foo admin email")
        let scope = try Scope(try #require(tokens.json.string("scope")))
        #expect(scope.contains("openid"))
        #expect(scope.contains("email"))
        #expect(!scope.contains("foo"))
        #expect(!scope.contains("admin"))
    }

    private static let claims = #"{"id_token":{"email":null},"userinfo":{"given_name":null}}"#

    @Test(
        "OpenID Connect Core §3.1.2.4, §5.5: a single claim needs the consent that its scope needs",
        arguments: [
            (#"{"id_token":{"email":null}}"#, "email"),
            (#"{"userinfo":{"email_verified":{"essential":true}}}"#, "email"),
            (#"{"userinfo":{"given_name":null}}"#, "profile"),
            (#"{"id_token":{"phone_number":null}}"#, "phone"),
            (#"{"userinfo":{"address":null}}"#, "address"),
        ]
    )
    func consent(_ claims: String, _ scope: String) async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser()
        let first = try await browser.signIn("alice", TestFlow.request("third", scope: "openid"))
        expectCode(try await browser.submit(first, [("action", "allow")]), of: "third")
        let request = TestFlow.request("third", scope: "openid", [("claims", claims)])
        let silent = TestFlow.change(request, [("prompt", "none")])
        expectError(try await browser.authorize(silent), "consent_required", of: "third")
        let page = try await browser.authorize(request)
        expectPage(page, "consent")
        let named = try await browser.authorize(TestFlow.request("third", scope: "openid \(scope)"))
        expectPage(named, "consent")
        // The page says the same as for the scope.
        #expect(Self.words(page).sorted() == Self.words(named).sorted())
        #expect(Self.words(page).count > Self.words(first).count)
        expectCode(try await browser.submit(page, [("action", "allow")]), of: "third")
        expectCode(try await browser.authorize(silent), of: "third")
    }

    @Test("OpenID Connect Core §3.1.2.4: no one is asked for what the client may not have")
    func notAsked() async throws {
        let server = try await ProviderUnderTest()
        try await server.change("third") { $0.optionalScopes = ["profile"] }
        let browser = TestBrowser(server)
        let first = try await browser.signIn("alice", TestFlow.request("third", scope: "openid"))
        expectCode(try await browser.submit(first, [("action", "allow")]), of: "third")
        let claims = [("claims", #"{"id_token":{"phone_number":null}}"#), ("prompt", "none")]
        let request = TestFlow.request("third", scope: "openid", claims)
        expectCode(try await browser.authorize(request), of: "third")
    }

    /// What the consent page lists.
    private static func words(_ page: Reply) -> [Substring] {
        page.text.split(separator: "<li").dropFirst().map { $0.prefix { $0 != "\n" } }
    }

    @Test("OpenID Connect Core §5.5: a client gets no single claim whose scope it may not ask for")
    func registered() async throws {
        let server = try await ProviderUnderTest()
        try await server.change("native1") { $0.optionalScopes = ["profile"] }
        let tokens = try await server.tokens(scope: "openid", [("claims", Self.claims)])
        let token = try tokens.claims
        #expect(token["email"] == nil)
        #expect(try await server.userInfo(tokens.accessToken).json.string("given_name") == "Alice")
        let both = #"{"id_token":{"given_name":null},"userinfo":{"email":null}}"#
        let others = try await server.tokens(scope: "openid", [("claims", both)])
        #expect(try await server.userInfo(others.accessToken).json["email"] == nil)
        #expect(try others.claims.string("given_name") == "Alice")
    }

    @Test("attack: a single claim goes round the roles of its scope, or comes from another scope")
    func limitedScope() async throws {
        let server = try await ProviderUnderTest { new in
            let editor = RoleName(clientID: nil, name: "editor")
            var staff = ClientScope(
                id: UniqueID(random: .system).text,
                realmID: new.realm.id,
                name: "staff"
            )
            for index in new.scopes.indices {
                let scope = new.scopes[index]
                if scope.name == "email" {
                    new.scopes[index].isLimited = true
                    new.roleLimits.append(RoleLimit(owner: .scope(scope.id), role: editor))
                } else if scope.name == "profile" {
                    staff.mappers = scope.mappers.filter { $0.claim?.root == "given_name" }
                    new.scopes[index].mappers.removeAll(where: staff.mappers.contains)
                }
            }
            #expect(staff.mappers.count == 1)
            new.scopes.append(staff)
        }
        let asked = ("claims", #"{"id_token":{"email":null,"given_name":null,"family_name":null}}"#)
        for (name, address) in [("alice", "alice@example.com"), ("bob", nil)] {
            let tokens = try await server.tokens(name, scope: "openid", [asked])
            let claims = try tokens.claims
            #expect(claims.string("email") == address, "\(name)")
            #expect(claims.string("family_name") == "Example")
            #expect(claims["given_name"] == nil)
        }
    }
}
