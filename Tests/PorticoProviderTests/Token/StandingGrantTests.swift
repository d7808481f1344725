import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// What is taken from a client, seen from those who are signed in to it (docs/decisions/0072).
@Suite("What is left of a grant") struct StandingGrantTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    private func refresh(_ tokens: Reply, _ changes: [(String, String)] = []) async throws -> Reply
    {
        try await server.token(
            [("grant_type", "refresh_token"), ("refresh_token", try tokens.refreshToken)] + changes,
            basic: TestRealm.web1
        )
    }

    @Test("decision 0072: a scope that is taken from a client is gone from the tokens that it has")
    func scopeTaken() async throws {
        let tokens = try await server.tokens("alice", "web1", scope: "openid profile email")
        let access = try tokens.accessToken
        #expect(try await server.userInfo(access).json["email"] != nil)
        try await server.change("web1") { $0.optionalScopes.removeAll { $0 == "email" } }
        let info = try await server.userInfo(access)
        #expect(info.status == 200)
        #expect(info.json["email"] == nil && info.json["preferred_username"] != nil)
        let described = try await server.introspect(access).json
        #expect(described.bool("active") == true)
        #expect(described.string("scope")?.split(separator: " ").contains("email") == false)
        #expect(described.int64("exp") == server.clock.seconds + 300)
        let token = try tokens.refreshToken
        #expect(try await server.introspect(token).json.string("scope")?.contains("email") == false)
        let next = try await refresh(tokens)
        #expect(next.status == 200)
        #expect(next.json.string("scope")?.contains("email") == false)
        #expect(try next.claims["email"] == nil)
        // Nor for who asks for it, as it was granted: the answer says what it is.
        let asked = try await refresh(next, [("scope", "openid email")])
        #expect(asked.json.string("scope") == "openid")
        #expect(try await refresh(asked, [("scope", "openid phone")]).error == "invalid_scope")
        // Given back, it is what the person allowed then.
        try await server.change("web1") { $0.optionalScopes.append("email") }
        #expect(try await refresh(asked).json.string("scope")?.contains("email") == true)
    }

    @Test("decision 0072: roles are gone from what introspection says when the scope is taken")
    func rolesTaken() async throws {
        let tokens = try await server.tokens("alice", "web1")
        let access = try tokens.accessToken
        #expect(try await server.introspect(access).json["realm_access"] != nil)
        try await server.change("web1") { $0.defaultScopes = [] }
        let described = try await server.introspect(access).json
        #expect(described.bool("active") == true && described["sub"] != nil)
        #expect(described["realm_access"] == nil && described["resource_access"] == nil)
        let next = try await refresh(tokens)
        #expect(try next.accessClaims["realm_access"] == nil)
    }

    @Test("OpenID Connect Core §5.5: an individual claim goes with the scope that it counts as")
    func singleClaim() async throws {
        let claims = #"{"userinfo": {"email": null, "given_name": null}}"#
        let tokens = try await server.tokens("alice", "web1", scope: "openid", [("claims", claims)])
        let access = try tokens.accessToken
        #expect(try await server.userInfo(access).json.string("email") == "alice@example.com")
        try await server.change("web1") { $0.optionalScopes.removeAll { $0 == "email" } }
        let info = try await server.userInfo(access).json
        #expect(info["email"] == nil && info.string("given_name") == "Alice")
    }

    @Test("OpenID Connect Core §11: without offline_access now an offline grant is over")
    func offline() async throws {
        let tokens = try await server.tokens("alice", "web1", scope: "openid offline_access")
        let other = try await server.tokens("alice", "web1", scope: "openid")
        let access = try tokens.accessToken
        try await server.change("web1") { $0.optionalScopes.removeAll { $0 == "offline_access" } }
        let before = try await server.remains()
        #expect(try await refresh(tokens).error == "invalid_grant")
        #expect(try await server.userInfo(access).status == 401)
        #expect(try await server.introspect(access).json == ["active": false])
        let token = try tokens.refreshToken
        #expect(try await server.introspect(token).json == ["active": false])
        #expect(try await server.remains() == before)
        // One that hangs on its session goes on.
        #expect(try await refresh(other).status == 200)
        // It can still be ended.
        let end = try await server.post(.endpoint("revoke"), [("token", token)], headers: .web1)
        #expect(end.status == 200)
        try await server.change("web1") { $0.optionalScopes.append("offline_access") }
        #expect(try await refresh(tokens).error == "invalid_grant")
    }

    @Test("decision 0072: consent that is switched on is missing until the person has given it")
    func consentOn() async throws {
        let tokens = try await server.tokens("alice", "web1", scope: "openid profile email")
        let access = try tokens.accessToken
        try await server.change("web1") { $0.requiresConsent = true }
        #expect(try await refresh(tokens).error == "invalid_grant")
        #expect(try await server.userInfo(access).status == 401)
        #expect(try await server.introspect(access).json == ["active": false])
        // What they allow counts for what was granted before, and no more than that.
        let browser = TestBrowser(server)
        let page = try await browser.signIn(
            "alice",
            TestFlow.request("web1", scope: "openid profile")
        )
        let answer = try await browser.submit(page, [("action", "allow")])
        #expect(try await server.redeem(answer.redirected["code"] ?? "", "web1").status == 200)
        let next = try await refresh(tokens)
        #expect(next.status == 200)
        #expect(next.json.string("scope")?.contains("email") == false)
        #expect(next.json.string("scope")?.contains("profile") == true)
        let info = try await server.userInfo(access).json
        #expect(info["email"] == nil && info["name"] != nil)
    }

    @Test("decision 0072: a grant of a type that the client may not use any more is over")
    func grantType() async throws {
        let tokens = try await server.tokens("alice", "web1")
        let access = try tokens.accessToken
        try await server.change("web1") { $0.grantTypes.remove(.authorizationCode) }
        #expect(try await refresh(tokens).error == "invalid_grant")
        #expect(try await server.userInfo(access).status == 401)
        try await server.change("web1") {
            $0.grantTypes = [.authorizationCode]
        }
        #expect(try await refresh(tokens).error == "unauthorized_client")
        let token = try tokens.refreshToken
        #expect(try await server.introspect(token).json == ["active": false])
        #expect(try await server.userInfo(access).status == 200)
        try await server.change("web1") { $0.grantTypes.insert(.refreshToken) }
        #expect(try await refresh(tokens).status == 200)
        // The same for what a client gets for itself.
        let own = try await server.token(TestFlow.own, basic: TestRealm.machine)
        let bare = try own.accessToken
        func isActive() async throws -> Bool? {
            try await server.post(
                .endpoint("token/introspect"),
                [("token", bare)],
                headers: .basic("machine", TestRealm.machineSecret)
            ).json.bool("active")
        }
        #expect(try await isActive() == true)
        try await server.change("machine") { $0.grantTypes = [] }
        #expect(try await isActive() == false)
    }

    @Test("attack C17, decision 0072: a replayed token ends a grant that gives nothing now, too")
    func replay() async throws {
        let tokens = try await server.tokens("alice", "web1")
        let next = try await refresh(tokens)
        server.clock.advance(by: 100)
        try await server.change("web1") { $0.requiresConsent = true }
        #expect(try await refresh(tokens).error == "invalid_grant")
        try await server.change("web1") { $0.requiresConsent = false }
        #expect(try await refresh(next).error == "invalid_grant")
    }

    @Test("decision 0072: what a code was made for is cut to what the client may have by then")
    func code() async throws {
        let code = try await server.code("alice", "web1", scope: "openid email")
        try await server.change("web1") { $0.optionalScopes.removeAll { $0 == "email" } }
        let tokens = try await server.redeem(code, "web1")
        #expect(tokens.status == 200)
        #expect(tokens.json.string("scope")?.contains("email") == false)
        let late = try await server.code("alice", "web1")
        try await server.change("web1") { $0.requiresConsent = true }
        #expect(try await server.redeem(late, "web1").error == "invalid_grant")
    }

    @Test("RFC 7662 §2.2: username is a claim of the scope profile")
    func username() async throws {
        for (scope, name) in [("openid", nil), ("openid profile", "alice")] {
            let tokens = try await server.tokens("alice", "web1", scope: scope)
            for member in ["access_token", "refresh_token"] {
                let described = try await server.introspect(tokens.json.string(member) ?? "").json
                #expect(described.bool("active") == true)
                #expect(described.string("username") == name, "\(scope) \(member)")
            }
        }
    }
}

@Suite("What is left of a sign-in that is handed on") struct StandingHandOnTests {
    @Test(
        "decision 0072: an app from which something was taken hands no more on than it has",
        arguments: ["offline", "consent", "type", "refresh"]
    )
    func loginToken(_ taken: String) async throws {
        let scene = try await LoginTokenScene(scope: "openid profile offline_access")
        let made = try await scene.token()
        try await scene.server.change("native1") { client in
            switch taken {
            case "offline": client.optionalScopes.removeAll { $0 == "offline_access" }
            case "consent": client.requiresConsent = true
            case "type": client.grantTypes.remove(.authorizationCode)
            default: client.grantTypes.remove(.refreshToken)
            }
        }
        #expect(try await scene.exchange().status == 400)
        // Nor is one good that was made before.
        let browser = TestBrowser(scene.server)
        let begun = try await browser.authorize(scene.request(made))
        #expect(begun.redirected["code"] == nil)
        let page = begun.location == nil ? begun : try await browser.get(begun.location ?? "")
        #expect(page.formAction?.hasSuffix("/continue-as") != true)
    }

    private func exchange(_ apps: VendorApps, _ tokens: Reply, _ more: [(String, String)] = [])
        async throws -> Reply
    {
        try await apps.server.token(VendorApps.exchange(of: tokens) + more)
    }

    @Test(
        "OpenID Connect Native SSO §4.3, decision 0072: nor does a device secret",
        arguments: ["device_sso", "offline_access", "consent", "type"]
    )
    func nativeSSO(_ taken: String) async throws {
        let apps = try await VendorApps()
        let tokens = try await apps.tokens(scope: "openid device_sso offline_access")
        #expect(try await exchange(apps, tokens).status == 200)
        try await apps.server.change("my-mobile-app") { client in
            switch taken {
            case "consent": client.requiresConsent = true
            case "type": client.grantTypes.remove(.authorizationCode)
            default: client.optionalScopes.removeAll { $0 == taken }
            }
        }
        let before = try await apps.server.remains()
        #expect(try await exchange(apps, tokens).error == "invalid_grant")
        #expect(try await apps.server.remains() == before)
    }

    @Test(
        "attack: what a device secret was exchanged for outlives the permission to hand on",
        arguments: ["target", "device_sso"]
    )
    func permission(_ taken: String) async throws {
        let apps = try await VendorApps()
        let tokens = try await apps.tokens()
        let given = try await exchange(apps, tokens)
        let access = try given.accessToken
        let refresh = try given.refreshToken
        let clients = try await apps.server.database.realms.snapshot().clients
        let former = try #require(clients.first { $0.clientID == "my-mobile-app" })
        try await apps.server.change("my-mobile-app") { client in
            if taken == "target" { client.loginTokenTargets = [] }
            client.optionalScopes.removeAll { $0 == taken }
        }
        let before = try await apps.server.remains()
        #expect(try await apps.server.refresh(refresh, "my-other-app").error == "invalid_grant")
        #expect(try await apps.server.userInfo(access).status == 401)
        #expect(try await apps.server.remains() == before)
        let own = try tokens.accessToken
        #expect(try await apps.server.userInfo(own).status == 200, "the first app's is its own")
        // What is given back counts again.
        try await apps.server.change("my-mobile-app") { client in
            client.loginTokenTargets = former.loginTokenTargets
            client.optionalScopes = former.optionalScopes
        }
        #expect(try await apps.server.userInfo(access).status == 200)
        #expect(try await apps.server.refresh(refresh, "my-other-app").status == 200)
    }

    @Test("OpenID Connect Native SSO §4.3: a scope that the first app lost is not handed on")
    func narrowed() async throws {
        let apps = try await VendorApps()
        let tokens = try await apps.tokens(scope: "openid profile email device_sso")
        try await apps.server.change("my-mobile-app") {
            $0.optionalScopes.removeAll { $0 == "email" }
        }
        let given = try await exchange(apps, tokens)
        #expect(given.status == 200)
        #expect(given.json.string("scope")?.contains("email") == false)
        let wide = try await exchange(apps, tokens, [("scope", "openid email")])
        #expect(wide.error == "invalid_scope")
    }

    @Test("OpenID Connect Native SSO §4: a client that only exchanges needs no other grant type")
    func exchangesOnly() async throws {
        let apps = try await VendorApps()
        try await apps.server.change("my-other-app") { $0.grantTypes = [.refreshToken] }
        let given = try await exchange(apps, apps.tokens())
        #expect(try await apps.server.userInfo(given.accessToken).status == 200)
        #expect(try await apps.server.refresh(given.refreshToken, "my-other-app").status == 200)
    }

    @Test("RFC 7523 §3: an exchange of a device secret spends the client's assertion")
    func assertion() async throws {
        let apps = try await VendorApps { new in
            new.clients[client: "my-mobile-app"].loginTokenTargets.append(.init(clientID: "jwt1"))
        }
        let tokens = try await apps.tokens()
        let now = apps.server.clock.seconds
        let assertion = try TestRealm.clientKey.sign(
            claims: [
                "iss": "jwt1", "sub": "jwt1", "aud": .string(TestRealm.issuer),
                "exp": .integer(now + 60), "iat": .integer(now),
                "jti": .string(RandomSource.system.text(16)),
            ],
            type: .jwt
        )
        let proof = [("client_assertion", assertion), TestFlow.assertionType]
        let form = VendorApps.exchange(of: tokens).filter { $0.0 != "client_id" } + proof
        #expect(try await apps.server.token(form).status == 200)
        let before = try await apps.server.remains()
        #expect(try await apps.server.token(form).error == "invalid_client")
        #expect(try await apps.server.remains() == before)
    }

    @Test("RFC9449-11.1-1: an exchange of a device secret spends the proof, at all nodes")
    func proof() async throws {
        let apps = try await VendorApps()
        let server = apps.server
        let app = try Prover(server)
        let tokens = try await app.redeem(apps.code(), "my-mobile-app", VendorApps.redirect)
        let form = VendorApps.exchange(of: tokens)
        let node = try ProofRefusalTests.node(of: server)
        let proof = try await app.proof(.post, "token")
        #expect(try await server.post("token", form, proof: proof).status == 200)
        let before = try await server.remains()
        let again = try await ProofRefusalTests.send(form, proof, to: node)
        #expect(again.status == 400 && again.error == "invalid_dpop_proof")
        #expect(try await server.remains() == before)
    }
}
