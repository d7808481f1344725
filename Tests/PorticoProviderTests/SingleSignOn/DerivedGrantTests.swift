import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// What an app gets by another app's sign-in ends with that one, and is no more than that.
@Suite("Grants derived from another app's") struct DerivedGrantTests {
    private func scene(_ scope: String = "openid") async throws -> LoginTokenScene {
        let scene = try await LoginTokenScene(scope: scope)
        try await scene.server.change("plain") { $0.grantTypes.insert(.refreshToken) }
        return scene
    }

    /// An app's tokens by a login token.
    private func derived(_ scene: LoginTokenScene, scope: String = "openid") async throws -> Reply {
        let request = TestFlow.request(
            "plain",
            scope: scope,
            [("login_hint", try await scene.token())]
        )
        let browser = TestBrowser(scene.server)
        let answer = try await browser.authorize(try await scene.pushed(request))
        let tokens = try await scene.server.redeem(expectCode(answer, of: "plain"), "plain")
        #expect(tokens.status == 200)
        return tokens
    }

    private func isLive(_ tokens: Reply, _ scene: LoginTokenScene) async throws -> Bool {
        try await scene.server.userInfo(tokens.accessToken).status == 200
    }

    private func revoke(_ token: String?, _ client: String, _ scene: LoginTokenScene) async throws {
        let form = [("client_id", client), ("token", try #require(token))]
        #expect(try await scene.server.post(.endpoint("revoke"), form).status == 200)
    }

    @Test(
        "RFC 9700 §4.14.2: a replay of the source's refresh token ends what was derived, and no more",
        arguments: ["openid", "openid offline_access"]
    )
    func replay(_ scope: String) async throws {
        let scene = try await scene(scope)
        let tokens = try await derived(scene, scope: scope)
        let own = try await scene.browser.authorize(TestFlow.request("plain", scope: "openid"))
        let other = try await scene.server.redeem(expectCode(own, of: "plain"), "plain")
        _ = try await scene.server.refresh(scene.refresh, key: "one")
        #expect(try await isLive(tokens, scene))
        #expect(try await scene.server.refresh(scene.refresh, key: "two").error == "invalid_grant")
        #expect(try await !isLive(tokens, scene))
        let refresh = try tokens.refreshToken
        #expect(try await scene.server.refresh(refresh, "plain").error == "invalid_grant")
        #expect(try await isLive(other, scene))
    }

    @Test("RFC 7009 §2.1: a revocation ends what was derived, and not what it was derived from")
    func revocation() async throws {
        let scene = try await scene()
        let tokens = try await derived(scene)
        let sibling = try await derived(scene)
        try await revoke(tokens.json.string("refresh_token"), "plain", scene)
        #expect(try await !isLive(tokens, scene))
        #expect(try await isLive(sibling, scene))
        #expect(try await isLive(scene.tokens, scene))
        try await revoke(scene.refresh, "native1", scene)
        #expect(try await !isLive(sibling, scene))
    }

    @Test("RFC 8693 §2.1: a login token is good for nothing once its app's grant has ended")
    func tokenOfEndedGrant() async throws {
        let scene = try await scene()
        let token = try await scene.token()
        try await revoke(scene.refresh, "native1", scene)
        let browser = TestBrowser(scene.server)
        expectPage(
            try await browser.authorize(try await scene.pushed(scene.request(token))),
            "authenticate"
        )
    }

    @Test("RFC 8693 §2.1: the app's grant ends between the code and its redemption: no tokens")
    func endedMeanwhile() async throws {
        let scene = try await scene()
        let request = scene.request(try await scene.token())
        let answer = try await TestBrowser(scene.server).authorize(try await scene.pushed(request))
        try await revoke(scene.refresh, "native1", scene)
        let before = try await scene.server.remains()
        let code = expectCode(answer, of: "plain")
        #expect(try await scene.server.redeem(code, "plain").error == "invalid_grant")
        #expect(try await scene.server.remains() == before)
    }

    @Test("not-before of the realm: what is older than that hands nothing on")
    func realmNotBefore() async throws {
        let scene = try await scene()
        let token = try await scene.token()
        scene.server.clock.advance(by: 20)
        // A grant of now, to a session of before.
        let own = try await scene.browser.authorize(TestFlow.request("native1"))
        let later = try await scene.server.redeem(expectCode(own))
        let refresh = try later.refreshToken
        let newer = try #require(
            try await scene.exchange([("subject_token", refresh)]).json.string("access_token")
        )
        let before = try await scene.server.remains().grants
        let moment = scene.server.clock.seconds - 10
        try await scene.server.changeRealm { $0.notBefore = moment }
        for subject in [scene.refresh, refresh] {
            let refused = try await scene.exchange([("subject_token", subject)])
            #expect(refused.error == "invalid_request")
        }
        for token in [token, newer] {
            let request = try await scene.pushed(scene.request(token))
            expectPage(try await TestBrowser(scene.server).authorize(request), "authenticate")
        }
        #expect(try await scene.server.remains().grants == before)
        try await scene.server.changeRealm { $0.notBefore = 0 }
        for token in [token, newer] {
            let request = try await scene.pushed(scene.request(token))
            expectCode(try await TestBrowser(scene.server).authorize(request), of: "plain")
        }
    }

    @Test("OpenID Connect Core §11: an app without offline access hands none on")
    func noOfflineAccess() async throws {
        let scene = try await scene()
        let tokens = try await derived(scene, scope: "openid offline_access")
        #expect(tokens.json.string("scope")?.contains("offline_access") == false)
        try await scene.endSession()
        #expect(try await !isLive(tokens, scene))
    }

    @Test("OpenID Connect Core §11: an app hands offline access on for as long as it has it")
    func offlineAccess() async throws {
        let scene = try await scene("openid offline_access")
        let tokens = try await derived(scene, scope: "openid offline_access")
        #expect(tokens.json.string("scope")?.contains("offline_access") == true)
        try await scene.endSession()
        #expect(try await isLive(tokens, scene))
        try await revoke(scene.refresh, "native1", scene)
        #expect(try await !isLive(tokens, scene))
    }

    @Test("OpenID Connect Core §3.1.2.1: nothing that looks like a login token fills the field")
    func nearlyTokens() async throws {
        let scene = try await scene()
        let token = try await scene.token()
        let hints = [" ", "\t", "\"", "+", "\u{A0}", "\u{FEFF}"].map { $0 + token }
        for hint in hints + [token.uppercased(), token + " "] {
            let browser = TestBrowser(scene.server)
            let page = try await browser.authorize(try await scene.pushed(scene.request(hint)))
            expectPage(page, "authenticate")
            #expect(page.userName == "" && !page.text.contains(hint))
        }
    }

    @Test("WEB-LOG-3: what is handed on is in the security log, and no token with it")
    func events() async throws {
        let scene = try await scene()
        let tokens = try await derived(scene)
        let claims = try tokens.claims
        let lines = scene.server.log.split(separator: "\n")
        for (event, client) in [("login_token.made", "native1"), ("login_token.used", "plain")] {
            let line = try #require(lines.first { $0.contains("event=\(event)") }, "\(event)")
            for fact in [
                "client=\(client)", "target=plain", "sub=\(claims.string("sub") ?? "-")",
                "sid=\(claims.string("sid") ?? "-")", "grant=", "192.0.2.1",
            ] { #expect(line.contains(fact), "\(fact)") }
        }
        _ = try await scene.server.refresh(scene.refresh, key: "one")
        #expect(!scene.server.log.contains(".replayed"))
        #expect(try await scene.exchange().error == "invalid_request")
        let replay = try #require(
            scene.server.log.split(separator: "\n").first { $0.contains(".replayed") }
        )
        #expect(replay.contains("event=subject_token.replayed"))
        #expect(!scene.server.log.contains(scene.refresh))
    }
}
