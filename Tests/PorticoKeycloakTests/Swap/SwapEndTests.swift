import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

/// What ends a session of the server before, swapped or not.
@Suite("The end of sessions that moved") struct SwapEndTests {
    private func revoke(_ scene: SwapScene, _ token: String, _ client: String = "app") async throws
        -> Reply
    {
        try await scene.server.post(
            SwapScene.path("revoke"),
            [("token", token), ("client_id", client)]
        )
    }

    private func signOut(_ scene: SwapScene, _ token: String, _ client: String = "app")
        async throws -> Reply
    {
        try await scene.server.post(
            SwapScene.path("logout"),
            [("refresh_token", token), ("client_id", client)]
        )
    }

    private func realmID(_ scene: SwapScene) async throws -> String {
        try #require(
            try await scene.server.database.realms.snapshot().realms.first {
                $0.name == "garden"
            }
        ).id
    }

    @Test("RFC 7009 §2.1: a revoked token of the server before is not swapped any more")
    func revoked() async throws {
        let scene = try await SwapScene(swap: { $0.takesUnlistedOffline = true })
        for claims in [scene.claims(), scene.offline()] {
            let token = SwapScene.sign(claims)
            let later = SwapScene.sign(claims.changing("jti", "another"))
            let beside = SwapScene.sign(claims.changing("azp", "beside").renamed())
            #expect(try await revoke(scene, token, "beside").status == 200, "it is not theirs")
            #expect(try await revoke(scene, token).status == 200)
            #expect(try await scene.swap(token).error == "invalid_grant")
            #expect(try await scene.swap(later).error == "invalid_grant", "of the same session")
            #expect(try await scene.swap(beside, "beside").status == 200, "of another client")
        }
        #expect(try await scene.counts() == ["ended": 4, "ok": 2])
    }

    @Test("decision 0051: while the swap is off nothing is swapped, and what ends then stays ended")
    func turnedOff() async throws {
        let off = try await SwapScene(swap: { $0.isOn = false })
        let (ended, revoked, alive) = (off.claims(), off.claims(), off.claims())
        #expect(try await off.swap(alive).error == "invalid_grant")
        #expect(try await signOut(off, SwapScene.sign(ended)).status == 204)
        #expect(try await revoke(off, SwapScene.sign(revoked)).status == 200)

        let database = off.server.database
        let former = try #require(
            try await database.realms.snapshot().realms.first { $0.name == "garden" }
        )
        var realm = former
        #expect(realm.tokenSwap?.isOn == false)
        realm.tokenSwap?.isOn = true
        #expect(try await database.realms.update(realm, replacing: former) == .changed)
        let on = try await SwapScene(database: database)
        #expect(try await on.swap(ended).error == "invalid_grant")
        #expect(try await on.swap(revoked).error == "invalid_grant")
        #expect(try await on.swap(alive).status == 200)
    }

    @Test("RFC 7009 §2.1: revoking it after the swap revokes what it was swapped for")
    func revokedAfterwards() async throws {
        let scene = try await SwapScene(swap: { $0.takesUnlistedOffline = true })
        for claims in [scene.claims(), scene.offline()] {
            let token = SwapScene.sign(claims)
            let reply = try await scene.swap(token)
            let other = try await scene.swap(
                claims.changing("azp", "beside").renamed(),
                "beside"
            )
            #expect(try await revoke(scene, token).status == 200)
            #expect(try await scene.swap(other.refreshToken, "beside").status == 200)
            #expect(try await scene.swap(reply.refreshToken).error == "invalid_grant")
            #expect(try await scene.swap(token).error == "invalid_grant")
        }
    }

    @Test("KC-L-1: signing out with a token of the server before ends its session, swapped or not")
    func signedOut() async throws {
        let scene = try await SwapScene(swap: { $0.takesUnlistedOffline = true })
        for claims in [scene.claims(), scene.offline()] {
            for isSwappedBefore in [false, true] {
                let claims = claims.changing("sid", .string(RandomSource.system.text(18)))
                    .changing("jti", .string(RandomSource.system.text(18)))
                let token = SwapScene.sign(claims)
                let beside = SwapScene.sign(claims.changing("azp", "beside").changing("jti", "x"))
                let reply = isSwappedBefore ? try await scene.swap(token) : nil
                #expect(try await signOut(scene, token, "beside").status == 400)
                #expect(try await signOut(scene, token).status == 204)
                #expect(try await scene.swap(token).error == "invalid_grant")
                #expect(try await scene.swap(beside, "beside").error == "invalid_grant")
                if let reply {
                    #expect(try await scene.swap(reply.refreshToken).error == "invalid_grant")
                    #expect(try await scene.userInfo(reply).status == 401)
                }
            }
        }
    }

    @Test("decision 0051: a client that was made here ends nothing by another's token")
    func ownClient() async throws {
        let scene = try await SwapScene(realm: { new in
            for index in new.clients.indices where new.clients[index].clientID == "app" {
                new.clients[index].isMoved = false
            }
        })
        let claims = scene.claims()
        #expect(try await signOut(scene, SwapScene.sign(claims)).status == 400)
        let beside = claims.changing("azp", "beside").renamed()
        #expect(try await scene.swap(beside, "beside").status == 200)
    }

    @Test("decision 0051: two clients of one session are signed out together")
    func together() async throws {
        let scene = try await SwapScene()
        let claims = scene.claims()
        let one = try await scene.swap(claims)
        let two = try await scene.swap(
            claims.changing("azp", "beside").changing("jti", "2"),
            "beside"
        )
        let waiting = claims.changing("azp", "late").changing("jti", "3")
        #expect(one.status == 200)
        #expect(two.status == 200)
        #expect(try await signOut(scene, one.refreshToken).status == 204)
        #expect(try await scene.swap(two.refreshToken, "beside").error == "invalid_grant")
        #expect(try await scene.swap(waiting, "late").error == "invalid_grant")
    }

    @Test("decision 0051: an ID Token of before signs out its session, which then does not come")
    func hint() async throws {
        let scene = try await SwapScene()
        let realm = try #require(scene.server.provider.realms.realm(named: "garden"))
        let key = try #require(realm.keys.active(realm.realm.signingAlgorithm, at: scene.now))
        func hint(_ issuer: String, _ sid: String) throws -> String {
            let claims: JSONObject = [
                "iss": .string(issuer), "sub": .string(SwapScene.ann), "aud": "app", "azp": "app",
                "typ": "ID", "sid": .string(sid), "exp": .integer(scene.now - 9),
                "iat": .integer(scene.now - 309),
            ]
            return try key.sign(claims: claims, type: .jwt)
        }
        let claims = scene.claims()
        let sid = try #require(claims.string("sid"))
        let foreign = try await scene.server.send(
            .get,
            SwapScene.path("logout?id_token_hint=") + hint("https://else.example", sid)
        )
        #expect(foreign.status == 400)
        let path = SwapScene.path("logout?id_token_hint=") + (try hint(SwapScene.issuer, sid))
        #expect(try await scene.server.send(.get, path).status == 200)
        #expect(try await scene.swap(claims).error == "invalid_grant")
        #expect(try await scene.counts() == ["ended": 1])
        // Another session is not touched, and one that has come ends at once.
        let other = scene.claims()
        let reply = try await scene.swap(other)
        let end = try hint(SwapScene.issuer, try #require(other.string("sid")))
        _ = try await scene.server.send(.get, SwapScene.path("logout?id_token_hint=") + end)
        #expect(try await scene.swap(reply.refreshToken).error == "invalid_grant")
    }

    /// The answer to an ID Token of Ann's alone, in a browser that is not signed in.
    private func ask(
        _ claims: JSONObject,
        _ browser: TestBrowser,
        issuer: String = SwapScene.issuer,
        _ scene: SwapScene
    ) async throws -> Reply {
        let realm = try #require(scene.server.provider.realms.realm(named: "garden"))
        let key = try #require(realm.keys.active(realm.realm.signingAlgorithm, at: scene.now))
        let hint: JSONObject = [
            "iss": .string(issuer), "sub": .string(SwapScene.ann), "aud": "app", "typ": "ID",
            "sid": claims["sid"] ?? "", "exp": .integer(scene.now - 9),
        ]
        let token = try key.sign(claims: hint, type: .jwt)
        return try await browser.get(
            SwapScene.path("logout?id_token_hint=") + token,
            headers: [.accept: "text/html"]
        )
    }

    @Test("decision 0051: where a hint alone signs no one out, it ends once the person says so")
    func askedHint() async throws {
        let scene = try await SwapScene(realm: { $0.realm.signsOutByHintAlone = false })
        let browser = TestBrowser(scene.server)
        let stayed = scene.claims()
        let page = try await ask(stayed, browser, scene)
        #expect(page.text.contains(#"value="sign-out""#))
        _ = try await browser.submit(page, [("action", "stay")])
        #expect(try await scene.swap(stayed).status == 200, "nothing ends before the answer")

        let ended = scene.claims()
        let asked = try await ask(ended, browser, scene)
        let done = try await browser.submit(asked, [("action", "sign-out")])
        #expect(done.status == 200 && done.text.contains("You’re signed out"))
        #expect(try await scene.swap(ended).error == "invalid_grant")
        #expect(try await scene.counts() == ["ok": 1, "ended": 1])
        let again = try await ask(ended, browser, scene)
        #expect(again.status == 200 && !again.text.contains(#"value="sign-out""#), "it is over")
    }

    @Test("decision 0051: after the window no one is asked about a session that is not here")
    func lateHintOfOurs() async throws {
        for (closesAt, isAsked) in [(SwapScene.now + 1, true), (SwapScene.now, false)] {
            let scene = try await SwapScene(
                realm: { $0.realm.signsOutByHintAlone = false },
                swap: { $0.closesAt = closesAt }
            )
            let reply = try await ask(
                scene.claims(),
                TestBrowser(scene.server),
                issuer: "https://op.example.com/realms/garden",
                scene
            )
            #expect(reply.status == 200)
            #expect(reply.text.contains(#"value="sign-out""#) == isAsked)
        }
    }

    @Test("decision 0051: after the window an ID Token of the old issuer is no hint")
    func lateHint() async throws {
        let scene = try await SwapScene(swap: { $0.closesAt = SwapScene.now })
        let realm = try #require(scene.server.provider.realms.realm(named: "garden"))
        #expect(!realm.isIssuer(SwapScene.issuer, at: scene.now))
        #expect(realm.isIssuer(SwapScene.issuer, at: scene.now - 1))
        #expect(realm.isIssuer(realm.issuer, at: scene.now))
    }

    @Test("decision 0051: who was signed out everywhere here stays so: disabled, or a new password")
    func everywhere() async throws {
        for isDisabled in [true, false] {
            let scene = try await SwapScene()
            let people = scene.server.database.people
            let claims = scene.claims(["iat": .integer(scene.now)])
            let reply = try await scene.swap(scene.claims())
            #expect(reply.status == 200)
            let realmID = try await realmID(scene)
            if isDisabled {
                var ann = try #require(
                    try await people.person(id: SwapScene.ann, realmID: realmID)
                ).person
                ann.isEnabled = false
                _ = try await people.update(ann)
                ann.isEnabled = true
                _ = try await people.update(ann)
            } else {
                _ = try await people.setPassword(
                    PasswordHash(encoded: "$new"),
                    of: SwapScene.ann,
                    at: scene.now
                )
            }
            #expect(try await scene.swap(claims).error == "invalid_grant")
            #expect(try await scene.swap(reply.refreshToken).error == "invalid_grant")
            #expect(try await scene.counts()["disabled"] == 1)
        }
    }

    @Test("decision 0051: what a person takes back from an app is not swapped for it any more")
    func disconnected() async throws {
        let scene = try await SwapScene()
        let claims = scene.offline()
        let beside = scene.offline(["azp": "beside"])
        try await scene.list(claims)
        try await scene.list(beside)
        let realmID = try await realmID(scene)
        let clients = try await scene.server.database.realms.snapshot().clients
        let app = try #require(clients.first { $0.clientID == "app" && $0.realmID == realmID })
        let change = try await scene.server.database.people.disconnect(
            app.id,
            from: SwapScene.ann,
            realmID: realmID,
            at: scene.now
        )
        #expect(change == .changed)
        #expect(try await scene.swap(claims).error == "invalid_grant")
        #expect(try await scene.swap(beside, "beside").status == 200)
    }
}

extension JSONObject {
    /// Another token of the same.
    func renamed() -> JSONObject { changing("jti", .string(RandomSource.system.text(16))) }

    func changing(_ name: String, _ value: JSONValue) -> JSONObject {
        var changed = self
        changed[name] = value
        return changed
    }
}
