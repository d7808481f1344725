import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Refresh tokens") struct RefreshTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    @Test("RFC 9700 §4.14.2: every refresh rotates")
    func rotation() async throws {
        let first = try await server.tokens().refreshToken
        let second = try await server.refresh(first).refreshToken
        #expect(first != second)
        let third = try await server.refresh(second)
        #expect(third.status == 200)
        #expect(third.json.string("id_token") != nil)
    }

    @Test(
        "attack C17: a token two generations old ends the family",
        arguments: ["k1", "k2", "k3"]
    )
    func oldReplay(key: String) async throws {
        let r1 = try await server.tokens().refreshToken
        let r3 = try await server.refresh(server.refresh(r1, key: "k1").refreshToken, key: "k2")
        #expect(try await server.refresh(r1, key: key).error == "invalid_grant")
        #expect(try await server.refresh(try r3.refreshToken, key: "k4").error == "invalid_grant")
        #expect(try await server.userInfo(r3.accessToken).status == 401)
    }

    @Test("attack C17, decision 0035: who lost the answer gets the same successor at any time")
    func idempotency() async throws {
        let r1 = try await server.tokens().refreshToken
        let r2 = try await server.refresh(r1, key: "k1").refreshToken
        server.clock.advance(by: 1500)
        #expect(try await server.refresh(r1, key: "k1").refreshToken == r2)
        #expect(try await server.refresh(r2, key: "k2").status == 200)
        #expect(try await server.refresh(r1, key: "k1").error == "invalid_grant")
    }

    @Test("decision 0035: without the same key the reuse ends the family", arguments: ["k2", nil])
    func otherKey(key: String?) async throws {
        let r1 = try await server.tokens().refreshToken
        let r2 = try await server.refresh(r1, key: "k1").refreshToken
        #expect(try await server.refresh(r1, key: key).error == "invalid_grant")
        #expect(try await server.refresh(r2, key: "k3").error == "invalid_grant")
    }

    @Test("attack C17, decision 0035: clients without a key have a grace of 60 seconds")
    func grace() async throws {
        let r1 = try await server.tokens().refreshToken
        let r2 = try await server.refresh(r1).refreshToken
        server.clock.advance(by: 59)
        #expect(try await server.refresh(r1).refreshToken == r2)
        server.clock.advance(by: 2)
        #expect(try await server.refresh(r1).error == "invalid_grant")
        #expect(try await server.refresh(r2).error == "invalid_grant")
    }

    @Test("decision 0035: a key does not join the grace of a rotation without one")
    func graceIsForThoseWithoutKey() async throws {
        let r1 = try await server.tokens().refreshToken
        _ = try await server.refresh(r1)
        #expect(try await server.refresh(r1, key: "thief").error == "invalid_grant")
    }

    @Test("attack C18: many uses at once with one key all get the same successor")
    func raceWithOneKey() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        var token = try await server.tokens().refreshToken
        for round in 1...20 {
            let presented = token
            let replies = try await atOnce(1...10) { _ in
                try await server.refresh(presented, key: "round \(round)")
            }
            #expect(replies.allSatisfy { $0.status == 200 })
            let successors = Set(replies.compactMap { $0.json.string("refresh_token") })
            #expect(successors.count == 1)
            token = successors.first ?? ""
        }
    }

    @Test("attack C18: with different keys there are never two live branches")
    func raceWithManyKeys() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        for _ in 1...20 {
            let token = try await server.tokens().refreshToken
            let replies = try await atOnce(1...8) { key in
                try await server.refresh(token, key: "key \(key)")
            }
            let successors = Set(replies.compactMap { $0.json.string("refresh_token") })
            #expect(successors.count <= 1)
            #expect(replies.contains { $0.error == "invalid_grant" })
            for successor in successors {
                #expect(try await server.refresh(successor, key: "later").error == "invalid_grant")
            }
        }
    }

    @Test("attack C19, RFC 6749 §6: bound to its client; another's try changes nothing")
    func foreignClient() async throws {
        let token = try await server.tokens().refreshToken
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        #expect(try await server.token(form, basic: TestRealm.web1).error == "invalid_grant")
        #expect(try await server.refresh(token).status == 200)
    }

    @Test("RFC 6749 §6: confidential clients authenticate on refresh")
    func authentication() async throws {
        let token = try await server.tokens("alice", "web1").refreshToken
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        #expect(try await server.token(form + [("client_id", "web1")]).status == 401)
        #expect(try await server.token(form, basic: TestRealm.web1).status == 200)
    }

    @Test("RFC 6749 §6: narrower scope is given, wider is refused, and the grant keeps its own")
    func scope() async throws {
        let r1 = try await server.tokens().refreshToken
        let narrow = try await server.refresh(r1, key: "1", [("scope", "openid")])
        #expect(narrow.json.string("scope") == "openid")
        let r2 = try narrow.refreshToken
        let wide = try await server.refresh(r2, key: "2", [("scope", "openid phone")])
        #expect(wide.error == "invalid_scope")
        let all = try await server.refresh(r2, key: "3")
        #expect(all.json.string("scope") == "openid profile email roles")
    }

    @Test("RFC 9700 §4.14.2: a wide scope does not hide that an old token is used again")
    func replayWithWideScope() async throws {
        let r1 = try await server.tokens().refreshToken
        let r2 = try await server.refresh(r1, key: "k1").refreshToken
        let replay = try await server.refresh(r1, key: "k2", [("scope", "openid phone")])
        #expect(replay.error == "invalid_grant")
        #expect(try await server.refresh(r2, key: "k3").error == "invalid_grant")
    }

    @Test("RFC 9700 §4.14.2: offline refresh tokens expire by their own inactivity")
    func offlineIdle() async throws {
        let server = try await ProviderUnderTest { $0.realm.lifetimes.offlineIdle = 100_000 }
        let scope = "openid offline_access"
        var token = try await server.tokens("alice", "native1", scope: scope).refreshToken
        server.clock.advance(by: 99_999)
        token = try await server.refresh(token, key: "k1").refreshToken
        server.clock.advance(by: 100_001)
        #expect(try await server.refresh(token, key: "k2").error == "invalid_grant")
    }

    @Test("RFC 9700 §4.14.2: refresh tokens expire by inactivity")
    func idle() async throws {
        let token = try await server.tokens().refreshToken
        let next = try await server.refresh(token, key: "k1").refreshToken
        server.clock.advance(by: 1801)
        #expect(try await server.refresh(next, key: "k2").error == "invalid_grant")
        // Nor is an answer that was lost given once more.
        #expect(try await server.refresh(token, key: "k1").error == "invalid_grant")
    }

    @Test(
        "RFC 6749 §5.2, §6: a client that may not refresh is unauthorized, a disabled one unknown"
    )
    func withdrawn() async throws {
        let token = try await server.tokens().refreshToken
        try await server.change("native1") { $0.grantTypes.remove(.refreshToken) }
        #expect(try await server.refresh(token).error == "unauthorized_client")
        try await server.change("native1") {
            $0.grantTypes.insert(.refreshToken)
            $0.isEnabled = false
        }
        #expect(try await server.refresh(token).error == "invalid_client")
        try await server.change("native1") { $0.isEnabled = true }
        #expect(try await server.refresh(token).status == 200, "nothing of it ended the grant")
    }

    @Test("OpenID Connect Core §12.2: the refreshed ID Token is of the same sign-in, without nonce")
    func refreshedIDToken() async throws {
        let tokens = try await server.tokens()
        server.clock.advance(by: 100)
        let again = try await server.refresh(try tokens.refreshToken)
        let old = try JWT(parsing: try tokens.idToken).uncheckedClaims()
        let new = try JWT(parsing: try again.idToken).uncheckedClaims()
        for name in ["iss", "sub", "aud", "azp", "auth_time", "sid"] {
            #expect(old[name] == new[name])
        }
        #expect(old.string("nonce") == "n-1")
        #expect(new["nonce"] == nil)
        #expect(new.int64("iat") == server.clock.seconds)
        let access = try again.accessToken
        #expect(new.string("at_hash") == SignatureAlgorithm.es256.leftHalfHash(of: access))
    }

    @Test("decision 0018, RFC 9700 §4.14.2: signing out ends refresh tokens, but not offline ones")
    func signOut() async throws {
        let browser = TestBrowser(server)
        let tokens = try await server.tokens(browser: browser)
        let code = try await browser.authorize(
            TestFlow.request("native1", scope: "openid offline_access")
        ).redirected["code"]
        let offline = try await server.redeem(code ?? "")
        _ = try await browser.get(ProviderUnderTest.path("logout?id_token_hint=" + tokens.idToken))
        #expect(try await server.refresh(try tokens.refreshToken).error == "invalid_grant")
        #expect(try await server.refresh(try offline.refreshToken).status == 200)
    }

    @Test("decision 0035: an altered refresh token is no one's, and changes nothing")
    func altered() async throws {
        let token = try await server.tokens().refreshToken
        for index in stride(from: 0, to: 76, by: 5) {
            var text = Array(token)
            text[index] = text[index] == "A" ? "B" : "A"
            #expect(try await server.refresh(String(text)).error == "invalid_grant")
        }
        #expect(try await server.refresh(token).status == 200)
    }

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
