import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

/// What another app gets out of a session that came by a token of the server before.
@Suite("Handing on sessions that moved") struct SwapHandOnTests {
    /// `app` may hand its sign-in on to `beside`.
    private func scene(_ configure: (inout NewRealm) -> Void = { _ in }) async throws -> SwapScene {
        try await SwapScene(realm: { new in
            for index in new.clients.indices where new.clients[index].clientID == "app" {
                new.clients[index].loginTokenTargets = [
                    LoginTokenTarget(clientID: "beside", isSilent: true)
                ]
            }
            configure(&new)
        })
    }

    /// `beside` asks with a login token that `app` got for the tokens of `reply`.
    private func handOn(_ reply: Reply, maxAge: Int64? = nil, in scene: SwapScene) async throws
        -> Reply
    {
        let made = try await scene.server.post(
            SwapScene.path("token"),
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("client_id", "app"), ("audience", "beside"),
                ("requested_token_type", "urn:portico:token-type:login-token"),
                ("subject_token", reply.refreshToken),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:refresh_token"),
            ]
        )
        let hint = try #require(made.json.string("access_token"), "\(made.text)")
        let changes = [("redirect_uri", "https://beside.example/cb"), ("login_hint", hint)]
        let request = TestFlow.request(
            "beside",
            scope: "openid",
            changes + (maxAge.map { [("max_age", "\($0)")] } ?? [])
        )
        let browser = TestBrowser(scene.server)
        let answer = try await browser.get(
            FormEncoding.appending(
                request.map { (name: $0.0, value: $0.1) },
                to: SwapScene.path("auth")
            )
        )
        // Where it is not good for the request, this goes on without it.
        guard let next = answer.location, next.hasPrefix("/") else { return answer }
        return try await browser.get(next)
    }

    /// `auth_time` of what `beside` gets.
    private func signedInAt(_ reply: Reply, in scene: SwapScene) async throws -> Int64? {
        let answer = try await handOn(reply, in: scene)
        let code = try #require(answer.redirected["code"], "\(answer.text)")
        let tokens = try await scene.server.post(
            SwapScene.path("token"),
            TestFlow.redemption(code, "beside", [("redirect_uri", "https://beside.example/cb")])
        )
        #expect(tokens.status == 200, "\(tokens.text)")
        return try tokens.claims("id_token").int64("auth_time")
    }

    private func expectAsked(_ reply: Reply, _ location: SourceLocation = #_sourceLocation) {
        #expect(reply.redirected["code"] == nil, sourceLocation: location)
        #expect(reply.text.contains(#"name="password""#), sourceLocation: location)
    }

    @Test("decision 0051: a sign-in that is handed on is as old as its session is by the list")
    func listed() async throws {
        let scene = try await scene()
        let claims = scene.claims()
        try await scene.list(claims)
        let reply = try await scene.swap(claims)
        #expect(try await signedInAt(reply, in: scene) == scene.now - 4000)
        // The token is from five minutes ago: that is no sign-in.
        expectAsked(try await handOn(reply, maxAge: 3999, in: scene))
        let enough = try await handOn(reply, maxAge: 4000, in: scene)
        #expect(enough.redirected["code"] != nil)
    }

    @Test("decision 0051: without a list it is as old as a session of that token can be")
    func unlisted() async throws {
        let scene = try await scene()
        let reply = try await scene.swap(scene.claims())
        #expect(try reply.claims("id_token")["auth_time"] == nil)
        #expect(try await signedInAt(reply, in: scene) == scene.now + 1500 - 36_000)
        expectAsked(try await handOn(reply, maxAge: 34_499, in: scene))

        let remembering = try await self.scene {
            $0.realm.lifetimes.formerSessionMaximum = 86_400
        }
        let other = try await remembering.swap(remembering.claims())
        #expect(try await signedInAt(other, in: remembering) == scene.now + 1500 - 86_400)
    }

    @Test("decision 0051: nor is it younger where the realm has shortened its sessions since")
    func shortened() async throws {
        let scene = try await scene {
            $0.realm.tokenSwap?.sessionMaximum = 50_000
            $0.realm.lifetimes.sessionMaximum = 3600
        }
        let reply = try await scene.swap(scene.claims())
        #expect(try await signedInAt(reply, in: scene) == scene.now + 1500 - 50_000)
    }

    @Test("decision 0051: nor is it older than the realm's notBefore")
    func realmNotBefore() async throws {
        let scene = try await scene { $0.realm.notBefore = SwapScene.now - 400 }
        let reply = try await scene.swap(scene.claims())
        #expect(try await signedInAt(reply, in: scene) == scene.now - 400)
        let older = scene.claims()
        try await scene.list(older)
        #expect(try await scene.swap(older).error == "invalid_grant")
        #expect(try await scene.counts() == ["ok": 1, "not_before": 1])
    }

    @Test("decision 0051: a session is not older than its person's notBefore, or does not come")
    func notBefore() async throws {
        let scene = try await scene()
        let claims = scene.claims(["sub": .string(SwapScene.cat)])
        let reply = try await scene.swap(claims)
        #expect(reply.status == 200)
        #expect(try await signedInAt(reply, in: scene) == scene.now - 600)
        #expect(try await scene.swap(reply.refreshToken).status == 200)

        let older = scene.claims(["sub": .string(SwapScene.cat)])
        try await scene.list(older, of: SwapScene.cat)
        #expect(try await scene.swap(older).error == "invalid_grant")
        #expect(try await scene.counts() == ["ok": 1, "not_before": 1])
    }
}
