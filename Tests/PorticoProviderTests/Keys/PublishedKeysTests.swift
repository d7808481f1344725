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

    private func logout(_ server: ProviderUnderTest, _ hint: String) async throws -> Reply {
        try await server.send(
            .get,
            FormEncoding.appending(
                [(name: "id_token_hint", value: hint)],
                to: String.endpoint("logout")
            ),
            headers: [.accept: "text/html"]
        )
    }

    @Test("a retired key leaves the key set in the second in which its last token has expired")
    func leaves() async throws {
        let server = try await ProviderUnderTest()
        let before = try await keyIDs(server)
        let outcome = try await rotate(server, .whenPublished)
        let former = try #require(outcome.changing.first)
        let retiredFrom = try #require(former.retiredFrom)
        #expect(try await keyIDs(server) == before.union([outcome.keyID]))

        // The last token that the former key signs.
        server.clock.advance(by: Double(outcome.activeFrom - 1 - server.clock.seconds))
        let last = try await server.tokens()
        let access = try last.accessToken
        let expires = try #require(ProviderUnderTest.claims(access).int64("exp"))
        #expect(expires < retiredFrom)
        server.clock.advance(by: Double(expires - 1 - server.clock.seconds))
        #expect(try await server.userInfo(access).status == 200)
        server.clock.advance(by: Double(retiredFrom - 1 - server.clock.seconds))
        #expect(try await keyIDs(server) == before.union([outcome.keyID]))

        server.clock.advance(by: 1)
        let after = before.subtracting([former.keyID]).union([outcome.keyID])
        #expect(try await keyIDs(server) == after)
        #expect(try await algorithms(server)?.contains("ES256") == true)
        // The row is still there: time alone has done it.
        let kept = try await server.database.realms.snapshot().keys
        #expect(kept.contains { $0.keyID == former.keyID })
    }

    @Test("what a retired key has signed is no hint and no token any more")
    func verifiesNothing() async throws {
        let server = try await ProviderUnderTest()
        let hint = try await server.tokens().idToken
        let outcome = try await rotate(server, .now)
        let retiredFrom = try #require(outcome.changing.first?.retiredFrom)
        server.clock.advance(by: Double(retiredFrom - 1 - server.clock.seconds))
        #expect(try await logout(server, hint).status == 200)
        server.clock.advance(by: 1)
        expectErrorPage(try await logout(server, hint))
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
}
