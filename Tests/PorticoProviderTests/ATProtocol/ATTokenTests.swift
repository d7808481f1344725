import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Tokens of a host of the AT Protocol") struct ATTokenTests {
    private let scene: ATScene

    init() async throws {
        scene = try await ATScene()
    }

    private static let day: Double = 86_400

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
        let claims = try reply.accessClaims
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
        #expect(try await scene.tokens(as: "bob").json.string("sub") == ATScene.dids["bob"])
    }

    @Test("ATP-SC-1: transition:chat.bsky counts with transition:generic alone")
    func chat() async throws {
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
        #expect(try reply.accessClaims.string("scope") == known)
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
        let code = try await scene.code()
        let tokens = try await scene.redeem(code)
        #expect(tokens.status == 200)
        let again = try await scene.redeem(code)
        #expect(again.status == 400 && again.error == "invalid_grant")
        #expect(try await scene.refresh(try tokens.refreshToken).error == "invalid_grant")
    }

    @Test("RFC9449-5-1: no token without a proof, and the code stays good")
    func withoutProof() async throws {
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
        let refresh = try await scene.tokens().json.string("refresh_token") ?? ""
        let other = "https://app.example.com/other.json"
        func form(_ client: String) -> [(String, String)] {
            [("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", client)]
        }
        // It is not known, and nothing is fetched for a token.
        let unknown = try await scene.app.post("token", form(other))
        #expect(unknown.status >= 400 && unknown.json["access_token"] == nil)
        scene.serve([other])
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
        #expect(try await scene.refresh(try last.refreshToken).error == "invalid_grant")
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
        #expect(try await scene.refresh(try last.refreshToken).error == "invalid_grant")
        let idle = try await ATScene(isConfidential: true)
        let unused = try await idle.tokens().json.string("refresh_token") ?? ""
        idle.server.clock.advance(by: 90 * Self.day)
        #expect(try await idle.refresh(unused).error == "invalid_grant")
    }

    @Test("ATP-MD-12: a client whose document does not say so gets no refresh token")
    func withoutRefresh() async throws {
        let reply = try await ATScene(["grant_types": ["authorization_code"]]).tokens()
        #expect(reply.status == 200)
        #expect(reply.json["refresh_token"] == nil)
    }

    @Test("decision 0064: sessions go on without the client's site; nothing is fetched for a token")
    func outlives() async throws {
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

    @Test(
        "decision 0064: a person's other DID, or none, ends what began with the first",
        arguments: [nil, "did:plc:other66vv44zksje25o7dz7a"] as [String?]
    )
    func otherDID(_ did: String?) async throws {
        let refresh = try await scene.tokens().json.string("refresh_token") ?? ""
        let code = try await scene.code()
        let people = scene.server.database.people
        var alice = try await scene.server.person().person
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

    /// All get the same answer.
    private func revoke(
        _ token: String,
        _ scene: ATScene,
        by prover: Prover?,
        _ proof: [(String, String)]? = nil
    ) async throws {
        let form = [("token", token), ("client_id", ATScene.url)] + (try proof ?? scene.proof())
        let reply =
            if let prover {
                try await prover.post("revoke", form)
            } else {
                try await scene.server.post(scene.server.path(of: "revoke"), form)
            }
        #expect(reply.status == 200 && reply.text == "{}")
    }

    @Test(
        "attack G18, RFC 7009 §2.2: a token that is of no use any more, found by a stranger, ends no session",
        arguments: [true, false]
    )
    func found(isConfidential: Bool) async throws {
        let scene = try await ATScene(isConfidential: isConfidential)
        let stranger = try Prover(scene.server)
        let first = try await scene.tokens()
        let spent = try first.refreshToken
        let access = try first.accessToken
        let second = try await scene.refresh(spent)
        let current = try second.refreshToken
        // By no key, and by another one.
        try await revoke(spent, scene, by: nil)
        for token in [spent, current, access] { try await revoke(token, scene, by: stranger) }
        scene.server.clock.advance(by: 3600)
        try await revoke(access, scene, by: nil)
        let third = try await scene.refresh(current)
        #expect(third.status == 200)
        // By its own key any of them does.
        try await revoke(spent, scene, by: scene.app)
        #expect(try await scene.refresh(third.refreshToken).error == "invalid_grant")
    }

    @Test("RFC 7009 §2.1: a token that can be used ends its session also where no key is proven")
    func usable() async throws {
        for kind in ["refresh_token", "access_token"] {
            let tokens = try await scene.tokens()
            let refresh = try tokens.refreshToken
            try await revoke(try #require(tokens.json.string(kind)), scene, by: nil)
            #expect(try await scene.refresh(refresh).error == "invalid_grant", "\(kind)")
        }
    }

    @Test("ATP-CA-3: another key of the client's, which its document has too, ends no session")
    func otherClientKey() async throws {
        let scene = try await ATScene(isConfidential: true)
        let refresh = try await scene.tokens().refreshToken
        let other = try SigningKey(generating: .es256, keyID: "two", random: .system)
        let keys = [scene.key, other].map { JSONValue.object($0.verificationKey.jwk.object) }
        scene.publish(["jwks": ["keys": .array(keys)]])
        scene.server.clock.advance(by: 600)
        let bare = [("token", refresh), ("client_id", ATScene.url)]
        #expect(try await scene.server.post(scene.server.path(of: "revoke"), bare).status == 400)
        try await revoke(refresh, scene, by: scene.app, scene.proof(by: other))
        let next = try await scene.refresh(refresh)
        #expect(next.status == 200)
        let current = try next.refreshToken
        try await revoke(current, scene, by: scene.app)
        #expect(try await scene.refresh(current).error == "invalid_grant")
    }
}
