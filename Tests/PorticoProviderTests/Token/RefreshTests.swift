import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Refresh tokens") struct RefreshTests {
    private func refreshToken(_ reply: Reply) throws -> String {
        try reply.refreshToken
    }

    @Test("RFC 9700 §4.14.2: every refresh rotates")
    func rotation() async throws {
        let server = try await ProviderUnderTest()
        let first = try refreshToken(try await server.tokens())
        let second = try refreshToken(try await server.refresh(first))
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
        let server = try await ProviderUnderTest()
        let r1 = try refreshToken(try await server.tokens())
        let r2 = try refreshToken(try await server.refresh(r1, key: "k1"))
        let r3 = try await server.refresh(r2, key: "k2")
        let access = try r3.accessToken
        #expect(try await server.refresh(r1, key: key).error == "invalid_grant")
        #expect(try await server.refresh(try refreshToken(r3), key: "k4").error == "invalid_grant")
        #expect(try await server.userInfo(access).status == 401)
    }

    @Test("attack C17, decision 0035: who lost the answer gets the same successor at any time")
    func idempotency() async throws {
        let server = try await ProviderUnderTest()
        let r1 = try refreshToken(try await server.tokens())
        let r2 = try refreshToken(try await server.refresh(r1, key: "k1"))
        server.clock.advance(by: 1500)
        #expect(try refreshToken(try await server.refresh(r1, key: "k1")) == r2)
        #expect(try await server.refresh(r2, key: "k2").status == 200)
        #expect(try await server.refresh(r1, key: "k1").error == "invalid_grant")
    }

    @Test("decision 0035: without the same key the reuse ends the family", arguments: ["k2", nil])
    func otherKey(key: String?) async throws {
        let server = try await ProviderUnderTest()
        let r1 = try refreshToken(try await server.tokens())
        let r2 = try refreshToken(try await server.refresh(r1, key: "k1"))
        #expect(try await server.refresh(r1, key: key).error == "invalid_grant")
        #expect(try await server.refresh(r2, key: "k3").error == "invalid_grant")
    }

    @Test("attack C17, decision 0035: clients without a key have a grace of 60 seconds")
    func grace() async throws {
        let server = try await ProviderUnderTest()
        let r1 = try refreshToken(try await server.tokens())
        let r2 = try refreshToken(try await server.refresh(r1))
        server.clock.advance(by: 59)
        #expect(try refreshToken(try await server.refresh(r1)) == r2)
        server.clock.advance(by: 2)
        #expect(try await server.refresh(r1).error == "invalid_grant")
        #expect(try await server.refresh(r2).error == "invalid_grant")
    }

    @Test("decision 0035: a key does not join the grace of a rotation without one")
    func graceIsForThoseWithoutKey() async throws {
        let server = try await ProviderUnderTest()
        let r1 = try refreshToken(try await server.tokens())
        _ = try await server.refresh(r1)
        #expect(try await server.refresh(r1, key: "thief").error == "invalid_grant")
    }

    @Test("attack C18: many uses at once with one key all get the same successor")
    func raceWithOneKey() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        var token = try refreshToken(try await server.tokens())
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
            let token = try refreshToken(try await server.tokens())
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
        let server = try await ProviderUnderTest()
        let token = try refreshToken(try await server.tokens())
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        let foreign = try await server.token(form, basic: TestRealm.web1)
        #expect(foreign.error == "invalid_grant")
        #expect(try await server.refresh(token).status == 200)
    }

    @Test("RFC 6749 §6: confidential clients authenticate on refresh")
    func authentication() async throws {
        let server = try await ProviderUnderTest()
        let token = try refreshToken(try await server.tokens("alice", "web1"))
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        #expect(try await server.token(form + [("client_id", "web1")]).status == 401)
        #expect(try await server.token(form, basic: TestRealm.web1).status == 200)
    }

    @Test("RFC 6749 §6: narrower scope is given, wider is refused, and the grant keeps its own")
    func scope() async throws {
        let server = try await ProviderUnderTest()
        let r1 = try refreshToken(try await server.tokens())
        let narrow = try await server.refresh(r1, key: "1", [("scope", "openid")])
        #expect(narrow.json.string("scope") == "openid")
        let r2 = try refreshToken(narrow)
        let wide = try await server.refresh(r2, key: "2", [("scope", "openid phone")])
        #expect(wide.error == "invalid_scope")
        let all = try await server.refresh(r2, key: "3")
        #expect(all.json.string("scope") == "openid profile email roles")
    }

    @Test("RFC 9700 §4.14.2: a wide scope does not hide that an old token is used again")
    func replayWithWideScope() async throws {
        let server = try await ProviderUnderTest()
        let r1 = try refreshToken(try await server.tokens())
        let r2 = try refreshToken(try await server.refresh(r1, key: "k1"))
        let replay = try await server.refresh(r1, key: "k2", [("scope", "openid phone")])
        #expect(replay.error == "invalid_grant")
        #expect(try await server.refresh(r2, key: "k3").error == "invalid_grant")
    }

    @Test("RFC 9700 §4.14.2: offline refresh tokens expire by their own inactivity")
    func offlineIdle() async throws {
        let server = try await ProviderUnderTest { $0.realm.lifetimes.offlineIdle = 100_000 }
        let scope = "openid offline_access"
        var token = try refreshToken(try await server.tokens("alice", "native1", scope: scope))
        server.clock.advance(by: 99_999)
        token = try refreshToken(try await server.refresh(token, key: "k1"))
        server.clock.advance(by: 100_001)
        #expect(try await server.refresh(token, key: "k2").error == "invalid_grant")
    }

    @Test("RFC 9700 §4.14.2: refresh tokens expire by inactivity")
    func idle() async throws {
        let server = try await ProviderUnderTest()
        let token = try refreshToken(try await server.tokens())
        let next = try refreshToken(try await server.refresh(token, key: "k1"))
        server.clock.advance(by: 1801)
        #expect(try await server.refresh(next, key: "k2").error == "invalid_grant")
        // Nor is an answer that was lost given once more.
        #expect(try await server.refresh(token, key: "k1").error == "invalid_grant")
    }

    @Test("RFC 6749 §5.2, §6: a client that may not refresh is unauthorized, a disabled one unknown")
    func withdrawn() async throws {
        let server = try await ProviderUnderTest()
        let token = try refreshToken(try await server.tokens())
        var client = try #require(
            try await server.provider.realms.realm(named: "test")?.client(clientID: "native1")
        )
        client.grantTypes.remove(.refreshToken)
        _ = try await server.database.realms.update(client)
        try await server.provider.realms.refresh()
        #expect(try await server.refresh(token).error == "unauthorized_client")
        client.grantTypes.insert(.refreshToken)
        client.isEnabled = false
        _ = try await server.database.realms.update(client)
        try await server.provider.realms.refresh()
        #expect(try await server.refresh(token).error == "invalid_client")
        client.isEnabled = true
        _ = try await server.database.realms.update(client)
        try await server.provider.realms.refresh()
        #expect(try await server.refresh(token).status == 200, "nothing of it ended the grant")
    }

    @Test("OpenID Connect Core §12.2: the refreshed ID Token is of the same sign-in, without nonce")
    func refreshedIDToken() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens()
        server.clock.advance(by: 100)
        let again = try await server.refresh(try refreshToken(tokens))
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
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens(browser: browser)
        let code = try await browser.authorize(
            TestFlow.request("native1", scope: "openid offline_access")
        ).redirected["code"]
        let offline = try await server.redeem(code ?? "")
        let hint = try tokens.idToken
        _ = try await browser.get(ProviderUnderTest.path("logout?id_token_hint=" + hint))
        #expect(try await server.refresh(try refreshToken(tokens)).error == "invalid_grant")
        #expect(try await server.refresh(try refreshToken(offline)).status == 200)
    }

    @Test("WEB-SESS-5: a disabled person's tokens are dead")
    func disabledPerson() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens()
        let realm = try #require(server.provider.realms.realm(named: "test"))
        var person = try #require(
            try await server.database.people.credentials(
                realmID: realm.realm.id,
                login: "alice",
                byEmail: false
            )
        ).person
        person.isEnabled = false
        _ = try await server.database.people.update(person)
        #expect(try await server.refresh(try refreshToken(tokens)).error == "invalid_grant")
        let access = try tokens.accessToken
        #expect(try await server.userInfo(access).status == 401)
    }

    @Test("decision 0035: an altered refresh token is no one's, and changes nothing")
    func altered() async throws {
        let server = try await ProviderUnderTest()
        let token = try refreshToken(try await server.tokens())
        for index in stride(from: 0, to: 76, by: 5) {
            var text = Array(token)
            text[index] = text[index] == "A" ? "B" : "A"
            #expect(try await server.refresh(String(text)).error == "invalid_grant")
        }
        #expect(try await server.refresh(token).status == 200)
    }
}
