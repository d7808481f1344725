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
        try await set(server.clock.seconds, server)
    }

    private func set(_ notBefore: Int64, _ server: ProviderUnderTest) async throws {
        var realm = try #require(server.provider.realms.realm(named: "test")?.realm)
        realm.notBefore = notBefore
        #expect(try await server.database.realms.update(realm) == .changed)
        try await server.provider.realms.refresh()
    }

    private func isActive(_ token: String, _ server: ProviderUnderTest) async throws -> Bool? {
        let reply = try await server.introspect(token)
        return reply.json.bool("active")
    }

    @Test("a session of before is none, in any browser, and no list names it")
    func sessions() async throws {
        let server = try await ProviderUnderTest()
        let before = TestBrowser(server)
        _ = try await server.tokens(browser: before)
        #expect(try await before.get(Self.devices).text.contains("This device"))
        try await endAll(server)
        #expect(!(try await before.get(Self.devices).text.contains("This device")))
        let silent = TestFlow.request("native1", [("prompt", "none")])
        #expect(try await before.authorize(silent).redirected["error"] == "login_required")
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
        try await set(0, server)
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
            #expect(try await isActive(access, server) == isGood)
            #expect(try await isActive(refresh, server) == isGood)
        }
        let refresh = try #require(native.string("refresh_token"))
        #expect(try await server.refresh(refresh).error == "invalid_grant")
        let fresh = try await server.tokens().refreshToken
        #expect(try await server.refresh(fresh).status == 200)
    }
}
