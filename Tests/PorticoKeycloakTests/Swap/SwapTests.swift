import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Swapping refresh tokens of the server before") struct SwapTests {
    @Test("decision 0051: a refresh token of the server before gets tokens of this one")
    func swapped() async throws {
        let scene = try await SwapScene()
        let claims = scene.claims()
        let reply = try await scene.swap(claims)
        #expect(reply.status == 200, "\(reply.text)")
        let access = try reply.claims("access_token")
        #expect(access.string("sub") == SwapScene.ann)
        #expect(access.string("sid") == claims.string("sid"))
        #expect(access.string("iss") == "https://op.example.com/realms/garden")
        // What the client may not have any more is gone.
        #expect(access.string("scope") == "openid profile")
        // When the person signed in is not known: the token says less, not more.
        #expect(try reply.claims("id_token")["auth_time"] == nil)
        #expect(try await scene.userInfo(reply).status == 200)
        #expect(try await scene.swap(reply.refreshToken).status == 200, "the new one is refreshed")
        #expect(try await scene.counts() == ["ok": 1])
        #expect(scene.server.log.contains("event=token_swap.ok"))
        #expect(!scene.server.log.contains(reply.refreshToken))
    }

    @Test("decision 0051: an offline token on the list is swapped, and outlives the session")
    func offline() async throws {
        let scene = try await SwapScene()
        let claims = scene.offline()
        try await scene.list(claims)
        let reply = try await scene.swap(claims)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(try reply.claims("id_token").int64("auth_time") == scene.now - 4000)
        scene.server.clock.advance(by: 40_000)
        #expect(try await scene.swap(reply.refreshToken).status == 200)
    }

    @Test("decision 0051: HS256 of its own key, aud in a list, sid by its former name, no scope")
    func otherForms() async throws {
        let scene = try await SwapScene()
        let session: [String: JSONValue?] = ["sid": nil, "session_state": "former-name"]
        for changes: [String: JSONValue?] in [
            ["aud": .array([.string(SwapScene.issuer)])], session, ["scope": nil],
        ] {
            let token = SwapScene.sign(
                scene.claims(changes),
                header: ["kid": "k256", "alg": "HS256"],
                with: SwapScene.shorter
            )
            #expect(try await scene.swap(token).status == 200)
        }
    }

    @Test("decision 0051: a confidential client proves itself before its token is looked at")
    func confidential() async throws {
        let scene = try await SwapScene()
        let token = SwapScene.sign(scene.claims(["azp": "web"]))
        let wrong = try await scene.swap(token, "web", [("client_secret", "wrong")])
        #expect(wrong.error == "invalid_client")
        let right = try await scene.swap(token, "web", [("client_secret", SwapScene.webSecret)])
        #expect(right.status == 200, "\(right.text)")
    }

    @Test("decision 0051: a token without sub is the one's whose session it is by the list")
    func withoutSubject() async throws {
        let scene = try await SwapScene()
        let claims = scene.claims(["sub": nil])
        #expect(try await scene.swap(claims).error == "invalid_grant")
        try await scene.list(claims)
        let reply = try await scene.swap(claims)
        #expect(try reply.claims("access_token").string("sub") == SwapScene.ann)
        #expect(try await scene.counts() == ["unknown_person": 1, "ok": 1])
    }

    @Test("decision 0051: a pairwise sub is found by the list, if the mapper makes it")
    func pairwise() async throws {
        let scene = try await SwapScene()
        let subject = PairwiseSubject(salt: "salt of the test", sector: nil)(
            SwapScene.ann,
            own: "pair.example",
            clientID: "pair"
        )
        let claims = scene.claims(["azp": "pair", "sub": .string(subject)])
        #expect(try await scene.swap(claims, "pair").error == "invalid_grant")
        try await scene.list(claims, of: SwapScene.cat)
        #expect(try await scene.swap(claims, "pair").error == "invalid_grant")
        try await scene.list(claims)
        let reply = try await scene.swap(claims, "pair")
        #expect(try reply.claims("id_token").string("sub") == subject)
    }

    /// A mapper that writes an attribute into `sub`, which its person may have chosen.
    private static let chosen = MapperSamples.record(
        "oidc-usermodel-attribute-mapper",
        ["user.attribute": "number", "claim.name": "sub"]
    )

    @Test(
        "decision 0051: where a mapper writes sub, only the list says whose token it is",
        arguments: [true, false]
    )
    func chosenSubject(inScope: Bool) async throws {
        let scene = try await SwapScene(realm: { new in
            if inScope {
                new.scopes[0].mappers = [Self.chosen]
            } else {
                new.clients[client: "app"].mappers = [Self.chosen]
            }
        })
        // Ann had chosen Cat's id.
        let claims = scene.claims(["sub": .string(SwapScene.cat)])
        #expect(try await scene.swap(claims).error == "invalid_grant")
        #expect(try await scene.swap(scene.claims()).error == "invalid_grant")
        #expect(try await scene.counts() == ["unknown_person": 2])
        try await scene.list(claims)
        let reply = try await scene.swap(claims)
        #expect(try reply.claims("id_token").string("sub") == SwapScene.ann, "\(reply.text)")
        // Of another client, whose tokens it does not write, sub stands.
        let beside = try await scene.swap(scene.claims(["azp": "beside"]), "beside")
        #expect(beside.status == (inScope ? 400 : 200))
    }

    @Test("decision 0102: where the new token cannot be issued, the old one is swapped later")
    func notIssued() async throws {
        let scene = try await SwapScene(realm: { new in
            new.clients[client: "app"].mappers = [
                ClaimMapper(.attribute("long", aggregates: false), "long", isMultivalued: true)
            ]
            for index in new.people.indices where new.people[index].person.id == SwapScene.ann {
                new.people[index].person.attributes["long"] = (0..<20).map {
                    "\($0)" + String(repeating: "x", count: 2000)
                }
            }
        })
        let token = SwapScene.sign(scene.claims())
        #expect(try await scene.swap(token).error == "server_error")
        #expect(try await scene.counts().isEmpty)
        let people = scene.server.database.people
        let realm = try #require(scene.server.provider.realms.realm(named: "garden"))
        let found = try await people.person(id: SwapScene.ann, realmID: realm.id)
        var ann = try #require(found).person
        ann.attributes["long"] = nil
        #expect(try await people.update(ann) == .changed)
        // Later than a lost answer may be asked for again.
        scene.server.clock.advance(by: 120)
        #expect(try await scene.swap(token).status == 200)
    }

    @Test("decision 0035: who lost the answer gets the same refresh token again")
    func lostAnswer() async throws {
        let scene = try await SwapScene()
        let token = SwapScene.sign(scene.claims())
        let first = try await scene.swap(token)
        let again = try await scene.swap(token)
        #expect(first.refreshToken == again.refreshToken)
        #expect(!first.refreshToken.isEmpty)

        let keyed = SwapScene.sign(scene.claims())
        let one = try await scene.swap(keyed, key: "my key")
        scene.server.clock.advance(by: 600)
        let two = try await scene.swap(keyed, key: "my key")
        #expect(one.refreshToken == two.refreshToken)
        #expect(try await scene.counts() == ["ok": 2, "repeated": 2])
        #expect(try await scene.swap(two.refreshToken).status == 200)
    }

    @Test("decision 0051: any other second use is refused, and ends what the first one got")
    func secondUse() async throws {
        let scene = try await SwapScene()
        let uses: [(String?, String?, Double)] = [
            (nil, nil, 61), ("a", "b", 0), ("a", nil, 0), (nil, "b", 0),
        ]
        for (first, second, delay) in uses {
            let token = SwapScene.sign(scene.claims())
            let reply = try await scene.swap(token, key: first)
            #expect(reply.status == 200)
            scene.server.clock.advance(by: delay)
            #expect(try await scene.swap(token, key: second).error == "invalid_grant")
            #expect(try await scene.swap(reply.refreshToken).error == "invalid_grant")
            #expect(try await scene.userInfo(reply).status == 401)
            // It is not opened again by anything.
            #expect(try await scene.swap(token, key: first).error == "invalid_grant")
        }
        #expect(try await scene.counts()["replayed"] == 4)
        #expect(scene.server.log.contains("event=token_swap.replayed"))
    }

    @Test("decision 0051: once its successor was used, the old token ends everything")
    func afterRotation() async throws {
        let scene = try await SwapScene()
        let token = SwapScene.sign(scene.claims())
        let reply = try await scene.swap(token)
        let next = try await scene.swap(reply.refreshToken)
        #expect(next.status == 200)
        #expect(try await scene.swap(token).error == "invalid_grant")
        #expect(try await scene.swap(next.refreshToken).error == "invalid_grant")
    }

    @Test("decision 0051: of many at once with keys of their own one wins, and then no one")
    func race() async throws {
        let scene = try await SwapScene(database: nil)
        for round in 0..<20 {
            let token = SwapScene.sign(scene.claims())
            let replies = try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask { try await scene.swap(token, key: "\(round) \(index)") }
                }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            let winners = replies.filter { $0.status == 200 }
            #expect(winners.count == 1)
            #expect(replies.filter { $0.error == "invalid_grant" }.count == 7)
            let winner = try #require(winners.first)
            #expect(try await scene.swap(winner.refreshToken).error == "invalid_grant")
        }
        #expect(try await scene.counts()["ok"] == 20)
    }

    @Test("decision 0051: of many at once without keys all get one and the same successor")
    func sameRace() async throws {
        let scene = try await SwapScene()
        for _ in 0..<20 {
            let token = SwapScene.sign(scene.claims())
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await scene.swap(token) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(Set(replies.map(\.refreshToken)).count == 1)
        }
        #expect(try await scene.counts() == ["ok": 20, "repeated": 140])
    }

    @Test("decision 0051: where the server before took each token once, a session's tokens are one")
    func linear() async throws {
        for isLinear in [false, true] {
            let scene = try await SwapScene(realm: {
                $0.realm.tokenSwap?.isLinear = isLinear
            })
            let claims = scene.claims()
            let stolen = scene.claims(["sid": claims["sid"]])
            let first = try await scene.swap(claims)
            #expect(first.status == 200)
            scene.server.clock.advance(by: 61)
            let second = try await scene.swap(stolen)
            #expect(second.status == (isLinear ? 400 : 200))
            let next = try await scene.swap(first.refreshToken)
            #expect(next.status == (isLinear ? 400 : 200))
        }
    }

    @Test("decision 0051: a restart and a purge open nothing again")
    func restart() async throws {
        let database = try TestDatabase.inFile()
        var new = try await SwapScene.realm
        new.realm.tokenSwap = TokenSwap(
            issuer: SwapScene.issuer,
            closesAt: SwapScene.now + 2_592_000
        )
        #expect(try await database.realms.create(new) == .created)
        let clock = StoppedClock()
        let before = try await SwapScene(database: database, clock: clock)
        let claims = before.claims(["exp": .integer(before.now + 1_000_000)])
        let ended = before.claims(["exp": .integer(before.now + 1_000_000)])
        let reply = try await before.swap(claims)
        #expect(try await before.swap(ended).status == 200)
        let sid = try #require(ended.string("sid"))
        let end = try await database.sessions.end(id: sid, realmID: new.realm.id, at: before.now)
        #expect(end == .changed)

        let after = try await SwapScene(database: try database.openedAgain(), clock: clock)
        let again = try await after.swap(claims)
        #expect(again.refreshToken == reply.refreshToken, "a lost answer outlives it, too")
        clock.advance(by: 61)
        #expect(try await after.swap(claims).error == "invalid_grant")
        clock.advance(by: 400_000)
        let kept = after.server.database
        try await kept.grants.purge(before: after.now - 86_400)
        try await kept.sessions.purge(before: after.now - 86_400)
        try await kept.realms.closeTokenSwaps(at: after.now)
        try await kept.grants.purgeMoved()
        #expect(try await after.swap(claims).error == "invalid_grant")
        // Another token of a session that was signed out of.
        let other = after.claims(["sid": .string(sid)])
        #expect(try await after.swap(other).error == "invalid_grant")
    }

    @Test("decision 0051: it ends by itself, and what verifies the tokens is forgotten")
    func closed() async throws {
        let scene = try await SwapScene(swap: { $0.closesAt = SwapScene.now + 600 })
        let used = scene.claims()
        #expect(try await scene.swap(used).status == 200)
        scene.server.clock.advance(by: 600)
        let claims = scene.claims()
        #expect(try await scene.swap(claims).error == "invalid_grant")
        #expect(try await scene.counts()["closed"] == 1)

        let database = scene.server.database
        try await database.realms.closeTokenSwaps(at: scene.now - 1)
        let kinds = try await database.realms.snapshot().keptKeys.map(\.kind)
        #expect(kinds.contains(.hmac), "not before its time")
        try await database.realms.closeTokenSwaps(at: scene.now)
        let left = try await database.realms.snapshot().keptKeys.map(\.kind)
        #expect(!left.contains(.hmac))
        #expect(left.contains(.silent), "other keys stay")
        try await database.grants.purgeMoved()
        try await scene.server.provider.realms.refresh()
        #expect(try await scene.swap(claims).error == "invalid_grant")
        #expect(try await scene.swap(used).error == "invalid_grant")
    }

    @Test("decision 0051: a realm that does not swap knows no old token")
    func off() async throws {
        let scene = try await SwapScene(realm: { $0.realm.tokenSwap = nil })
        #expect(try await scene.swap(scene.claims()).error == "invalid_grant")
        #expect(try await scene.counts().isEmpty)
    }
}
