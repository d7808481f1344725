import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoTestSupport
import Testing

@Suite("Swapping refresh tokens that are bound to a key") struct SwapProofTests {
    private static func form(_ token: String) -> [(String, String)] {
        [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "app")]
    }

    @Test(
        "RFC9449-5-5, decision 0051: a bound token of the server before needs its key, as what it gives does"
    )
    func bound() async throws {
        let scene = try await SwapScene()
        let app = try Prover(scene.server, realm: "garden")
        let thief = try Prover(scene.server, realm: "garden")
        let confirmation: JSONObject = ["jkt": .string(app.key.thumbprint.text)]
        let old = SwapScene.sign(scene.claims(["cnf": .object(confirmation)]))
        #expect(try await scene.swap(old).error == "invalid_grant")
        #expect(try await thief.post("token", Self.form(old)).error == "invalid_grant")
        #expect(try await scene.counts() == ["bound": 2])

        let reply = try await app.post("token", Self.form(old))
        #expect(reply.status == 200, "\(reply.text)")
        #expect(reply.json.string("token_type") == "DPoP")
        // Keycloak's form says it as our own does.
        let access = try reply.claims("access_token")
        #expect(access.object("cnf") == confirmation)
        #expect(access.string("typ") == "DPoP")

        // Lost: the same key gets the same again, and no one else anything; nothing ends.
        scene.server.clock.advance(by: 600)
        #expect(try await thief.post("token", Self.form(old)).error == "invalid_grant")
        let again = try await app.post("token", Self.form(old))
        #expect(again.refreshToken == reply.refreshToken)
        #expect(try await scene.swap(reply.refreshToken).error == "invalid_dpop_proof")
        #expect(try await app.post("token", Self.form(reply.refreshToken)).status == 200)
    }

    @Test("RFC9449-5-5: a token that was bound to no key is bound by the proof of its swap")
    func bindsFromThenOn() async throws {
        let scene = try await SwapScene()
        let app = try Prover(scene.server, realm: "garden")
        let old = SwapScene.sign(scene.claims())
        let reply = try await app.post("token", Self.form(old))
        #expect(reply.json.string("token_type") == "DPoP")
        #expect(try await scene.swap(reply.refreshToken).error == "invalid_dpop_proof")
        let again = try await app.post("token", Self.form(old))
        #expect(again.refreshToken == reply.refreshToken)
        #expect(try await app.post("token", Self.form(reply.refreshToken)).status == 200)
    }

    @Test("RFC9449-11.1-1: the proof of a repeated swap is good once at all nodes")
    func repeatedSwap() async throws {
        let scene = try await SwapScene()
        let app = try Prover(scene.server, realm: "garden")
        let form = Self.form(SwapScene.sign(scene.claims()))
        let next = try await app.post("token", form).refreshToken
        // The answer was lost: the same again.
        let proof = try await app.proof(.post, "token")
        let repeated = try await scene.server.post("token", form, proof: proof, realm: "garden")
        #expect(repeated.refreshToken == next)
        let node = try await SwapScene(database: scene.server.database, clock: scene.server.clock)
        let again = try await node.server.post("token", form, proof: proof, realm: "garden")
        #expect(again.status == 400 && again.error == "invalid_dpop_proof")
        // Nothing has ended, and another proof is as good there.
        let other = try await app.proof(.post, "token")
        let third = try await node.server.post("token", form, proof: other, realm: "garden")
        #expect(third.refreshToken == next)
        #expect(try await app.post("token", Self.form(next)).status == 200)
    }

    @Test("decision 0051: a thief who swaps a stolen token by a key loses it when its owner comes")
    func stolen() async throws {
        for ownerProves in [false, true] {
            let scene = try await SwapScene()
            let (owner, thief) = (
                try Prover(scene.server, realm: "garden"), try Prover(scene.server, realm: "garden")
            )
            let old = SwapScene.sign(scene.claims())
            let taken = try await thief.post("token", Self.form(old))
            #expect(taken.status == 200)
            let reply =
                ownerProves
                ? try await owner.post("token", Self.form(old)) : try await scene.swap(old)
            #expect(reply.error == "invalid_grant")
            let next = try await thief.post("token", Self.form(taken.refreshToken))
            #expect(next.error == "invalid_grant")
        }
    }

    @Test("decision 0051: what is bound to a certificate is not swapped, whatever key is proved")
    func certificate() async throws {
        let scene = try await SwapScene()
        let app = try Prover(scene.server, realm: "garden")
        for confirmation: JSONObject in [
            ["x5t#S256": "thumbprint"],
            ["jkt": .string(app.key.thumbprint.text), "x5t#S256": "thumbprint"], [:],
        ] {
            let old = SwapScene.sign(scene.claims(["cnf": .object(confirmation)]))
            #expect(try await app.post("token", Self.form(old)).error == "invalid_grant")
        }
        let text = SwapScene.sign(scene.claims(["cnf": .string(app.key.thumbprint.text)]))
        #expect(try await app.post("token", Self.form(text)).error == "invalid_grant")
    }
}
