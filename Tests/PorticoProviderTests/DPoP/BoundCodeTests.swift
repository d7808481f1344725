import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Codes that are bound to a key") struct BoundCodeTests {
    @Test("RFC9449-10-1: dpop_jkt binds the code; another key spends it")
    func bound() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        let key = [("dpop_jkt", app.key.thumbprint.text)]
        let code = try await server.code("alice", "native1", key)
        let other = try await Prover(server).redeem(code)
        #expect(other.status == 400 && other.error == "invalid_grant")
        #expect(try await app.redeem(code).error == "invalid_grant", "it is spent")

        let second = try await server.code("alice", "native1", key)
        let reply = try await app.redeem(second)
        #expect(reply.json.string("token_type") == "DPoP")
        #expect(try await app.redeem(second).error == "invalid_grant")
        let access = try reply.accessToken
        #expect(try await app.userInfo(access).status == 401, "the replay ended the grant")
    }

    @Test("RFC9449-10-1: a bound code without a proof is refused, and stays good")
    func withoutProof() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        for client in ["native1", "web1"] {
            let basic = client == "web1" ? TestRealm.web1 : nil
            let code = try await server.code(
                "alice",
                client,
                [("dpop_jkt", app.key.thumbprint.text)]
            )
            let bare = try await server.redeem(code, client)
            #expect(bare.status == 400 && bare.error == "invalid_dpop_proof")
            #expect(try await app.redeem(code, client, basic: basic).status == 200)
        }
    }

    @Test(
        "RFC9449-10-1: dpop_jkt is the base64url of a SHA-256",
        arguments: [
            "x", String(repeating: "A", count: 42), String(repeating: "A", count: 44), "\u{E9}",
        ]
    )
    func malformed(key: String) async throws {
        let server = try await ProviderUnderTest()
        let request = TestFlow.request("native1", [("dpop_jkt", key)])
        #expect(try await TestBrowser(server).authorize(request).error == "invalid_request")
        #expect(try await server.push(request).error == "invalid_request")
    }

    private func pushed(_ request: [(String, String)], _ app: Prover) async throws -> Reply {
        try await app.post("ext/par/request", request)
    }

    private func code(_ pushed: Reply, _ server: ProviderUnderTest) async throws -> String {
        let uri = try pushed.requestURI
        let request = [("client_id", "native1"), ("request_uri", uri)]
        return try await TestBrowser(server).signIn("alice", request).redirected["code"] ?? ""
    }

    @Test("RFC9449-10.1-2: a proof at the PAR endpoint binds the code as dpop_jkt does")
    func pushedProof() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        for key in [[], [("dpop_jkt", app.key.thumbprint.text)]] {
            let reply = try await pushed(TestFlow.request("native1", key), app)
            #expect(reply.status == 201)
            let first = try await code(reply, server)
            #expect(try await server.redeem(first).error == "invalid_dpop_proof")
            #expect(try await app.redeem(first).json.string("token_type") == "DPoP")
            let second = try await code(pushed(TestFlow.request("native1", key), app), server)
            #expect(try await Prover(server).redeem(second).error == "invalid_grant")
        }
    }

    @Test("RFC9449-10.1-1: dpop_jkt and the proof of a pushed request agree, or it is refused")
    func disagreement() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        let key = try Prover(server).key.thumbprint.text
        let reply = try await pushed(TestFlow.request("native1", [("dpop_jkt", key)]), app)
        #expect(reply.status == 400 && reply.error == "invalid_dpop_proof")
        // Without a proof it binds all the same.
        let bare = try await server.push(TestFlow.request("native1", [("dpop_jkt", key)]))
        #expect(bare.status == 201)
        #expect(try await app.redeem(try await code(bare, server)).error == "invalid_grant")
    }

    @Test("ATP-DP-3: a pushed request without a proof is taken; the key of the token request binds")
    func laterKey() async throws {
        let server = try await ProviderUnderTest { $0.realm.profile.requiresProofs = true }
        let app = try Prover(server)
        let reply = try await server.push(TestFlow.request("native1"))
        #expect(reply.status == 201)
        let tokens = try await app.redeem(try await code(reply, server))
        #expect(tokens.json.string("token_type") == "DPoP")
        let refresh = try tokens.refreshToken
        #expect(try await Prover(server).refresh(refresh).error == "invalid_grant")
        #expect(try await app.refresh(refresh).status == 200)
        // A proof, if there is one, has a nonce at every endpoint.
        for endpoint in ["ext/par/request", "token"] {
            let proof = try app.proof(.post, endpoint, nonce: nil)
            let asked = try await server.post(
                endpoint,
                TestFlow.request("native1", TestFlow.own),
                proof: proof
            )
            #expect(asked.error == "use_dpop_nonce")
        }
    }

    @Test("attack B09, ATP-AR-4: a challenge pushed twice gives one session, which lives")
    func repeatedChallenge() async throws {
        let server = try await ProviderUnderTest { $0.realm.profile.spendsChallenges = true }
        let app = try Prover(server)
        let one = try await pushed(TestFlow.request("native1"), app)
        let two = try await pushed(TestFlow.request("native1"), app)
        #expect(one.status == 201 && two.status == 201)
        let tokens = try await app.redeem(try await code(one, server))
        #expect(tokens.status == 200)
        let second = try await app.redeem(try await code(two, server))
        #expect(second.status == 400 && second.error == "invalid_grant")
        #expect(try await app.userInfo(tokens.accessToken).status == 200)
        // Of another client it is another challenge.
        let web = try await server.code("alice", "web1")
        let basic = TestRealm.web1
        #expect(try await app.redeem(web, "web1", basic: basic).status == 200)
        // A day later it may be used again.
        server.clock.advance(by: 86_401)
        try await server.database.grants.purge(before: server.clock.seconds)
        #expect(try await app.redeem(server.code()).status == 200)
    }

    @Test("attack B09: a code that is replayed ends its grant there too")
    func replay() async throws {
        let server = try await ProviderUnderTest { $0.realm.profile.spendsChallenges = true }
        let app = try Prover(server)
        let code = try await server.code()
        let access = try await app.redeem(code).json.string("access_token") ?? ""
        #expect(try await app.redeem(code).error == "invalid_grant")
        #expect(try await app.userInfo(access).status == 401)
    }
}
