import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Tokens that are bound to a key") struct BoundTokenTests {
    private let server: ProviderUnderTest
    private let app: Prover

    init() async throws {
        server = try await ProviderUnderTest()
        app = try Prover(server)
    }

    private static let web1 = TestRealm.web1

    private static func boundKey(_ token: String?) throws -> String? {
        try ProviderUnderTest.claims(token).object("cnf")?.string("jkt")
    }

    @Test("RFC9449-5-2, RFC9449-6.1-1, RFC9700-2.2.1-1: a proof binds the token to its key")
    func bound() async throws {
        let reply = try await app.tokens()
        #expect(reply.status == 200)
        #expect(reply.json.string("token_type") == "DPoP")
        let claims = try reply.accessClaims
        #expect(claims.object("cnf") == ["jkt": .string(app.key.thumbprint.text)])
        // What reads no cnf does not take it for a token that everybody may use.
        #expect(claims.string("typ") == "DPoP")
        #expect(try Self.boundKey(reply.json.string("id_token")) == nil)

        let free = try await server.tokens()
        #expect(free.json.string("token_type") == "Bearer")
        #expect(try Self.boundKey(free.json.string("access_token")) == nil)
    }

    @Test("RFC9449-6.1-1: the tokens of every grant type are bound")
    func everyGrant() async throws {
        let own = try await app.post("token", TestFlow.own, basic: TestRealm.machine)
        #expect(own.json.string("token_type") == "DPoP")
        #expect(try Self.boundKey(own.json.string("access_token")) == app.key.thumbprint.text)
        let next = try await app.refresh(try app.tokens().refreshToken)
        #expect(next.json.string("token_type") == "DPoP")
        #expect(try Self.boundKey(next.json.string("access_token")) == app.key.thumbprint.text)
    }

    @Test("RFC9449-11.1-1: the proof of a repeated refresh is good once at all nodes")
    func repeatedRefresh() async throws {
        let refresh = try await app.tokens().refreshToken
        let next = try await app.refresh(refresh).json.string("refresh_token")
        let form = [
            ("grant_type", "refresh_token"), ("refresh_token", refresh), ("client_id", "native1"),
        ]
        // The answer was lost: the same again.
        let proof = try await app.proof(.post, "token")
        let repeated = try await server.post("token", form, proof: proof)
        #expect(repeated.json.string("refresh_token") == next)
        let node = try ProofRefusalTests.node(of: server)
        let again = try await ProofRefusalTests.send(form, proof, to: node)
        #expect(again.status == 400 && again.error == "invalid_dpop_proof")
        #expect(try await app.refresh(try #require(next)).status == 200)
    }

    @Test("RFC9449-5-5: a public client's refresh token needs its key; another's try ends nothing")
    func publicRefresh() async throws {
        let tokens = try await app.tokens()
        let refresh = try tokens.refreshToken

        #expect(try await Prover(server).refresh(refresh).error == "invalid_grant")
        let bare = try await server.refresh(refresh)
        #expect(bare.status == 400 && bare.error == "invalid_dpop_proof")
        #expect(try await app.userInfo(tokens.accessToken).status == 200)

        let next = try await app.refresh(refresh).refreshToken
        // Nor does the old generation end the grant without the key: no one says that it was used.
        #expect(try await Prover(server).refresh(refresh).error == "invalid_grant")
        #expect(try await server.refresh(refresh).error == "invalid_dpop_proof")
        #expect(try await app.refresh(next).status == 200)
    }

    @Test("RFC9449-5-5: a public client's first proof at a refresh binds what follows")
    func boundLater() async throws {
        let free = try await server.tokens().refreshToken
        let tokens = try await app.refresh(free)
        #expect(tokens.json.string("token_type") == "DPoP")
        let refresh = try tokens.refreshToken
        #expect(try await server.refresh(refresh).error == "invalid_dpop_proof")
        #expect(try await Prover(server).refresh(refresh).error == "invalid_grant")
        // Who lost the answer gets it again by the key.
        #expect(try await app.refresh(free).json.string("refresh_token") == refresh)
        #expect(try await app.refresh(refresh).status == 200)
    }

    @Test(
        "RFC 9700 §4.14.2: a thief who binds a stolen token to a key loses it when its owner comes",
        arguments: [false, true]
    )
    func boundByThief(ownerProves: Bool) async throws {
        let owner = try Prover(server)
        let thief = try Prover(server)
        let stolen = try await server.tokens().refreshToken
        let tokens = try await thief.refresh(stolen)
        let access = try tokens.accessToken
        #expect(try await thief.userInfo(access).status == 200)
        let reply = ownerProves ? try await owner.refresh(stolen) : try await server.refresh(stolen)
        #expect(reply.status == 400 && reply.error == "invalid_grant")
        #expect(try await thief.refresh(tokens.refreshToken).error == "invalid_grant")
        #expect(try await thief.userInfo(access).status == 401)
    }

    @Test("RFC9449-5-5: of two keys at once one binds at most, and the other gets nothing")
    func boundOnce() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        let apps = [try Prover(server), try Prover(server)]
        for _ in 1...20 {
            let free = try await server.tokens().refreshToken
            let replies = try await atOnce(apps + apps) { app in try await app.refresh(free) }
            let good = replies.filter { $0.status == 200 }
            #expect((1...2).contains(good.count))
            #expect(replies.count { $0.error == "invalid_grant" } == 4 - good.count)
            let keys = try good.map { try Self.boundKey($0.json.string("access_token")) }
            #expect(Set(keys).count == 1)
        }
    }

    @Test("RFC9449-5-7: a confidential client may change its key; the token has the newest")
    func confidentialRefresh() async throws {
        let first = try Prover(server)
        let tokens = try await first.tokens("web1", basic: Self.web1)
        #expect(tokens.json.string("token_type") == "DPoP")
        let second = try Prover(server)
        let next = try await second.refresh(tokens.refreshToken, basic: Self.web1)
        #expect(next.status == 200)
        let access = try next.accessToken
        #expect(try Self.boundKey(access) == second.key.thumbprint.text)
        #expect(try await second.userInfo(access).status == 200)
        #expect(try await first.userInfo(access).status == 401)
        // It proves itself otherwise, so it may do without a key too.
        let last = try next.refreshToken
        let form = [("grant_type", "refresh_token"), ("refresh_token", last)]
        let free = try await server.token(form, basic: Self.web1)
        #expect(free.json.string("token_type") == "Bearer")
    }

    @Test("decision 0035: who lost the answer proves the key again, and gets the same successor")
    func lostAnswer() async throws {
        let r1 = try await app.tokens().refreshToken
        let r2 = try await app.refresh(r1).refreshToken
        server.clock.advance(by: 1500)
        #expect(try await app.refresh(r1).json.string("refresh_token") == r2)
        #expect(try await app.refresh(r2).status == 200)
        #expect(try await app.refresh(r1).error == "invalid_grant", "two generations old")
    }

    @Test("decision 0035: many refreshes at once with one key all get the same successor")
    func race() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        let app = try Prover(server)
        var token = try await app.tokens().refreshToken
        for _ in 1...20 {
            let presented = token
            let replies = try await atOnce(1...8) { _ in try await app.refresh(presented) }
            #expect(replies.allSatisfy { $0.status == 200 })
            let successors = Set(replies.compactMap { $0.json.string("refresh_token") })
            #expect(successors.count == 1)
            token = successors.first ?? ""
        }
    }

    @Test("RFC9449-5.2-1: a client registered so gets no token without a proof; nothing is spent")
    func required() async throws {
        let server = try await ProviderUnderTest { new in
            for index in new.clients.indices { new.clients[index].dpopBoundAccessTokens = true }
        }
        let app = try Prover(server)
        let code = try await server.code()
        let bare = try await server.redeem(code)
        #expect(bare.status == 400 && bare.error == "invalid_dpop_proof")
        let tokens = try await app.redeem(code)
        #expect(tokens.json.string("token_type") == "DPoP")
        let refresh = try tokens.refreshToken
        #expect(try await server.refresh(refresh).error == "invalid_dpop_proof")
        #expect(try await app.refresh(refresh).status == 200)
        let machine = TestRealm.machine
        #expect(try await server.token(TestFlow.own, basic: machine).error == "invalid_dpop_proof")
        #expect(try await app.post("token", TestFlow.own, basic: machine).status == 200)
    }

    @Test("RFC9449-6.2-1, RFC7662-2.2-6: introspection names the key and the type")
    func introspection() async throws {
        let bound = try await app.tokens("web1", basic: Self.web1)
        let token = try bound.accessToken
        let answer = try await server.post(
            "token/introspect",
            [("token", token)],
            proof: nil,
            basic: Self.web1
        )
        #expect(answer.json.bool("active") == true)
        #expect(answer.json.string("token_type") == "DPoP")
        #expect(answer.json.object("cnf") == ["jkt": .string(app.key.thumbprint.text)])
        let free = try await server.tokens("alice", "web1").json.string("access_token") ?? ""
        let other = try await app.post("token/introspect", [("token", free)], basic: Self.web1)
        #expect(other.json.string("token_type") == "Bearer")
        #expect(other.json["cnf"] == nil)
    }

    @Test("RFC 9449 §5: where every client proves a key, every one is bound, and none does without")
    func everyClient() async throws {
        let server = try await ProviderUnderTest { $0.realm.profile.requiresProofs = true }
        let app = try Prover(server)
        let code = try await server.code("alice", "web1")
        #expect(try await server.redeem(code, "web1").error == "invalid_dpop_proof")
        let tokens = try await app.redeem(code, "web1", basic: Self.web1)
        let refresh = try tokens.refreshToken
        #expect(
            try await Prover(server).refresh(refresh, basic: Self.web1).error == "invalid_grant"
        )
        #expect(try await app.refresh(refresh, basic: Self.web1).status == 200)
    }
}
