import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("offline_access (OpenID Connect Core §11)") struct OfflineAccessTests {
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
