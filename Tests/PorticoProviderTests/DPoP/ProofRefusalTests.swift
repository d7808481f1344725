import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

@Suite("Wrong proofs at the Provider's endpoints") struct ProofRefusalTests {
    private static let web1 = TestRealm.web1

    /// A request that works at each endpoint that takes proofs from clients.
    private static func request(_ endpoint: String, _ server: ProviderUnderTest) async throws
        -> [(String, String)]
    {
        switch endpoint {
        case "token":
            let code = try await server.code("alice", "web1")
            return TestFlow.redemption(code, "web1", [("client_id", "")])
        case "ext/par/request": return TestFlow.request("web1").filter { $0.0 != "client_id" }
        default:
            let tokens = try await server.tokens("alice", "web1")
            return [("token", try tokens.accessToken)]
        }
    }

    @Test(
        "attack G13, RFC9449-5-3, RFC9449-4.3-10: a wrong proof is 400, and spends neither code nor token",
        arguments: ["token", "ext/par/request", "revoke", "token/introspect"]
    )
    func wrong(endpoint: String) async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        let form = try await Self.request(endpoint, server)
        let nonce = try #require(try await app.nonce())
        for wrong in WrongProof.allCases {
            let proof = try wrong.text(for: endpoint, "POST", of: server, nonce: nonce)
            let reply = try await server.post(endpoint, form, proof: proof, basic: Self.web1)
            #expect(reply.status == 400, "\(wrong)")
            #expect(reply.error == wrong.error, "\(wrong)")
        }
        let good = try await app.proof(.post, endpoint)
        let two: HTTPFields = [.proof: good]
        let reply = try await server.post(
            endpoint,
            form,
            proof: nil,
            basic: Self.web1,
            headers: two + [HTTPField(name: .proof, value: try await app.proof(.post, endpoint))]
        )
        #expect(reply.error == "invalid_dpop_proof", "two fields")
        #expect(try await app.post(endpoint, form, basic: Self.web1).status < 300)
    }

    @Test("RFC9449-8-1: asking for a nonce spends no code, assertion or guess")
    func nonceSpendsNothing() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        let code = try await server.code("alice", "jwt1")
        let assertion = try TestRealm.clientKey.sign(
            claims: [
                "iss": "jwt1", "sub": "jwt1", "aud": .string(TestRealm.issuer), "jti": "once",
                "exp": .integer(server.clock.seconds + 60), "iat": .integer(server.clock.seconds),
            ],
            type: .jwt
        )
        let form =
            TestFlow.redemption(code, "jwt1") + [
                ("client_assertion", assertion),
                TestFlow.assertionType,
            ]
        let asked = try await server.post(
            "token",
            form,
            proof: try app.proof(.post, "token", nonce: nil)
        )
        #expect(asked.status == 400 && asked.error == "use_dpop_nonce")
        let nonces = asked.headers[values: .nonce]
        #expect(nonces.count == 1)
        // A wrong secret with it is not counted, so that nobody is held up by it.
        for _ in 1...25 {
            let proof = try app.proof(.post, "token", nonce: nil)
            let machine = ("machine", "wrong")
            let reply = try await server.post("token", form, proof: proof, basic: machine)
            #expect(reply.error == "use_dpop_nonce")
        }
        let proof = try app.proof(.post, "token", nonce: nonces.first)
        #expect(try await server.post("token", form, proof: proof).status == 200)
    }

    @Test("RFC9449-11.5-1: a client assertion is no proof")
    func assertionAsProof() async throws {
        let server = try await ProviderUnderTest()
        let assertion = try TestRealm.clientKey.sign(claims: ["iss": "jwt1"], type: .jwt)
        let form = [("grant_type", "client_credentials"), ("client_id", "jwt1")]
        let reply = try await server.post("token", form, proof: assertion)
        #expect(reply.error == "invalid_dpop_proof")
    }

    private static let own = [("grant_type", "client_credentials")]
    private static let machine = TestRealm.machine

    @Test("RFC9449-11.1-1, ATP-DP-6: a proof is good once, also of a refused request")
    func repeated() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        let proof = try await app.proof(.post, "token")
        #expect(
            try await server.post("token", Self.own, proof: proof, basic: Self.machine).status
                == 200
        )
        let again = try await server.post("token", Self.own, proof: proof, basic: Self.machine)
        #expect(again.status == 400 && again.error == "invalid_dpop_proof")

        let refused = try await app.proof(.post, "token")
        let wider = Self.own + [("scope", "not-mine")]
        let first = try await server.post("token", wider, proof: refused, basic: Self.machine)
        #expect(first.error == "invalid_scope")
        let second = try await server.post("token", Self.own, proof: refused, basic: Self.machine)
        #expect(second.error == "invalid_dpop_proof")

        let push = try await app.proof(.post, "ext/par/request")
        let request = TestFlow.request("native1")
        #expect(try await server.post("ext/par/request", request, proof: push).status == 201)
        #expect(try await server.post("ext/par/request", request, proof: push).status == 400)
    }

    /// Another node, or this one after a restart: the same stores, and nothing in memory.
    static func node(of server: ProviderUnderTest) throws -> InProcessServer {
        let url = try PublicURL("https://op.example.com")
        let clock = server.clock
        return InProcessServer(
            RequestPipeline(
                guarding: HostGuard([url]),
                proxies: TrustedProxies([NetworkRange("10.0.0.0/8")].compactMap(\.self)),
                headers: SecurityHeaders(url),
                log: AccessLog(
                    format: .logfmt,
                    writer: LogWriter(format: .logfmt, clock: { clock.now }) { _ in }
                ),
                clock: Clock { clock.now },
                services: [try server.provider.service],
                notFound: { _ in Response(empty: .notFound, headers: SecurityHeaders(url)) }
            )
        )
    }

    private static func send(_ proof: String, to node: InProcessServer) async throws -> Reply {
        try await send(own, proof, basic: machine, to: node)
    }

    /// A request to the token endpoint of a node.
    static func send(
        _ form: [(String, String)],
        _ proof: String,
        basic: (String, String)? = nil,
        to node: InProcessServer
    ) async throws -> Reply {
        var fields: HTTPFields = [.proof: proof, .contentType: "application/x-www-form-urlencoded"]
        if let basic { fields[.authorization] = ProviderUnderTest.basic(basic.0, basic.1) }
        if let name = HTTPField.Name("X-Forwarded-Proto") { fields[name] = "https" }
        let head = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "op.example.com",
            path: String.endpoint("token"),
            headerFields: fields
        )
        let body = FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
        return try await node.send(head, body: body)
    }

    @Test("RFC9449-11.1-1: a proof is good once at all nodes together, 20 rounds of 8 at once")
    func race() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        let app = try Prover(server)
        let nodes = try (1...4).map { _ in try Self.node(of: server) }
        for _ in 1...20 {
            let proof = try await app.proof(.post, "token")
            let replies = try await atOnce(0..<8) { number in
                try await Self.send(proof, to: nodes[number % 4])
            }
            #expect(replies.count { $0.status == 200 } == 1)
            #expect(replies.count { $0.error == "invalid_dpop_proof" } == 7)
        }
    }

    @Test("RFC9449-8-2: a nonce is good at every node, and after a restart")
    func sharedNonces() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        let proof = try await app.proof(.post, "token")
        #expect(try await Self.send(proof, to: try Self.node(of: server)).status == 200)
    }
}
