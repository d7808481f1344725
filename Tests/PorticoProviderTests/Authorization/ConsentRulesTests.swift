import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Whether a person must be asked") struct ConsentRulesTests {
    private func client(_ uri: String) -> Client {
        var client = Client.app("native1", "Native", id: "uuid", realmID: "realm")
        client.redirectURIs = [RedirectURI(uri)]
        return client
    }

    private func rules(_ client: Client, _ scope: String) throws -> ConsentRules {
        let form = TestFlow.request().map { (name: $0.0, value: $0.1) }
        let live = LiveClient(client, mappers: [], limits: [], serverOrigin: "")
        return ConsentRules(
            client: client,
            redirect: try #require(PermittedRedirect(client.redirectURIs[0], of: live)),
            request: try AuthorizationRequest(FormParameters(form)),
            scope: try Scope(scope),
            isRemembered: true
        )
    }

    @Test(
        "RFC 8252 §8.6: what was allowed before counts on a claimed https redirect only",
        arguments: [
            ("https://app.example.com/cb", false), ("com.example.app:/cb", true),
            ("http://127.0.0.1:4711/cb", true), ("http://[::1]/cb", true),
        ]
    )
    func earlier(uri: String, isNeeded: Bool) throws {
        var client = client(uri)
        client.requiresConsent = true
        let rules = try rules(client, "openid profile")
        #expect(
            rules.isNeeded(earlier: Consent(scope: try Scope("openid profile email"))) == isNeeded
        )
        #expect(rules.dependsOnEarlier == !isNeeded)
        #expect(rules.isNeeded(earlier: Consent(scope: try Scope("openid"))))
        #expect(rules.isNeeded(earlier: nil))
    }

    @Test(
        "attack: any program names a public client that people administer by",
        arguments: [
            ("https://app.example.com/cb", false), ("com.example.app:/cb", true),
            ("http://127.0.0.1:4711/cb", true),
        ]
    )
    func administers(uri: String, isNeeded: Bool) throws {
        var client = client(uri)
        func isAsked(_ client: Client) throws -> Bool {
            try rules(client, "openid")
                .isNeeded(earlier: Consent(scope: try Scope("openid profile")))
        }
        #expect(try !isAsked(client))
        client.administers = true
        #expect(try isAsked(client) == isNeeded)
        // The code is worth nothing without its secret.
        client.type = .confidential
        #expect(try !isAsked(client))
    }

    @Test("OpenID Connect Core §11, §5.4: offline_access only for clients that may have it")
    func offlineAccess() async throws {
        let server = try await ProviderUnderTest()
        let refused = try await server.tokens("alice", "plain", scope: "openid offline_access")
        #expect(refused.status == 200)
        #expect(refused.json["refresh_token"] == nil)
        #expect(refused.json.string("scope")?.contains("offline_access") == false)
        let granted = try await server.tokens("alice", "native1", scope: "openid offline_access")
        #expect(granted.json.string("scope")?.contains("offline_access") == true)
        #expect(granted.json.string("refresh_token") != nil)
    }

    @Test("OpenID Connect Core §11, §17.4: a third party gets offline_access once it was named")
    func offlineConsent() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.signIn(
            "alice",
            TestFlow.request("third", scope: "openid email")
        )
        expectCode(try await browser.submit(page, [("action", "allow")]), of: "third")
        let request = TestFlow.request("third", scope: "openid email offline_access")
        let silent = TestFlow.change(request, [("prompt", "none")])
        expectError(try await browser.authorize(silent), "consent_required", of: "third")
        let more = try await browser.authorize(request)
        expectPage(more, "consent")
        let words = "Keep this access while you’re not using it"
        #expect(more.text.contains(words))
        #expect(!page.text.contains(words))
        let code = expectCode(try await browser.submit(more, [("action", "allow")]), of: "third")
        let tokens = try await server.redeem(code, "third")
        #expect(tokens.json.string("scope")?.contains("offline_access") == true)
    }
}
