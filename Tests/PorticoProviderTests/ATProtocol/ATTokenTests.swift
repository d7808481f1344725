import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Tokens of a host of the AT Protocol") struct ATTokenTests {
    private static let day: Double = 86_400

    private func claims(_ reply: Reply) throws -> JSONObject {
        let text = try #require(reply.json.string("access_token"), "\(reply.text)")
        return try JWT(parsing: text).uncheckedClaims()
    }

    @Test("ATP-CB-6, ATP-TL-1: an answer says whose tokens and which scope; no ID Token comes")
    func answer() async throws {
        let scene = try await ATScene(["scope": "atproto transition:generic openid profile"])
        let reply = try await scene.tokens([("scope", "atproto transition:generic openid profile")])
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.json.string("sub") == ATScene.dids["alice"])
        #expect(reply.json.string("scope") == "atproto transition:generic")
        #expect(reply.json.string("token_type") == "DPoP")
        #expect(reply.json.int64("expires_in") == 900)
        #expect(reply.json["id_token"] == nil)
        #expect(reply.json["device_secret"] == nil)
        let claims = try claims(reply)
        #expect(claims.string("sub") == ATScene.dids["alice"])
        #expect(claims.string("aud") == ATScene.resource)
        #expect(claims.string("iss") == ATScene.issuer)
        #expect(claims.string("client_id") == ATScene.url)
        #expect(claims.string("scope") == "atproto transition:generic")
        #expect(claims.object("cnf")?.string("jkt") == scene.app.key.thumbprint.text)
        #expect(claims["realm_access"] == nil)
        let refreshed = try await scene.refresh(try reply.refreshToken)
        #expect(refreshed.json.string("sub") == ATScene.dids["alice"])
        #expect(refreshed.json.string("scope") == "atproto transition:generic")
        #expect(refreshed.json["id_token"] == nil)
        // Another person is another account.
        let bob = try await scene.tokens(as: "bob")
        #expect(bob.json.string("sub") == ATScene.dids["bob"])
    }

    @Test("ATP-SC-1: transition:chat.bsky counts with transition:generic alone")
    func chat() async throws {
        let scene = try await ATScene()
        let alone = try await scene.tokens([("scope", "atproto transition:chat.bsky")])
        #expect(alone.json.string("scope") == "atproto")
        let both = "atproto transition:generic transition:chat.bsky"
        #expect(try await scene.tokens([("scope", both)]).json.string("scope") == both)
    }

    @Test("ATP-SC-3: permissions are granted as asked, unknown ones left out, sets refused")
    func permissions() async throws {
        let known = "atproto repo:app.bsky.feed.post?action=create blob:image/*"
        let scene = try await ATScene([
            "scope": .string(known + " future:thing include:com.example.set")
        ])
        let reply = try await scene.tokens([("scope", known + " future:thing")])
        #expect(reply.json.string("scope") == known)
        #expect(try claims(reply).string("scope") == known)
        let noted = scene.server.log.split(separator: "\n").filter {
            $0.contains("event=scope.left_out")
        }
        #expect(noted.count == 1)
        #expect(noted.first?.contains("future:thing") == true)
        let set = try await scene.push([("scope", "atproto include:com.example.set")])
        #expect(set.status == 400 && set.error == "invalid_scope")
    }

    @Test("ATP-CB-8: a code that is redeemed again ends its session")
    func replay() async throws {
        let scene = try await ATScene()
        let code = try await scene.code()
        let tokens = try await scene.redeem(code)
        #expect(tokens.status == 200)
        let again = try await scene.redeem(code)
        #expect(again.status == 400 && again.error == "invalid_grant")
        let refresh = try await scene.refresh(try tokens.refreshToken)
        #expect(refresh.error == "invalid_grant")
    }

    @Test("RFC9449-5-1: no token without a proof, and the code stays good")
    func withoutProof() async throws {
        let scene = try await ATScene()
        let code = try await scene.code()
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", ATScene.url),
            ("redirect_uri", ATScene.redirect), ("code_verifier", "x"),
        ]
        let bare = try await scene.server.token(form)
        #expect(bare.status == 400 && bare.error == "invalid_dpop_proof")
        let fetched = scene.sites.fetched.count
        let other = form.filter { $0.0 != "client_id" } + [("client_id", ATScene.url + "x")]
        #expect(try await scene.server.token(other).error == "invalid_dpop_proof")
        #expect(scene.sites.fetched.count == fetched, "nothing is fetched for it")
        #expect(try await scene.redeem(code).status == 200)
    }

    @Test("decision 0064: a proof for where other realms have the endpoint is refused")
    func formerAddress() async throws {
        let scene = try await ATScene()
        let code = try await scene.code()
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", ATScene.url),
            ("redirect_uri", ATScene.redirect), ("code_verifier", "x"),
        ]
        let nonce = try await scene.app.nonce()
        for address in [
            ATScene.issuer + String.endpoint("token"), ATScene.issuer + "/oauth/par",
            ATScene.resource + "/oauth/token", "https://op.example.com/oauth/token",
        ] {
            let proof = try scene.app.key.proof(
                .post,
                try #require(HTTPAddress(address)),
                nonce: nonce,
                at: Moment(now: scene.server.clock.now, random: .system)
            )
            let reply = try await scene.server.post("token", form, proof: proof)
            #expect(reply.status == 400 && reply.error == "invalid_dpop_proof", "\(address)")
        }
        #expect(try await scene.redeem(code).status == 200)
    }

    @Test("attack C02, RFC 6749 §6: a refresh token at another client is refused, and ends nothing")
    func otherClient() async throws {
        let scene = try await ATScene()
        let refresh = try await scene.tokens().json.string("refresh_token") ?? ""
        let other = "https://app.example.com/other.json"
        func form(_ client: String) -> [(String, String)] {
            [("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", client)]
        }
        // It is not known, and nothing is fetched for a token.
        let unknown = try await scene.app.post("token", form(other))
        #expect(unknown.status >= 400 && unknown.json["access_token"] == nil)
        scene.sites[other] = DocumentSites.Answer(
            scene.document.merging(["client_id": .string(other)])
        )
        let pushed = try await scene.push([("client_id", other)])
        #expect(pushed.status == 201, "\(pushed.text)")
        // With the key that the token is bound to, and with one of its own.
        let own = try Prover(scene.server)
        for prover in [scene.app, own] {
            let refused = try await prover.post("token", form(other))
            #expect(refused.status == 400, "\(refused.text)")
            #expect(refused.error == "invalid_grant" && refused.json["access_token"] == nil)
        }
        // Its own client, with a key that is not the session's.
        let thief = try await own.post("token", form(ATScene.url))
        #expect(thief.status == 400 && thief.json["access_token"] == nil)
        #expect(try await scene.refresh(refresh).status == 200, "nothing ended")
    }

    @Test("ATP-TL-2: sessions of public clients end after two weeks, used or not")
    func publicLifetime() async throws {
        let scene = try await ATScene()
        var refresh = try await scene.tokens().json.string("refresh_token") ?? ""
        // No sign-in of the browser's is needed any more.
        for _ in 1...13 {
            scene.server.clock.advance(by: Self.day)
            let reply = try await scene.refresh(refresh)
            #expect(reply.status == 200, "\(reply.text)")
            refresh = try reply.refreshToken
        }
        scene.server.clock.advance(by: Self.day - 1)
        let last = try await scene.refresh(refresh)
        #expect(last.status == 200)
        scene.server.clock.advance(by: 1)
        let over = try await scene.refresh(try last.refreshToken)
        #expect(over.error == "invalid_grant")
    }

    @Test("ATP-TL-3: those of confidential clients live 90 days unused, and two years in all")
    func confidentialLifetime() async throws {
        let scene = try await ATScene(isConfidential: true)
        let begun = scene.server.clock.seconds
        var refresh = try await scene.tokens().json.string("refresh_token") ?? ""
        for _ in 1...8 {
            scene.server.clock.advance(by: 90 * Self.day - 1)
            let reply = try await scene.refresh(refresh)
            #expect(reply.status == 200, "\(reply.text)")
            refresh = try reply.refreshToken
        }
        let left = Double(begun) + 730 * Self.day - Double(scene.server.clock.seconds)
        scene.server.clock.advance(by: left - 1)
        let last = try await scene.refresh(refresh)
        #expect(last.status == 200)
        scene.server.clock.advance(by: 1)
        let over = try await scene.refresh(try last.refreshToken)
        #expect(over.error == "invalid_grant")
        let idle = try await ATScene(isConfidential: true)
        let unused = try await idle.tokens().json.string("refresh_token") ?? ""
        idle.server.clock.advance(by: 90 * Self.day)
        #expect(try await idle.refresh(unused).error == "invalid_grant")
    }

    @Test("ATP-MD-12: a client whose document does not say so gets no refresh token")
    func withoutRefresh() async throws {
        let scene = try await ATScene(["grant_types": ["authorization_code"]])
        let reply = try await scene.tokens()
        #expect(reply.status == 200)
        #expect(reply.json["refresh_token"] == nil)
    }

    @Test("decision 0064: sessions go on without the client's site; nothing is fetched for a token")
    func outlives() async throws {
        let scene = try await ATScene()
        let tokens = try await scene.tokens()
        let access = try tokens.accessToken
        #expect(scene.sites.fetched.count == 1)
        scene.sites[ATScene.url] = nil
        // Another process knows only what is kept.
        let server = scene.server
        let realms = try await RealmDirectory(store: server.database.realms, ring: server.ring)
        let verifier = AccessTokenVerifier(grants: server.database.grants)
        let realm = try #require(realms.realm(named: "test"))
        let moment = Moment(now: server.clock.now, random: .system)
        let live = try await verifier.live(access, in: realm, at: moment)
        #expect(live?.client.clientID == ATScene.url)
        #expect(live?.claims.string("sub") == ATScene.dids["alice"])
        let userInfo = try await scene.app.userInfo(access)
        #expect(userInfo.status == 401 || userInfo.status == 403)
        let introspected = try await scene.server.post(
            scene.server.path(of: "token/introspect"),
            [("token", access)],
            headers: .web1
        )
        #expect(introspected.status == 200)
        #expect(scene.sites.fetched.count == 1)
    }

    @Test("decision 0064: introspection fetches nothing, and is for registered clients")
    func introspection() async throws {
        let scene = try await ATScene(isConfidential: true)
        func ask() async throws -> Reply {
            try await scene.server.post(
                scene.server.path(of: "token/introspect"),
                [("token", "x"), ("client_id", ATScene.url)] + scene.assertion()
            )
        }
        #expect(try await ask().error == "invalid_client")
        #expect(scene.sites.fetched.isEmpty)
        // Nor where the document is known.
        #expect(try await scene.push().status == 201)
        #expect(try await ask().error == "invalid_client")
    }

    @Test("decision 0064: a client ends its own session, by proof of who it is")
    func revoked() async throws {
        let scene = try await ATScene(isConfidential: true)
        let tokens = try await scene.tokens()
        let refresh = try tokens.refreshToken
        let form = [("token", refresh), ("client_id", ATScene.url)]
        let path = scene.server.path(of: "revoke")
        #expect(try await scene.server.post(path, form).status == 400)
        let reply = try await scene.server.post(path, form + scene.assertion())
        #expect(reply.status == 200)
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
    }

    @Test(
        "decision 0064: a person's other DID, or none, ends what began with the first",
        arguments: [nil, "did:plc:other66vv44zksje25o7dz7a"] as [String?]
    )
    func otherDID(_ did: String?) async throws {
        let scene = try await ATScene()
        let refresh = try await scene.tokens().json.string("refresh_token") ?? ""
        let code = try await scene.code()
        let people = scene.server.database.people
        let realm = try #require(scene.server.provider.realms.realm(named: "test"))
        let found = try await people.credentials(realmID: realm.id, login: "alice", byEmail: false)
        var alice = try #require(found).person
        let attributes = alice.attributes
        alice.attributes["did"] = did.map { [$0] }
        #expect(try await people.update(alice) == .changed)
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
        #expect(try await scene.redeem(code).error == "invalid_grant")
        // Neither is it the first one's again.
        alice.attributes = attributes
        #expect(try await people.update(alice) == .changed)
        #expect(try await scene.refresh(refresh).error == "invalid_grant")
        #expect(try await scene.tokens().json.string("sub") == ATScene.dids["alice"])
    }

    @Test("ATP-UI-2: people see each session of such a client, and end one")
    func sessions() async throws {
        let scene = try await ATScene()
        let browser = TestBrowser(scene.server)
        let first = try await scene.tokens()
        scene.server.clock.advance(by: 60)
        let second = try await scene.tokens()
        let foreign = try await scene.tokens(as: "bob")
        let path = "/realms/test/account/devices"
        let form = try await browser.get(path)
        _ = try await browser.submit(form, TestRealm.login())
        let page = try await browser.get(path)
        let ids = page.text.matches(of: /name="id" value="(session-[^"]*)"/).map { String($0.1) }
        #expect(ids.count == 2, "\(page.text)")
        #expect(page.text.contains("app.example.com/client.json"))
        let proof = page.formProof
        let newest = try #require(ids.first)
        let ended = try await browser.post(path, proof + [("id", newest), ("action", "end")])
        #expect(ended.status == 200)
        #expect(ended.text.matches(of: /value="session-/).count == 1)
        let apps = try await browser.get("/realms/test/account/apps")
        #expect(apps.text.matches(of: /name="id" value=/).count == 1, "one app, whatever it has")
        #expect(try await scene.refresh(try second.refreshToken).status == 400)
        #expect(try await scene.refresh(try first.refreshToken).status == 200)
        // Somebody else's is not there.
        let others = try claims(foreign).string("jti").flatMap { AccessTokenID($0) }?.grantID.text
        let nobody = try await browser.post(
            path,
            proof + [("id", "session-" + (others ?? "")), ("action", "end")]
        )
        #expect(nobody.status == 200)
        #expect(try await scene.refresh(try foreign.refreshToken).status == 200)
    }
}
