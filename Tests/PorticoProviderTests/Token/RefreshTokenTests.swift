import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("What a refresh token is made of") struct RefreshTokenTests {
    private func grant(_ secret: UInt8, _ keyID: KeyRing.KeyID) throws -> Grant {
        Grant(
            id: try #require(UniqueID(bytes: Array(1...16))),
            realmID: "realm",
            clientID: "client",
            personID: nil,
            sessionID: nil,
            scope: try Scope("openid"),
            isOffline: false,
            authenticatedAt: nil,
            acr: nil,
            amr: [],
            claims: nil,
            createdAt: 0,
            idleSeconds: 1800,
            expiresAt: nil,
            refresh: RefreshState(
                generation: 1,
                secret: Array(repeating: secret, count: 32),
                keyID: keyID.bytes,
                rotatedAt: 0,
                idempotencyKey: nil
            )
        )
    }

    @Test("decision 0035: neither the key ring alone nor the database alone makes a refresh token")
    func bothSecrets() throws {
        let id = KeyRing.KeyID(7)
        let ring = try KeyRing(keys: [(id, Array(repeating: 1, count: 32))], active: id)
        let other = try KeyRing(keys: [(id, Array(repeating: 2, count: 32))], active: id)
        let own = try grant(1, id)
        let token = try #require(RefreshToken(of: own, generation: 1, ring: ring))
        #expect(token.isGenuine(for: own, ring: ring))
        #expect(token.isGenuine(for: try grant(2, id), ring: ring) == false, "another row's secret")
        #expect(token.isGenuine(for: own, ring: other) == false, "another ring's key")
        let second = try #require(RefreshToken(of: own, generation: 2, ring: ring))
        #expect(second.text != token.text)
    }

    @Test("RFC 8725 §3.12: claims of an access token, well signed, under another type are none")
    func otherType() async throws {
        let server = try await ProviderUnderTest()
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let key = try #require(realm.keys.active(.es256, at: server.clock.seconds))
        let access = try await server.tokens().accessToken
        let claims = try JWT(parsing: access).uncheckedClaims()
        let same = try key.sign(claims: claims, type: .accessToken)
        #expect(try await server.userInfo(same).status == 200)
        for type in JWTType.allCases where ![.accessToken, .jwt].contains(type) {
            let other = try key.sign(claims: claims, type: type)
            #expect(try await server.userInfo(other).status == 401, "\(type)")
        }
    }

    @Test("RFC 8725 §3.12: where access tokens are typed JWT, their claim typ tells them apart")
    func plainType() async throws {
        let server = try await ProviderUnderTest { realm in
            for index in realm.clients.indices { realm.clients[index].accessTokenType = .jwt }
        }
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let key = try #require(realm.keys.active(.es256, at: server.clock.seconds))
        let tokens = try await server.tokens("alice", "native1")
        let access = try tokens.accessToken
        #expect(try JWT(parsing: access).header.type == "JWT")
        #expect(try await server.userInfo(access).status == 200)
        #expect(try await server.userInfo(try tokens.idToken).status == 401)
        var claims = try JWT(parsing: access).uncheckedClaims()
        for kind in ["ID", "Refresh", nil] {
            claims["typ"] = kind.map(JSONValue.string)
            let other = try key.sign(claims: claims, type: .jwt)
            #expect(try await server.userInfo(other).status == 401)
        }
    }
}
