import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("A whole code flow") struct CodeFlowTests {
    @Test("RFC 6749 §4.1: a person signs in, the code comes back, tokens and claims follow")
    func wholeFlow() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        #expect(page.status == 200)
        let answer = try await browser.submit(page, TestRealm.login())
        #expect(answer.status == 303)
        #expect(answer.redirected["state"] == "s-1")
        #expect(answer.redirected["iss"] == TestRealm.issuer)
        let code = try #require(answer.redirected["code"])
        let tokens = try await server.redeem(code)
        #expect(tokens.status == 200)
        #expect(tokens.json.string("token_type") == "Bearer")
        #expect(tokens.json.string("id_token") != nil)
        #expect(tokens.json.string("refresh_token") != nil)
        let info = try await server.userInfo(try tokens.accessToken)
        #expect(info.status == 200)
        #expect(info.json.string("name") == "Alice Example")
        #expect(info.json.object("realm_access")?.strings("roles") == ["editor"])
        let second = try await browser.authorize(TestFlow.request())
        #expect(second.status == 303, "RFC 8252 §4.1: single sign-on")
    }
}
