import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

@Suite("What our client sends to authorization servers") struct ATClientTests {
    private static func good(_ call: ClientWorld.Call) -> Result<HTTPReply, HTTPTransportError> {
        switch call {
        case .push: .pushed
        case .redeem, .refresh: .tokens()
        case .revoke: .server(200, "{}")
        }
    }

    @Test("ATP-AR-1, ATP-AR-7: a sign-in is pushed with what the protocol wants, and nothing else")
    func push() async throws {
        let world = try ClientWorld()
        let server = ScriptedServer([.pushed])
        let authorization = ATAuthorization(
            state: "state-1",
            challenge: world.verifier.challenge,
            scope: try Scope("atproto transition:generic"),
            start: .handle(try Handle("Alice.Example.com"))
        )
        let address = try await world.client(server).push(
            authorization,
            to: world.server,
            as: world.identity(),
            key: world.key
        )
        #expect(
            address == "https://as.example.com/oauth/authorize"
                + "?client_id=https%3A%2F%2Fapp.example.com%2Foauth-client-metadata.json"
                + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Areq-1"
        )
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.address == "https://as.example.com/oauth/par")
        #expect(request.fields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.fields[.accept] == "application/json")
        #expect(request.fields[.authorization] == nil)
        #expect(
            try request.form == [
                "client_id=https://app.example.com/oauth-client-metadata.json",
                "client_assertion_type="
                    + "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "response_type=code", "redirect_uri=https://app.example.com/oauth/callback",
                "scope=atproto transition:generic", "state=state-1",
                "code_challenge=\(world.verifier.challenge.text)", "code_challenge_method=S256",
                "login_hint=alice.example.com",
            ]
        )
    }

    @Test("ATP-AR-10: the hint is the handle or the DID, and nothing where a server was named")
    func hint() async throws {
        let world = try ClientWorld()
        let starts: [(HandleInput.Start, String?)] = [
            (.handle(try Handle("ALICE.example.com")), "alice.example.com"),
            (.did(try world.alice), ScriptedWorld.alice),
            (.server(try ServerOrigin("https://pds.example.com")), nil),
        ]
        for (start, hint) in starts {
            let server = ScriptedServer([.pushed])
            try await world.make(.push, by: world.client(server), start: start)
            let form = try FormParameters(decoding: try #require(server.requests.first).body)
            #expect(form["login_hint"] == hint)
        }
    }

    @Test("ATP-CB-2: a code is redeemed with its verifier and the same redirect URI")
    func redeem() async throws {
        let world = try ClientWorld()
        let server = ScriptedServer([.tokens()])
        try await world.make(.redeem, by: world.client(server), isPublic: true)
        let request = try #require(server.requests.first)
        #expect(request.address == "https://as.example.com/oauth/token")
        #expect(
            try request.form == [
                "client_id=https://app.example.com/oauth-client-metadata.json",
                "grant_type=authorization_code", "code=code-1",
                "code_verifier=\(world.verifier.reveal())",
                "redirect_uri=https://app.example.com/oauth/callback",
            ]
        )
        let refreshing = ScriptedServer([.tokens()])
        try await world.make(.refresh, by: world.client(refreshing), isPublic: true)
        #expect(
            try refreshing.requests.first?.form == [
                "client_id=https://app.example.com/oauth-client-metadata.json",
                "grant_type=refresh_token", "refresh_token=refresh-0",
            ]
        )
    }

    @Test(
        "ATP-CA-1: each request of a confidential client has an assertion of its own",
        arguments: ClientWorld.Call.allCases
    )
    func assertion(call: ClientWorld.Call) async throws {
        let world = try ClientWorld()
        let server = ScriptedServer([.refusal("use_dpop_nonce"), Self.good(call)])
        try await world.make(call, by: world.client(server))
        let assertions = try server.requests.map { try #require(try $0.assertion) }
        #expect(assertions.count == 2)
        for assertion in assertions {
            let claims = try assertion.verified(
                by: [world.signingKey.verificationKey],
                allowing: [.es256],
                types: [.jwt]
            ).claims
            let client = "https://app.example.com/oauth-client-metadata.json"
            #expect(claims.string("iss") == client)
            #expect(claims.string("sub") == client)
            #expect(claims.string("aud") == "https://as.example.com")
            // A server with a clock that is ten seconds slow takes it, too.
            #expect(claims.int64("iat") == world.now - 10)
            #expect(claims.int64("exp") == world.now + 50)
        }
        let ids = try assertions.map { try $0.uncheckedClaims().string("jti") }
        #expect(Set(ids).count == 2)
        #expect(ids.allSatisfy { ($0?.utf8.count ?? 0) >= 22 })
        let open = ScriptedServer([Self.good(call)])
        try await world.make(call, by: world.client(open), isPublic: true)
        #expect(try open.requests.allSatisfy { try $0.assertion == nil })
        #expect(
            try open.requests.allSatisfy {
                try FormParameters(decoding: $0.body)["client_assertion_type"] == nil
            }
        )
    }

    @Test("ATP-DP-1, ATP-DP-2: one key from the first request on, and a proof for each request")
    func proofs() async throws {
        let world = try ClientWorld()
        let server = ScriptedServer([.pushed, .tokens(), .tokens(), .server(200, "{}")])
        let client = world.client(server)
        for call in ClientWorld.Call.allCases { try await world.make(call, by: client) }
        let proofs = try server.requests.map { try $0.proof(at: world.now) }
        #expect(proofs.count == 4)
        #expect(proofs.allSatisfy { $0.key == world.key.thumbprint })
        #expect(Set(proofs.map { $0.claims.string("jti") }).count == 4)
        #expect(proofs.allSatisfy { $0.claims["ath"] == nil })
    }

    @Test(
        "ATP-DP-4: a server that asks for a nonce is asked once more, the same by a new proof",
        arguments: ClientWorld.Call.allCases
    )
    func nonces(call: ClientWorld.Call) async throws {
        let world = try ClientWorld()
        for status in [400, 401] {
            let server = ScriptedServer([
                .refusal("use_dpop_nonce", status: status, nonce: "asked-\(status)"),
                Self.good(call),
            ])
            try await world.make(call, by: world.client(server))
            let proofs = try server.requests.map { try $0.proof(at: world.now).claims }
            #expect(proofs.count == 2)
            #expect(proofs.last?.string("nonce") == "asked-\(status)")
            #expect(Set(proofs.map { $0.string("jti") }).count == 2)
            #expect(try server.requests.first?.form == server.requests.last?.form)
        }
        // All endpoints of the server share it.
        let server = ScriptedServer([.pushed])
        try await world.make(.push, by: world.client(server))
        #expect(try server.requests.first?.proof(at: world.now).claims.string("nonce") == "n-1")
    }

    @Test("ATP-DP-4: a server that asks again gets no third request, and the session stays")
    func endlessNonces() async throws {
        let world = try ClientWorld()
        let server = ScriptedServer([
            .refusal("use_dpop_nonce", nonce: "n-1"), .refusal("use_dpop_nonce", nonce: "n-2"),
        ])
        await #expect(throws: ATError.nonce) {
            try await world.refresh(by: world.client(server))
        }
        #expect(server.requests.count == 2)
        #expect(ATError.nonce.isDefinite)
        #expect(!ATError.nonce.endsSession)
    }

    @Test("revocation says only whether there is something left to do")
    func revoke() async throws {
        let world = try ClientWorld()
        func revokes(
            _ answer: Result<HTTPReply, HTTPTransportError>,
            _ world: ClientWorld
        ) async throws -> (Bool, ScriptedServer) {
            let server = ScriptedServer([answer])
            let isDone = await world.client(server).revoke(
                SecretText("refresh-1"),
                at: world.server,
                as: world.identity(isPublic: true),
                key: world.key
            )
            return (isDone, server)
        }
        let (isDone, server) = try await revokes(.server(200, "{}"), world)
        #expect(isDone)
        let request = try #require(server.requests.first)
        #expect(request.address == "https://as.example.com/oauth/revoke")
        #expect(
            try request.form == [
                "client_id=https://app.example.com/oauth-client-metadata.json",
                "token=refresh-1",
            ]
        )
        for answer in [
            .refusal("invalid_client"), .refusal("server_error", status: 500),
            .failure(.timedOut), .server(200, "{}", nonce: nil), .server(302, ""),
        ] as [Result<HTTPReply, HTTPTransportError>] {
            #expect(try await !revokes(answer, world).0)
        }
        // A server without that endpoint is asked nothing.
        let (nothing, other) = try await revokes(
            .server(200, "{}"),
            try ClientWorld(revokes: false)
        )
        #expect(nothing)
        #expect(other.requests.isEmpty)
    }

    @Test("requests say how long they wait: both tries of a refresh fit into its lease")
    func limits() async throws {
        let world = try ClientWorld()
        for call in ClientWorld.Call.allCases {
            let server = ScriptedServer([Self.good(call)])
            try await world.make(call, by: world.client(server))
            let limits = try #require(server.requests.first).limits
            #expect(limits.seconds <= 10)
            #expect(limits.bytes == (call == .redeem || call == .refresh ? 262_144 : 16_384))
        }
    }
}
