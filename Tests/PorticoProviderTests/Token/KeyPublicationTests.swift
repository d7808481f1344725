import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Keys as others see them") struct KeyPublicationTests {
    private func published(_ server: ProviderUnderTest) async throws -> Set<String> {
        let reply = try await server.send(.get, .endpoint("certs"))
        let keys = try #require(reply.json.array("keys")).compactMap(\.object)
        return Set(keys.compactMap { $0.string("kid") })
    }

    private func keyID(_ tokens: Reply) throws -> String {
        let token = try tokens.idToken
        return try #require(try JWT(parsing: token).header.keyID)
    }

    @Test("JOSE-X-1, OpenID Connect Core §10.1.1: a key is published from before it signs to its end")
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
