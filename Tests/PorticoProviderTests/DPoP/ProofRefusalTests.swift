import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoProvider

@Suite("Proofs and nonces at the Provider's endpoints") struct ProofRefusalTests {
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
        // A wrong secret with it is not counted, so that no one is held up by it.
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

    private static let own = TestFlow.own
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

    private static let endpoints = [
        "token", "ext/par/request", "revoke", "token/introspect", "userinfo",
    ]

    @Test(
        "RFC9449-8-1, RFC9449-8.2-2: every answer of these endpoints has one nonce, and is not kept",
        arguments: endpoints
    )
    func everyAnswer(endpoint: String) async throws {
        let server = try await ProviderUnderTest()
        let path = String.endpoint(endpoint)
        var replies = [
            try await server.send(.get, path),
            try await server.post(path, []),
            try await server.post(path, [("client_id", "native1"), ("client_id", "native1")]),
            try await server.send(.put, path),
            try await server.send(.post, path, body: Array(repeating: 0x61, count: 70_000)),
        ]
        for _ in 1...25 {
            replies.append(
                try await server.post(path, TestFlow.own, headers: .basic("machine", "wrong"))
            )
        }
        for reply in replies {
            #expect(reply.headers[values: .nonce].count == 1, "\(reply.status)")
            #expect(reply.headers[.nonce]?.utf8.count == 43)
            #expect(reply.headers[.cacheControl]?.contains("no-store") == true)
        }
    }

    @Test("RFC 9449 §8.2: answers with tokens and good answers have one too; others have none")
    func goodAnswers() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens()
        #expect(tokens.headers[values: .nonce].count == 1)
        #expect(try await server.userInfo(tokens.accessToken).headers[values: .nonce].count == 1)
        let metadata = "/realms/test/.well-known/openid-configuration"
        #expect(try await server.send(.get, metadata).headers[.nonce] == nil)
        #expect(try await server.send(.get, .endpoint("certs")).headers[.nonce] == nil)
    }

    @Test("RFC9449-4.3-11, RFC9449-11.3-1: a nonce is good for two to three minutes")
    func lifetime() async throws {
        let server = try await ProviderUnderTest()
        let app = try Prover(server)
        let machine = TestRealm.machine
        let nonce = try #require(try await app.nonce())
        func ask(_ nonce: String?) async throws -> String? {
            let proof = try app.proof(.post, "token", nonce: nonce)
            return try await server.post("token", TestFlow.own, proof: proof, basic: machine).error
        }
        #expect(try await ask(nonce) == nil)
        server.clock.advance(by: 119)
        #expect(try await ask(nonce) == nil)
        server.clock.advance(by: 62)
        #expect(try await ask(nonce) == "use_dpop_nonce")
        #expect(try await ask("abc") == "use_dpop_nonce")
        #expect(try await ask("") == "use_dpop_nonce")
        #expect(try await ask(nil) == "use_dpop_nonce")
    }

    @Test("RFC 9449 §8: a nonce from before the ring got a new key is good for its time")
    func newKey() throws {
        let ring = try KeyRing(random: .system)
        let (more, added) = try ring.adding(random: .system)
        let active = try more.activating(added)
        let now: Int64 = 1_800_000_000
        let nonce = try #require(DPoPNonces(ring: ring).current(at: now))
        for later in [more, active] {
            let nonces = DPoPNonces(ring: later)
            #expect(nonces.isGood(nonce, at: now + 119))
            #expect(!nonces.isGood(nonce, at: now + 181))
        }
        // A node where the key is not active yet takes what another makes with it.
        let next = try #require(DPoPNonces(ring: active).current(at: now))
        #expect(next != nonce)
        #expect(DPoPNonces(ring: more).isGood(next, at: now))
        #expect(!DPoPNonces(ring: ring).isGood(next, at: now))
    }

    @Test(
        "RFC9449-8.2-3: scripts of registered origins can read nonce and challenge, on refusals too",
        arguments: ["token", "revoke", "userinfo"]
    )
    func exposed(endpoint: String) async throws {
        let server = try await ProviderUnderTest()
        let path = String.endpoint(endpoint)
        let origin: HTTPFields = [.origin: "https://app.example.com"]
        for reply in [
            try await server.post(path, [], headers: origin),
            try await server.post(
                path,
                TestFlow.own,
                headers: origin + [
                    HTTPField(name: .authorization, value: ProviderUnderTest.basic("web1", "wrong"))
                ]
            ),
        ] {
            #expect(reply.headers[.accessControlAllowOrigin] == "https://app.example.com")
            let exposed = reply.headers[.accessControlExposeHeaders]
            #expect(exposed == "DPoP-Nonce, WWW-Authenticate")
        }
        let stranger = try await server.post(path, [], headers: [.origin: "https://evil.example"])
        #expect(stranger.headers[.accessControlAllowOrigin] == nil)
        #expect(stranger.headers[.accessControlExposeHeaders] == nil)
        let preflight = try await server.send(
            .options,
            path,
            headers: origin + [
                HTTPField(name: .accessControlRequestMethod, value: "POST"),
                HTTPField(name: .accessControlRequestHeaders, value: "dpop, authorization"),
            ]
        )
        #expect(preflight.headers[.accessControlAllowHeaders] == "dpop, authorization")
    }
}

/// A proof that is wrong in one way (attack G13), signed as it should be.
enum WrongProof: String, CaseIterable {
    case method, path, type, algorithm, unsigned, privateKey, past, future, query, otherHost
    case unexpectedHash, noID, longID, oldNonce, noNonce

    /// What the token endpoint says.
    var error: String {
        self == .oldNonce || self == .noNonce ? "use_dpop_nonce" : "invalid_dpop_proof"
    }

    /// - Parameters:
    ///   - nonce: A good one.
    ///   - token: The access token that it goes with, if any.
    func text(
        for endpoint: String,
        _ method: String,
        of server: ProviderUnderTest,
        nonce: String,
        token: String? = nil
    ) throws -> String {
        let key = P256.Signing.PrivateKey()
        let point = Array(key.publicKey.rawRepresentation)
        var jwk: JSONObject = [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point.prefix(32))),
            "y": .string(Base64URL.encode(point.suffix(32))),
        ]
        let now = server.clock.seconds
        let address = TestRealm.issuer + "/protocol/openid-connect/" + endpoint
        var claims: JSONObject = [
            "jti": .string(RandomSource.system.text(16)), "htm": .string(method),
            "htu": .string(address), "iat": .integer(now), "nonce": .string(nonce),
        ]
        if let token {
            claims["ath"] = .string(Base64URL.encode(Hash256(of: token).bytes))
        }
        var header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256"]
        switch self {
        case .method: claims["htm"] = .string(method.lowercased())
        case .path: claims["htu"] = .string(address + "/")
        case .type: header["typ"] = "JWT"
        case .algorithm: header["alg"] = "HS256"
        case .unsigned: break
        case .privateKey: jwk["d"] = .string(Base64URL.encode(Array(key.rawRepresentation)))
        case .past: claims["iat"] = .integer(now - 600)
        case .future: claims["iat"] = .integer(now + 600)
        case .query:
            claims["htu"] = .string(TestRealm.issuer + "/protocol/?openid-connect/" + endpoint)
        case .otherHost: claims["htu"] = .string("http://10.0.0.1:8080/token")
        case .unexpectedHash: claims["ath"] = .string(Base64URL.encode(point.prefix(32)))
        case .noID: claims["jti"] = nil
        case .longID: claims["jti"] = .string(String(repeating: "j", count: 10_000))
        case .oldNonce:
            let keys = [server.ring.derivedKey(purpose: "dpop nonce")].compactMap(\.self)
            claims["nonce"] = DPoPNonces(keys: keys).current(at: now - 360).map(JSONValue.string)
        case .noNonce: claims["nonce"] = nil
        }
        header["jwk"] = .object(jwk)
        let input =
            Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
        let signature = Array(try key.signature(for: Data(input.utf8)).rawRepresentation)
        let shown = self == .unsigned ? Array(repeating: 0, count: 64) : signature
        return input + "." + Base64URL.encode(shown)
    }
}
