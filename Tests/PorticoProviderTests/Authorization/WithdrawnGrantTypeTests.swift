import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A client from which the code grant was withdrawn (RFC 6749 §4.1.2.1, §5.2)")
struct WithdrawnGrantTypeTests {
    private static func withdraw(_ server: ProviderUnderTest) async throws {
        try await server.change("native1") { $0.grantTypes.remove(.authorizationCode) }
    }

    private func expectRefusal(_ reply: Reply, _ what: String) {
        #expect(reply.redirected["error"] == "unauthorized_client", "\(what)")
        #expect(reply.redirected["state"] == "s-1", "\(what)")
        #expect(reply.redirected["code"] == nil, "\(what)")
    }

    @Test("begins no sign-in, not even over a live session, and pushes no request")
    func begins() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        _ = try await server.tokens(browser: browser)
        try await Self.withdraw(server)
        let before = try await server.remains()
        expectRefusal(try await browser.authorize(TestFlow.request()), "a live session")
        expectRefusal(
            try await browser.authorize(TestFlow.request("native1", [("prompt", "none")])),
            "without a page"
        )
        expectRefusal(try await TestBrowser(server).authorize(TestFlow.request()), "a stranger")
        let pushed = try await server.push(TestFlow.request())
        #expect(pushed.status == 400 && pushed.error == "unauthorized_client")
        #expect(try await server.remains() == before)
        // Other clients go on over the same session.
        #expect(try await browser.authorize(TestFlow.request("plain")).redirected["code"] != nil)
    }

    @Test("finishes none that was under way: neither the form nor a pushed request leads to a code")
    func underWay() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        let pushed = try await server.push(TestFlow.request())
        let reference = try pushed.requestURI
        try await Self.withdraw(server)
        let sent = try await browser.submit(page, TestRealm.login())
        expectRefusal(sent, "a form")
        expectRefusal(
            try await browser.authorize([("client_id", "native1"), ("request_uri", reference)]),
            "a pushed request"
        )
    }

    @Test("redeems no code that it was given before; given back in time, the code is still good")
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
