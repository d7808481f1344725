import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// What was sealed into a request or a code is judged again by today's register when it is used
/// (docs/decisions/0092).
@Suite("What an operator takes away of a client during a sign-in") struct TakenAwayTests {
    @Test("decision 0092: a code is good for a redirect that is still registered, else is spent")
    func redirect() async throws {
        let server = try await ProviderUnderTest()
        let code = try await server.code()
        let registered = [RedirectURI(TestFlow.redirects["native1"] ?? "")]
        try await server.change("native1") {
            $0.redirectURIs = [RedirectURI("com.example.app:/other")]
        }
        let refused = try await server.redeem(code)
        #expect(refused.status == 400 && refused.error == "invalid_grant")
        #expect(refused.json["access_token"] == nil)
        try await server.change("native1") { $0.redirectURIs = registered }
        #expect(try await server.redeem(code).json.string("error") == "invalid_grant")
    }

    @Test("decision 0092: a code without a challenge is no good once the client must send one")
    func protection() async throws {
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "web1"].codeProtection = .none
        }
        let bare = [("code_challenge", ""), ("code_challenge_method", "")]
        func code() async throws -> String { try await server.code("alice", "web1", bare) }
        let (first, second) = (try await code(), try await code())
        let without = [("code_verifier", "")]
        #expect(try await server.redeem(first, "web1", without).status == 200)
        try await server.change("web1") { $0.codeProtection = .pkce }
        let refused = try await server.redeem(second, "web1", without)
        #expect(refused.status == 400 && refused.error == "invalid_grant")
    }

    /// What can be taken away of a client while its page is open.
    enum Loss: String, CaseIterable {
        case disabled, redirect, grantType
    }

    @Test(
        "decision 0092: a page's form leads nowhere that its client has lost since, and makes no code",
        arguments: Loss.allCases
    )
    func page(_ loss: Loss) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        try await server.change("native1") { client in
            switch loss {
            case .disabled: client.isEnabled = false
            case .redirect: client.redirectURIs = [RedirectURI("com.example.app:/other")]
            case .grantType: client.grantTypes = [.clientCredentials]
            }
        }
        for fields in [TestRealm.login(), [("action", "cancel")]] {
            let reply = try await browser.submit(page, fields)
            #expect(reply.redirected["code"] == nil)
            // It is still the client's address, and it is told.
            if loss == .grantType {
                #expect(reply.redirected["error"] == "unauthorized_client")
            } else {
                #expect(reply.status == 400 && reply.location == nil)
            }
        }
    }

    @Test(
        "decision 0092: what an app may not hand on any more goes on at no page that was open",
        arguments: ["target", "consent", "type"]
    )
    func handedOn(_ taken: String) async throws {
        let scene = try await LoginTokenScene()
        let request = scene.request(try await scene.token(for: "third"), "third")
        let consent = try await scene.browser.get(scene.browser.authorize(request).location ?? "")
        expectPage(consent, "consent")
        try await scene.server.change("native1") { client in
            switch taken {
            case "target": client.loginTokenTargets = []
            case "consent": client.requiresConsent = true
            default: client.grantTypes.remove(.authorizationCode)
            }
        }
        let reply = try await scene.browser.submit(consent, [("action", "allow")])
        #expect(reply.redirected["code"] == nil && reply.location == nil)
    }

    private static func withdraw(_ server: ProviderUnderTest) async throws {
        try await server.change("native1") { $0.grantTypes.remove(.authorizationCode) }
    }

    private func expectRefusal(_ reply: Reply, _ what: String) {
        #expect(reply.redirected["error"] == "unauthorized_client", "\(what)")
        #expect(reply.redirected["state"] == "s-1", "\(what)")
        #expect(reply.redirected["code"] == nil, "\(what)")
    }

    @Test("a client without the code grant begins no sign-in, and pushes no request")
    func begins() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        _ = try await server.tokens(browser: browser)
        try await Self.withdraw(server)
        let before = try await server.remains()
        expectRefusal(try await browser.authorize(TestFlow.request()), "a live session")
        expectRefusal(try await browser.authorize(TestFlow.silent), "without a page")
        expectRefusal(try await TestBrowser(server).authorize(TestFlow.request()), "a stranger")
        let pushed = try await server.push(TestFlow.request())
        #expect(pushed.status == 400 && pushed.error == "unauthorized_client")
        #expect(try await server.remains() == before)
        // Other clients go on over the same session.
        #expect(try await browser.authorize(TestFlow.request("plain")).redirected["code"] != nil)
    }

    @Test("a client without the code grant finishes no sign-in that was under way")
    func underWay() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        let pushed = try await server.push(TestFlow.request())
        let reference = try pushed.requestURI
        try await Self.withdraw(server)
        expectRefusal(try await browser.submit(page, TestRealm.login()), "a form")
        expectRefusal(
            try await browser.authorize([("client_id", "native1"), ("request_uri", reference)]),
            "a pushed request"
        )
    }

    @Test("a client without the code grant redeems no code; given back in time, it is still good")
    func redeems() async throws {
        let server = try await ProviderUnderTest()
        let code = try await server.code()
        try await Self.withdraw(server)
        let before = try await server.remains()
        let reply = try await server.redeem(code)
        #expect(reply.status == 400 && reply.error == "unauthorized_client")
        #expect(try await server.remains() == before)
        try await server.change("native1") { $0.grantTypes.insert(.authorizationCode) }
        #expect(try await server.redeem(code).status == 200)
    }
}
