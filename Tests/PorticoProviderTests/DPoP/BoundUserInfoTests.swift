import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoTestSupport
import Testing

@Suite("UserInfo with tokens that are bound to a key") struct BoundUserInfoTests {
    private let scene: Scene

    init() async throws {
        scene = try await Scene()
    }

    private struct Scene {
        let server: ProviderUnderTest
        let app: Prover
        let token: String

        init() async throws {
            server = try await ProviderUnderTest()
            app = try Prover(server)
            token = try await app.tokens().accessToken
        }

        func proof(_ token: String? = nil, by app: Prover? = nil) async throws -> String {
            try await (app ?? self.app).proof(.get, "userinfo", token: token ?? self.token)
        }

        func challenges(_ reply: Reply) -> [String] { reply.headers[values: .wwwAuthenticate] }
    }

    @Test("RFC9449-7.1-2: token, proof, hash and key are good: the claims, by GET and POST")
    func good() async throws {
        let reply = try await scene.app.userInfo(scene.token)
        #expect(reply.status == 200)
        #expect(reply.json.string("email") == "alice@example.com")
        let other = try await scene.server.userInfo(
            "dpop " + scene.token,
            proofs: [try await scene.proof()]
        )
        #expect(other.status == 200, "a scheme has any case")
        let post = try await scene.server.send(
            .post,
            .endpoint("userinfo"),
            headers: [
                .authorization: "DPoP " + scene.token,
                .proof: try await scene.app.proof(.post, "userinfo", token: scene.token),
            ]
        )
        #expect(post.status == 200)
    }

    @Test(
        "attack G13, RFC9449-7.1-2, RFC9449-7.1-3: a wrong proof is 401 with the challenge DPoP first",
        arguments: WrongProof.allCases.filter { $0 != .unexpectedHash && $0 != .query }
    )
    func wrong(_ wrong: WrongProof) async throws {
        let nonce = try #require(try await scene.app.nonce())
        let proof = try wrong.text(
            for: "userinfo",
            "GET",
            of: scene.server,
            nonce: nonce,
            token: scene.token
        )
        let reply = try await scene.server.userInfo("DPoP " + scene.token, proofs: [proof])
        #expect(reply.status == 401)
        #expect(reply.error == wrong.error)
        let challenges = scene.challenges(reply)
        #expect(challenges.count == 2)
        #expect(challenges.first?.hasPrefix("DPoP algs=\"") == true)
        #expect(challenges.first?.contains("error=\"\(wrong.error)\"") == true)
        #expect(challenges.last?.hasPrefix("Bearer ") == true)
        #expect(challenges.last?.contains("error") == false)
        #expect(try await scene.app.userInfo(scene.token).status == 200)
    }

    @Test("RFC9449-9-1: asked for a nonce, 401 says so in the challenge, and has one")
    func nonce() async throws {
        let proof = try scene.app.proof(.get, "userinfo", token: scene.token, nonce: nil)
        let reply = try await scene.server.userInfo("DPoP " + scene.token, proofs: [proof])
        #expect(reply.status == 401 && reply.error == "use_dpop_nonce")
        #expect(scene.challenges(reply).first?.contains(#"error="use_dpop_nonce""#) == true)
        let next = try scene.app.proof(
            .get,
            "userinfo",
            token: scene.token,
            nonce: reply.headers[.nonce]
        )
        #expect(
            try await scene.server.userInfo("DPoP " + scene.token, proofs: [next]).status == 200
        )
    }

    @Test("RFC9449-4.3-13, RFC9449-7.1-2: another key or hash, no proof or two proofs: 401")
    func mismatch() async throws {
        let server = scene.server
        let other = try Prover(server)
        let bound = "DPoP " + scene.token
        let key = try await server.userInfo(bound, proofs: [try await scene.proof(by: other)])
        #expect(key.status == 401 && key.error == "invalid_token")
        let hash = try await server.userInfo(bound, proofs: [try await scene.proof("another")])
        #expect(hash.status == 401 && hash.error == "invalid_dpop_proof")
        let bare = try await server.userInfo(bound, proofs: [])
        #expect(bare.status == 401 && bare.error == "invalid_dpop_proof")
        let two = [try await scene.proof(), try await scene.proof()]
        #expect(try await server.userInfo(bound, proofs: two).status == 401)
        // A token that is bound to no key proves nothing by a key of anybody's.
        let free = try await server.tokens().json.string("access_token") ?? ""
        let unbound = try await server.userInfo(
            "DPoP " + free,
            proofs: [try await scene.proof(free)]
        )
        #expect(unbound.status == 401 && unbound.error == "invalid_token")
        #expect(try await server.userInfo(free).status == 200)
    }

    @Test("RFC9449-7.2-1: a bound token is refused as Bearer, in header and form")
    func asBearer() async throws {
        let server = scene.server
        for proofs in [[], [try await scene.proof()]] {
            let reply = try await server.userInfo("Bearer " + scene.token, proofs: proofs)
            #expect(reply.status == 401 && reply.error == "invalid_token")
            let challenges = scene.challenges(reply)
            #expect(challenges.first?.hasPrefix("DPoP ") == true)
            #expect(challenges.first?.contains("error") == false)
            #expect(challenges.last?.contains(#"error="invalid_token""#) == true)
        }
        let form = try await server.post(
            "userinfo",
            [("access_token", scene.token)],
            proof: try await scene.app.proof(.post, "userinfo", token: scene.token)
        )
        #expect(form.status == 401 && form.error == "invalid_token")
        #expect(try await scene.app.userInfo(scene.token).status == 200)
    }

    @Test("RFC9449-7.2-2: without credentials neither challenge has an error")
    func noCredentials() async throws {
        for proofs in [[], [try await scene.proof()]] {
            let reply = try await scene.server.userInfo(nil, proofs: proofs)
            #expect(reply.status == 401)
            #expect(scene.challenges(reply).count == 2)
            #expect(scene.challenges(reply).first?.hasPrefix("DPoP algs=") == true)
            #expect(scene.challenges(reply).allSatisfy { !$0.contains("error") })
            #expect(reply.json.isEmpty)
        }
    }

    @Test("RFC9449-11.1-1: a proof is good once at UserInfo, also of many at once")
    func repeated() async throws {
        for _ in 1...20 {
            let proof = try await scene.proof()
            let replies = try await atOnce(1...8) { _ in
                try await scene.server.userInfo("DPoP " + scene.token, proofs: [proof])
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.count { $0.error == "invalid_dpop_proof" } == 7)
        }
    }

    @Test("RFC9449-7.2-1: at the administration, which takes no proofs, a bound token is refused")
    func elsewhere() async throws {
        let server = try await ProviderUnderTest(administered: true)
        let app = try Prover(server)
        let bound = try await app.tokens().json.string("access_token") ?? ""
        let free = try await server.tokens().json.string("access_token") ?? ""
        func ask(_ authorization: String) async throws -> Int {
            let headers: HTTPFields = [.authorization: authorization, .accept: "application/json"]
            return try await server.send(.get, "/admin/realms/test", headers: headers).status
        }
        // Alice may do nothing there, which whoever is no one does not learn.
        #expect(try await ask("Bearer " + free) == 403)
        #expect(try await ask("Bearer " + bound) == 401)
        #expect(try await ask("DPoP " + bound) == 401)
    }

    @Test("RFC 7009 §2.1: a bound token is revoked with a proof or without, and is dead then")
    func revoked() async throws {
        let form = [("token", scene.token), ("client_id", "native1")]
        #expect(try await scene.app.post("revoke", form).status == 200)
        let reply = try await scene.app.userInfo(scene.token)
        #expect(reply.status == 401 && reply.error == "invalid_token")
    }
}
