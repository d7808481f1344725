import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// A realm's "not before", as Keycloak has it for an emergency: what began earlier is over, and what
/// begins later is not.
@Suite("The realm's not-before") struct NotBeforeTests {
    private static let devices = "/realms/test/account/devices"

    /// From a second after now on.
    private func endAll(_ server: ProviderUnderTest) async throws {
        server.clock.advance(by: 1)
        let now = server.clock.seconds
        try await server.changeRealm { $0.notBefore = now }
    }

    @Test("a session of before is none, in any browser, and no list names it")
    func sessions() async throws {
        let server = try await ProviderUnderTest()
        let before = TestBrowser(server)
        _ = try await server.tokens(browser: before)
        #expect(try await before.get(Self.devices).text.contains("This device"))
        try await endAll(server)
        #expect(!(try await before.get(Self.devices).text.contains("This device")))
        #expect(try await before.authorize(TestFlow.silent).redirected["error"] == "login_required")
        let after = TestBrowser(server)
        _ = try await server.tokens(browser: after)
        let list = try await after.get(Self.devices)
        #expect(list.text.contains("This device"))
        #expect(list.text.contains("not signed in anywhere else"))
    }

    @Test("a code of before brings nothing, then or later; one of afterwards brings tokens")
    func codes() async throws {
        let server = try await ProviderUnderTest()
        let code = try await server.code()
        try await endAll(server)
        #expect(try await server.redeem(code).error == "invalid_grant")
        // Presented once, it is spent, as any code is.
        try await server.changeRealm { $0.notBefore = 0 }
        #expect(try await server.redeem(code).error == "invalid_grant")
        try await endAll(server)
        #expect(try await server.tokens().status == 200)
    }

    @Test("tokens of before are worth nothing; those of afterwards are good")
    func tokens() async throws {
        let server = try await ProviderUnderTest()
        let before = try await server.tokens("alice", "web1").json
        let native = try await server.tokens().json
        try await endAll(server)
        let after = try await server.tokens("alice", "web1").json
        for (tokens, isGood) in [(before, false), (after, true)] {
            let access = try #require(tokens.string("access_token"))
            let refresh = try #require(tokens.string("refresh_token"))
            #expect(try await server.userInfo(access).status == (isGood ? 200 : 401))
            #expect(try await server.introspect(access).json.bool("active") == isGood)
            #expect(try await server.introspect(refresh).json.bool("active") == isGood)
        }
        let refresh = try #require(native.string("refresh_token"))
        #expect(try await server.refresh(refresh).error == "invalid_grant")
        #expect(try await server.refresh(server.tokens().refreshToken).status == 200)
    }
}
