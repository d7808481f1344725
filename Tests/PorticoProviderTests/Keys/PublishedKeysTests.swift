import Foundation
import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Which keys are published (OpenID Connect Core §10.1.1)") struct PublishedKeysTests {
    private func keyIDs(_ server: ProviderUnderTest) async throws -> Set<String> {
        let reply = try await server.send(.get, .endpoint("certs"))
        let keys = try #require(reply.json.array("keys"))
        return Set(keys.compactMap { $0.object?.string("kid") })
    }

    private func algorithms(_ server: ProviderUnderTest) async throws -> [String]? {
        let path = "/realms/test/.well-known/openid-configuration"
        return try await server.send(.get, path).json.strings(
            "id_token_signing_alg_values_supported"
        )
    }

    private func rotate(
        _ server: ProviderUnderTest,
        _ start: KeyRotation.Start
    ) async throws -> KeyRotation.Outcome {
        let snapshot = try await server.database.realms.snapshot()
        let realm = try #require(snapshot.realms.first)
        let rotation = KeyRotation(
            maker: SigningKeyMaker(ring: server.ring),
            realm: realm,
            clients: snapshot.clients
        )
        let outcome = try rotation(
            .es256,
            of: snapshot.keys,
            start: start,
            overlap: 0,
            at: Moment(now: server.clock.now, random: .system)
        )
        try await server.database.realms.rotate(adding: outcome.adding, changing: outcome.changing)
        try await server.provider.realms.refresh()
        return outcome
    }

    @Test("what a retired key has signed is no hint and no token any more")
    func verifiesNothing() async throws {
        let server = try await ProviderUnderTest()
        let hint = try await server.tokens().idToken
        let outcome = try await rotate(server, .now)
        let retiredFrom = try #require(outcome.changing.first?.retiredFrom)
        server.clock.advance(by: Double(retiredFrom - 1 - server.clock.seconds))
        #expect(try await TestBrowser(server).logout(hint: hint).status == 200)
        server.clock.advance(by: 1)
        expectErrorPage(try await TestBrowser(server).logout(hint: hint))
    }

    @Test("an algorithm without a published key is not announced")
    func announced() async throws {
        let server = try await ProviderUnderTest()
        #expect(try await algorithms(server) == ["ES256", "RS256"])
        var keys = try await server.database.realms.snapshot().keys
        let index = try #require(keys.firstIndex { $0.algorithm == .rs256 })
        keys[index].retiredFrom = server.clock.seconds + 10
        try await server.database.realms.rotate(adding: [], changing: [keys[index]])
        try await server.provider.realms.refresh()
        server.clock.advance(by: 9)
        #expect(try await algorithms(server) == ["ES256", "RS256"])
        server.clock.advance(by: 1)
        #expect(try await algorithms(server) == ["ES256"])
    }

    private func published(_ server: ProviderUnderTest) async throws -> Set<String> {
        let reply = try await server.send(.get, .endpoint("certs"))
        let keys = try #require(reply.json.array("keys")).compactMap(\.object)
        return Set(keys.compactMap { $0.string("kid") })
    }

    private func keyID(_ tokens: Reply) throws -> String {
        try #require(try JWT(parsing: tokens.idToken).header.keyID)
    }

    @Test(
        "JOSE-X-1, OpenID Connect Core §10.1.1: a key is published from before it signs to its end"
    )
    func rotation() async throws {
        let server = try await ProviderUnderTest()
        let realms = server.database.realms
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let old = try keyID(try await server.tokens())
        let rotation = try KeyRotation(
            maker: SigningKeyMaker(ring: server.ring),
            realm: realm.realm,
            clients: try await realms.snapshot().clients
        )(
            .es256,
            of: try await realms.snapshot().keys,
            at: Moment(now: server.clock.now, random: .system)
        )
        try await realms.rotate(adding: rotation.adding, changing: rotation.changing)
        try await server.provider.realms.refresh()
        let new = rotation.keyID
        #expect(try await published(server).isSuperset(of: [old, new]), "at once")
        server.clock.advance(by: Double(rotation.activeFrom - server.clock.seconds) - 1)
        let last = try await server.tokens()
        #expect(try keyID(last) == old, "a second before")
        server.clock.advance(by: 1)
        #expect(try keyID(try await server.tokens()) == new)
        #expect(try await published(server).isSuperset(of: [old, new]))
        #expect(try await server.userInfo(try last.accessToken).status == 200)
        // Time alone does it, whether its row has been cleared away or not.
        let retired = try #require(rotation.changing.first?.retiredFrom)
        server.clock.advance(by: Double(retired - server.clock.seconds) - 1)
        #expect(try await published(server).contains(old), "to its last second")
        server.clock.advance(by: 1)
        #expect(try await !published(server).contains(old))
        try await realms.removeKeys(retiredBefore: server.clock.seconds + 1)
        try await server.provider.realms.refresh()
        let left = try await published(server)
        #expect(left.contains(new) && !left.contains(old))
        #expect(try keyID(try await server.tokens()) == new)
    }
}
