import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

@Suite("What our client sends to authorization servers") struct ATClientTests {
    private let world: ClientWorld

    init() throws {
        world = try ClientWorld()
    }

    private static func good(_ call: ClientWorld.Call) -> Result<HTTPReply, HTTPTransportError> {
        switch call {
        case .push: .pushed
        case .redeem, .refresh: .tokens()
        case .revoke: .server(200, "{}")
        }
    }

    @Test("ATP-AR-1, ATP-AR-7: a sign-in is pushed with what the protocol wants, and nothing else")
    func push() async throws {
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
        for call in ClientWorld.Call.allCases {
            let server = ScriptedServer([Self.good(call)])
            try await world.make(call, by: world.client(server))
            let limits = try #require(server.requests.first).limits
            #expect(limits.seconds <= 10)
            #expect(limits.bytes == (call == .redeem || call == .refresh ? 262_144 : 16_384))
        }
    }
}

@Suite("Our own client's document") struct OwnClientDocumentTests {
    private func own(
        _ origin: String = "https://app.example.org",
        isConfidential: Bool = true
    ) throws -> OwnClientDocument? {
        OwnClientDocument(
            origin: origin,
            name: "Shop",
            scope: try Scope("atproto transition:generic"),
            isConfidential: isConfidential
        )
    }

    @Test("ATP-MD-2, ATP-MD-7: a confidential client names itself, its keys, and nothing secret")
    func confidential() throws {
        let own = try #require(try own())
        #expect(own.clientID == "https://app.example.org/oauth-client-metadata.json")
        #expect(own.redirectURI == "https://app.example.org/oauth/callback")
        #expect(own.isConfidential)
        let expected: JSONObject = [
            "client_id": .string(own.clientID), "client_name": "Shop",
            "client_uri": "https://app.example.org", "application_type": "web",
            "redirect_uris": ["https://app.example.org/oauth/callback"],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "scope": "atproto transition:generic", "dpop_bound_access_tokens": true,
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_signing_alg": "ES256",
            "jwks_uri": "https://app.example.org/oauth/jwks.json",
        ]
        #expect(own.json == expected)
    }

    @Test("ATP-MD-8: a public client has the method none, and no keys")
    func open() throws {
        let own = try #require(try own(isConfidential: false))
        #expect(!own.isConfidential)
        #expect(own.json.string("token_endpoint_auth_method") == "none")
        #expect(own.json["token_endpoint_auth_signing_alg"] == nil)
        #expect(own.json["jwks_uri"] == nil)
        #expect(own.json["jwks"] == nil)
    }

    @Test(
        "ATP-MD-3, ATP-MD-4, ATP-MD-5, ATP-MD-6, ATP-MD-9, ATP-MD-10: servers that read it strictly take it",
        arguments: [true, false]
    )
    func strict(isConfidential: Bool) throws {
        let own = try #require(try own(isConfidential: isConfidential))
        let document = try ClientDocument(
            parsing: own.json.serialized(),
            at: ClientIDAddress(own.clientID),
            scopes: .atProtocol
        )
        #expect(document.clientID == own.clientID)
        #expect(document.redirectURIs.map(\.text) == [own.redirectURI])
        #expect(document.scope == own.scope)
        #expect(document.refreshes)
        #expect(!document.isNative)
        #expect((document.authentication != .none) == isConfidential)
    }

    @Test(
        "ATP-LOC-4: on this machine it is the client for development, which comes back to 127.0.0.1",
        arguments: ["http://localhost:8080", "http://127.0.0.1:8080", "http://app.localhost:8080"]
    )
    func development(origin: String) throws {
        let own = try #require(try own(origin))
        #expect(
            own.clientID == "http://localhost?redirect_uri="
                + "http%3A%2F%2F127.0.0.1%3A8080%2Foauth%2Fcallback"
                + "&scope=atproto%20transition%3Ageneric"
        )
        #expect(own.redirectURI == "http://127.0.0.1:8080/oauth/callback")
        #expect(!own.isConfidential)
        #expect(own.json.string("token_endpoint_auth_method") == "none")
        let client = try LocalhostClient(own.clientID)
        #expect(client.document.redirectURIs.map(\.text) == [own.redirectURI])
        #expect(client.document.scope == own.scope)
    }

    @Test("ATP-LOC-4: at a literal it comes back to that one")
    func literals() throws {
        for literal in ["127.0.0.1", "[::1]"] {
            let own = try #require(try own("http://\(literal):8080"))
            #expect(own.redirectURI == "http://\(literal):8080/oauth/callback")
            let client = try LocalhostClient(own.clientID)
            #expect(client.document.redirectURIs.map(\.text) == [own.redirectURI])
        }
    }

    @Test(
        "ATP-C-ID-1: where servers would read no document, there is none",
        arguments: [
            "https://app.example.org:8443", "https://app.example.org:443", "https://localhost",
            "https://10.0.0.1", "https://app.internal", "https://app.test",
            "https://app.example.org/", "https://app.example.org/shop", "http://app.example.org",
            "app.example.org", "",
        ]
    )
    func impossible(origin: String) throws {
        #expect(try own(origin) == nil)
    }
}
