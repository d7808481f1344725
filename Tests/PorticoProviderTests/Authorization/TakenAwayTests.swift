import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// What was sealed into a request or a code is judged again by today's register when it is used
/// (docs/decisions/0092).
@Suite("What an operator takes away of a client during a sign-in") struct TakenAwayTests {
    private func change(
        _ clientID: String = "native1",
        of server: ProviderUnderTest,
        _ change: (inout Client) -> Void
    ) async throws {
        let realm = try #require(server.provider.realms.realm(named: "test"))
        var client = try #require(try await realm.client(clientID: clientID))
        change(&client)
        _ = try await server.database.realms.update(client)
        try await server.provider.realms.refresh()
    }

    @Test("decision 0092: a code is good for a redirect that is still registered, else is spent")
    func redirect() async throws {
        let server = try await ProviderUnderTest()
        let code = try await server.code()
        let registered = [RedirectURI(TestFlow.redirects["native1"] ?? "")]
        try await change(of: server) { $0.redirectURIs = [RedirectURI("com.example.app:/other")] }
        let refused = try await server.redeem(code)
        #expect(refused.status == 400 && refused.error == "invalid_grant")
        #expect(refused.json["access_token"] == nil)
        try await change(of: server) { $0.redirectURIs = registered }
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
        try await change("web1", of: server) { $0.codeProtection = .pkce }
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
        try await change(of: server) { client in
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
        let link = try await scene.browser.authorize(request)
        let consent = try await scene.browser.get(link.location ?? "")
        expectPage(consent, "consent")
        try await change(of: scene.server) { client in
            switch taken {
            case "target": client.loginTokenTargets = []
            case "consent": client.requiresConsent = true
            default: client.grantTypes.remove(.authorizationCode)
            }
        }
        let reply = try await scene.browser.submit(consent, [("action", "allow")])
        #expect(reply.redirected["code"] == nil && reply.location == nil)
    }
}
