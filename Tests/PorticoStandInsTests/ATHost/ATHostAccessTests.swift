import Crypto
import HTTPTypes
import PorticoATProtocol
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// A PDS checks a token and its proof as any resource server does, and says no as a real one.
@Suite("Access to the stand-in of a host") struct ATHostAccessTests {
    @Test("RFC 9449 §9: without a good nonce the challenge asks for one, and gives it")
    func nonce() async throws {
        let scene = try HostScene()
        let token = try await scene.signIn().access.reveal()
        for nonce in [nil, "abc"] {
            let reply = try await scene.session(
                token,
                proof: try scene.proof(token: token, nonce: nonce)
            )
            #expect(reply.status == 401 && reply.error == "use_dpop_nonce")
            let challenge = try #require(reply.headers[.wwwAuthenticate])
            #expect(challenge.hasPrefix("DPoP algs=\""))
            #expect(challenge.contains("error=\"use_dpop_nonce\""))
            #expect(
                reply.headers[values: .accessControlExposeHeaders]
                    == ["DPoP-Nonce", "WWW-Authenticate"]
            )
            let given = try #require(reply.nonce)
            let proof = try scene.proof(token: token, nonce: given)
            #expect(try await scene.session(token, proof: proof).status == 200)
        }
        // One given three buckets ago is not good any more; the token is still.
        let old = try await scene.nonce()
        scene.clock.advance(by: 180)
        let late = try scene.proof(token: token, nonce: old)
        #expect(try await scene.session(token, proof: late).error == "use_dpop_nonce")
        let again = try await scene.call("com.atproto.server.getSession", SecretText(token))
        #expect(again.status == 200)
    }

    @Test("RFC 9449 §7.1: no credentials, a bound token as Bearer: neither challenge nor nonce")
    func missing() async throws {
        let scene = try HostScene()
        let token = try await scene.signIn().access.reveal()
        let proof = try scene.proof(token: token, nonce: try await scene.nonce())
        let path = "/xrpc/com.atproto.server.getSession"
        let none = try await scene.send(.get, path)
        #expect(none.status == 401 && none.error == "AuthMissing")
        let bearer = try await scene.session(token, scheme: "Bearer", proof: proof)
        #expect(bearer.status == 400 && bearer.error == "InvalidToken")
        let basic = try await scene.session(token, scheme: "Basic", proof: proof)
        #expect(basic.status == 401 && basic.error == "AuthMissing")
        for reply in [none, bearer, basic] {
            #expect(reply.headers[.wwwAuthenticate] == nil && reply.nonce == nil)
        }
        #expect(try await scene.session(token, scheme: "dpop", proof: proof).status == 200)
    }

    @Test("RFC 9449 §7.1, §4.3: a proof that is not right for the request is refused")
    func proofs() async throws {
        let scene = try HostScene()
        let token = try await scene.signIn().access.reveal()
        let nonce = try await scene.nonce()
        let right = try scene.proof(token: token, nonce: nonce)
        let wrong: [(String, String?, String?)] = [
            ("none", nil, nil),
            ("two", right, try scene.proof(token: token, nonce: nonce)),
            ("no ath", try scene.proof(token: nil, nonce: nonce), nil),
            ("another token's ath", try scene.proof(token: "x", nonce: nonce), nil),
            ("another method", try scene.proof(.post, token: token, nonce: nonce), nil),
            (
                "another address",
                try scene.proof(at: HostScene.origin + "/xrpc/x", token: token, nonce: nonce), nil
            ),
            ("no JWT", "x", nil),
        ]
        for (name, proof, again) in wrong {
            let reply = try await scene.session(token, proof: proof, again: again)
            #expect(reply.status == 401 && reply.error == "invalid_dpop_proof", "\(name)")
            #expect(reply.headers[.wwwAuthenticate]?.contains("invalid_dpop_proof") == true)
            #expect(reply.nonce != nil)
        }
        #expect(try await scene.session(token, proof: right).status == 200)
        let replayed = try await scene.session(token, proof: right)
        #expect(replayed.status == 401 && replayed.error == "invalid_dpop_proof")
    }

    @Test("RFC 9449 §7.1, RFC 9068 §4: a token is this server's, of this key, and not over")
    func tokens() async throws {
        let scene = try HostScene()
        let tokens = try await scene.signIn()
        let token = tokens.access.reveal()
        let method = "com.atproto.server.getSession"
        let other = try DPoPKey(random: .system)
        let stolen = try await scene.call(method, tokens.access, key: other)
        #expect(stolen.json.string("message") == "Invalid DPoP key binding")
        let forger = try SigningKey(generating: .es256, random: .system)
        let now = scene.clock.seconds
        let claims: JSONObject = [
            "iss": .string(HostScene.origin), "aud": .string(HostScene.origin),
            "sub": .string(HostScene.ann.did), "exp": .integer(now + 60), "scope": "atproto",
            "cnf": ["jkt": .string(scene.key.thumbprint.text)],
        ]
        let forged = try forger.sign(claims: claims, type: .accessToken)
        let refused = try await [
            stolen, scene.call(method, SecretText("garbage")),
            scene.call(method, SecretText(forged)),
            scene.call(method, SecretText(String(token.dropLast(4)) + "AAAA")),
        ]
        for reply in refused {
            #expect(reply.status == 401 && reply.error == "invalid_token", "\(reply.text)")
            let challenge = reply.headers[.wwwAuthenticate]
            #expect(challenge?.contains("error=\"invalid_token\"") == true)
            #expect(reply.nonce != nil)
        }
        #expect(try await scene.session(tokens).status == 200)
        scene.clock.advance(by: 900)
        #expect(try await scene.session(tokens).error == "invalid_token")
        // Whose account is gone.
        let later = try await scene.signIn()
        scene.host.setPeople([HostScene.bob])
        #expect(try await scene.session(later).error == "invalid_token")
    }

    @Test("as at a real host, an access token ends with a refresh, and with a revocation by proof")
    func ended() async throws {
        let scene = try HostScene()
        let first = try await scene.signIn()
        let second = try await scene.refresh(first)
        #expect(try await scene.session(first).error == "invalid_token")
        #expect(try await scene.session(second).status == 200)
        // Without a proof the answer is the same, and nothing is revoked.
        let token = try #require(second.refresh)
        let form = FormEncoding.encode([(name: "token", value: token.reveal())])
        let bare = try await scene.send(
            .post,
            "/revoke",
            headers: [.contentType: "application/x-www-form-urlencoded"],
            body: form
        )
        #expect(bare.status == 200)
        #expect(try await scene.session(second).status == 200)
        #expect(try await scene.revoke(token))
        #expect(try await scene.session(second).error == "invalid_token")
        let other = try await scene.signIn()
        #expect(try await scene.session(other).status == 200, "another session of the account")
    }

    @Test("what nobody here answers")
    func otherMethods() async throws {
        let scene = try HostScene()
        let token = try await scene.signIn().access
        let unknown = try await scene.call("com.example.unknown", token)
        #expect(unknown.status == 502 && unknown.error == "UpstreamFailure")
        #expect(unknown.nonce != nil)
        #expect(try await scene.send(.get, "/xrpc/com.example.unknown").error == "AuthMissing")
    }
}
