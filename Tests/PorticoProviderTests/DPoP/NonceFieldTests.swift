import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Nonces in the Provider's answers") struct NonceFieldTests {
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
                try await server.post(
                    path,
                    [("grant_type", "client_credentials")],
                    headers: .basic("machine", "wrong")
                )
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
        let form = [("grant_type", "client_credentials")]
        let machine = TestRealm.machine
        let nonce = try #require(try await app.nonce())
        func ask(_ nonce: String?) async throws -> String? {
            let proof = try app.proof(.post, "token", nonce: nonce)
            return try await server.post("token", form, proof: proof, basic: machine).error
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
                [("grant_type", "client_credentials")],
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
