import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoATProtocol

@Suite("Where the accounts of a host sign in") struct ServerDiscoveryTests {
    private let world: World

    init() throws {
        world = try World()
    }

    private static let resource = "https://pds.example.com/.well-known/oauth-protected-resource"

    private static func metadata(of origin: String) -> String {
        "\(origin)/.well-known/oauth-authorization-server"
    }

    /// A host, and the server that it names.
    struct World {
        let network = ScriptedNetwork()
        let clock = StoppedClock()
        let discovery: ServerDiscovery
        let host: ServerOrigin

        init() throws {
            host = try ServerOrigin("https://pds.example.com")
            discovery = ServerDiscovery(
                transport: network,
                cache: AnswerCache(seconds: ServerDiscovery.freshness),
                clock: Clock { [clock] in clock.now }
            )
            network[ServerDiscoveryTests.resource] = .answer(
                #"{"resource":"https://pds.example.com","#
                    + #""authorization_servers":["https://as.example.com"]}"#
            )
            let address = ServerDiscoveryTests.metadata(of: "https://as.example.com")
            network[address] = .answer(Self.profile())
        }

        static func profile(
            _ origin: String = "https://as.example.com",
            _ changes: JSONObject = [:]
        ) -> String {
            var json: JSONObject = [
                "issuer": .string(origin),
                "authorization_endpoint": .string("\(origin)/oauth/authorize"),
                "token_endpoint": .string("\(origin)/oauth/token"),
                "pushed_authorization_request_endpoint": .string("\(origin)/oauth/par"),
                "revocation_endpoint": .string("\(origin)/oauth/revoke"),
                "require_pushed_authorization_requests": true,
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
                "token_endpoint_auth_signing_alg_values_supported": ["ES256K", "ES256"],
                "scopes_supported": ["atproto", "transition:generic"],
                "authorization_response_iss_parameter_supported": true,
                "dpop_signing_alg_values_supported": ["ES256", "ES384"],
                "client_id_metadata_document_supported": true,
                "prompt_values_supported": ["none", "create"],
            ]
            for (name, value) in changes { json[name] = value }
            return String(decoding: json.serialized(), as: UTF8.self)
        }

        func server(wasNamed: Bool = false, isFresh: Bool = false) async throws
            -> AuthorizationServer
        {
            try await discovery.server(of: host, wasNamed: wasNamed, isFresh: isFresh)
        }

        func refusal(wasNamed: Bool = false) async -> DiscoveryError? {
            do {
                _ = try await server(wasNamed: wasNamed)
                return nil
            } catch {
                return error as? DiscoveryError
            }
        }
    }

    @Test("ATP-RS-1: a host names its server, whose metadata says the rest")
    func found() async throws {
        let server = try await world.server()
        #expect(server.issuer.text == "https://as.example.com")
        #expect(server.authorization.text == "https://as.example.com/oauth/authorize")
        #expect(server.token.text == "https://as.example.com/oauth/token")
        #expect(server.pushed.text == "https://as.example.com/oauth/par")
        #expect(server.revocation?.text == "https://as.example.com/oauth/revoke")
        #expect(server.protectedResources == nil)
        #expect(
            world.network.questions == [Self.resource, Self.metadata(of: "https://as.example.com")]
        )
        // Each may take ten seconds.
        #expect(Array(world.network.seconds.values) == [10, 10])
    }

    @Test("ATP-RS-1: only a host that was named may be the server itself")
    func named() async throws {
        world.network[Self.resource] = .status(404)
        world.network[Self.metadata(of: "https://pds.example.com")] = .answer(
            // A server that lists its hosts is not among them.
            World.profile(
                "https://pds.example.com",
                ["protected_resources": ["https://other.example.com"]]
            )
        )
        #expect(await world.refusal() == .noServer)
        #expect(world.network.questions == [Self.resource])
        #expect(try await world.server(wasNamed: true).issuer == world.host)
        // What was found for one that was named is not believed for one that was not.
        #expect(await world.refusal() == .noServer)
        // A host that says something else is taken at its word.
        world.network[Self.resource] = .status(403)
        await #expect(throws: DiscoveryError.noServer) {
            try await world.server(wasNamed: true, isFresh: true)
        }
    }

    @Test(
        "attack G07: a host that names no server, several, or one that is no origin, has none",
        arguments: [
            .answer(
                #"{"authorization_servers":["https://a.example.com","https://b.example.com"]}"#
            ),
            .answer(
                #"{"authorization_servers":["https://as.example.com","https://as.example.com"]}"#
            ),
            .answer(#"{"authorization_servers":[]}"#), .answer("{}"), .answer("[]"), .answer(""),
            .answer(#"{"authorization_servers":"https://as.example.com"}"#),
            .answer(#"{"authorization_servers":[7]}"#),
            .answer(#"{"authorization_servers":["https://as.example.com/"]}"#),
            .answer(#"{"authorization_servers":["https://as.example.com/x"]}"#),
            .answer(#"{"authorization_servers":["https://as.example.com?x"]}"#),
            .answer(#"{"authorization_servers":["https://u@as.example.com"]}"#),
            .answer(#"{"authorization_servers":["https://as.example.com:443"]}"#),
            .answer(#"{"authorization_servers":["http://as.example.com"]}"#),
            .answer(#"{"authorization_servers":["https://10.0.0.1"]}"#),
            .answer(#"{"authorization_servers":["https://as.example.com"]}"#, "text/html"),
            .answer(#"{"authorization_servers":["https://as.example.com"]}"#, "text/json"),
            .answer(#"{"authorization_servers":["https://as.example.com"]}"#, nil),
            .answer(#"{"authorization_servers":["https://as.example.com"]}"#, status: 201),
            .status(302, location: "https://as.example.com/"), .status(401), .failure(.tooLarge),
        ] as [ScriptedNetwork.Answer]
    )
    func badResource(answer: ScriptedNetwork.Answer) async throws {
        world.network[Self.resource] = answer
        #expect(await world.refusal() == .noServer)
        #expect(await world.refusal(wasNamed: true) == .noServer)
        #expect(Set(world.network.questions) == [Self.resource])
    }

    @Test(
        "ATP-RS-2: a document of another resource is not used",
        arguments: [
            "https://other.example.com", "https://pds.example.com/", "https://PDS.example.com",
            "https://pds.example.com:443", "http://pds.example.com", "",
        ]
    )
    func otherResource(resource: String) async throws {
        world.network[Self.resource] = .answer(
            #"{"resource":"\#(resource)","authorization_servers":["https://as.example.com"]}"#
        )
        #expect(await world.refusal() == .noServer)
        world.network[Self.resource] = .answer(
            #"{"authorization_servers":["https://as.example.com"]}"#
        )
        #expect(await world.refusal() == nil)
    }

    @Test("ATP-RS-1: a host or a server that is away is told from one that has none")
    func away() async throws {
        for (answer, expected) in [
            (.failure(.unreachable), .hostUnreachable), (.failure(.timedOut), .hostUnreachable),
            (.failure(.refused), .hostUnreachable), (.status(500), .hostUnreachable),
            (.status(503), .hostUnreachable),
        ] as [(ScriptedNetwork.Answer, DiscoveryError)] {
            let world = try World()
            world.network[Self.resource] = answer
            #expect(await world.refusal(wasNamed: true) == expected)
        }
        for (answer, expected) in [
            (.failure(.unreachable), .serverUnreachable), (.status(502), .serverUnreachable),
            (.failure(.refused), .serverUnreachable), (.status(404), .noServer),
            (.status(302, location: "https://as.example.com/x"), .noServer),
            (.failure(.tooLarge), .profile(.notJSON)),
        ] as [(ScriptedNetwork.Answer, DiscoveryError)] {
            let world = try World()
            world.network[Self.metadata(of: "https://as.example.com")] = answer
            #expect(await world.refusal() == expected)
        }
    }

    @Test(
        "ATP-AS-1: the issuer is where its metadata was found, byte for byte, as JSON",
        arguments: [
            (.answer(World.profile("https://evil.example.com")), .issuer),
            (.answer(World.profile("https://AS.example.com")), .issuer),
            (.answer(World.profile("https://as.example.com/")), .issuer),
            (.answer(World.profile("https://as.example.com:443")), .issuer),
            (.answer(World.profile(), "text/html"), .notJSON),
            (.answer(World.profile(), nil), .notJSON), (.answer("[]"), .notJSON),
            (.answer("{}"), .issuer),
            (.answer(String(repeating: " ", count: 65_536) + World.profile()), .notJSON),
        ] as [(ScriptedNetwork.Answer, AuthorizationServer.Refusal)]
    )
    func issuer(answer: ScriptedNetwork.Answer, refusal: AuthorizationServer.Refusal)
        async throws
    {
        world.network[Self.metadata(of: "https://as.example.com")] = answer
        #expect(await world.refusal() == .profile(refusal))
    }

    @Test(
        "ATP-AS-2: a server that lacks a member of the profile is not used",
        arguments: [
            ("authorization_endpoint", nil, .authorizationEndpoint),
            ("token_endpoint", nil, .tokenEndpoint), ("token_endpoint", 7, .tokenEndpoint),
            ("pushed_authorization_request_endpoint", nil, .pushedEndpoint),
            ("require_pushed_authorization_requests", nil, .pushedRequestsNotRequired),
            ("require_pushed_authorization_requests", false, .pushedRequestsNotRequired),
            ("require_pushed_authorization_requests", "true", .pushedRequestsNotRequired),
            ("response_types_supported", nil, .responseTypes),
            ("response_types_supported", ["token"], .responseTypes),
            ("grant_types_supported", nil, .grantTypes),
            ("grant_types_supported", ["authorization_code"], .grantTypes),
            ("grant_types_supported", ["refresh_token"], .grantTypes),
            ("code_challenge_methods_supported", nil, .challengeMethods),
            ("code_challenge_methods_supported", ["plain", "s256"], .challengeMethods),
            ("token_endpoint_auth_methods_supported", nil, .authenticationMethods),
            ("token_endpoint_auth_methods_supported", ["none"], .authenticationMethods),
            ("token_endpoint_auth_methods_supported", ["private_key_jwt"], .authenticationMethods),
            ("token_endpoint_auth_signing_alg_values_supported", nil, .assertionAlgorithms),
            ("token_endpoint_auth_signing_alg_values_supported", ["RS256"], .assertionAlgorithms),
            (
                "token_endpoint_auth_signing_alg_values_supported", ["ES256", "none"],
                .assertionAlgorithms
            ),
            ("scopes_supported", nil, .scopes), ("scopes_supported", ["openid"], .scopes),
            ("scopes_supported", "atproto", .scopes),
            ("authorization_response_iss_parameter_supported", nil, .issuerInResponses),
            ("authorization_response_iss_parameter_supported", false, .issuerInResponses),
            ("dpop_signing_alg_values_supported", nil, .proofAlgorithms),
            ("dpop_signing_alg_values_supported", ["RS256", "ES256K"], .proofAlgorithms),
            ("client_id_metadata_document_supported", nil, .clientDocuments),
            ("client_id_metadata_document_supported", false, .clientDocuments),
        ] as [(String, JSONValue?, AuthorizationServer.Refusal)]
    )
    func members(name: String, value: JSONValue?, refusal: AuthorizationServer.Refusal)
        async throws
    {
        var json = try JSONObject(parsing: Array(World.profile().utf8))
        json[name] = value
        world.network[Self.metadata(of: "https://as.example.com")] = .answer(
            String(decoding: json.serialized(), as: UTF8.self)
        )
        #expect(await world.refusal() == .profile(refusal))
    }

    @Test("attack G11: metadata of another issuer, or without what protects a sign-in, is refused")
    func weakened() async throws {
        let weak: [(JSONObject, AuthorizationServer.Refusal)] = [
            (["issuer": "https://other.example.com"], .issuer),
            (["require_pushed_authorization_requests": false], .pushedRequestsNotRequired),
            (["dpop_signing_alg_values_supported": ["none"]], .proofAlgorithms),
            (["code_challenge_methods_supported": ["plain"]], .challengeMethods),
            (["authorization_response_iss_parameter_supported": false], .issuerInResponses),
        ]
        for (changes, refusal) in weak {
            let world = try World()
            world.network[Self.metadata(of: "https://as.example.com")] = .answer(
                World.profile("https://as.example.com", changes)
            )
            #expect(await world.refusal() == .profile(refusal))
        }
    }

    @Test(
        "ATP-AS-1: every endpoint is on the issuer's own origin",
        arguments: [
            "https://evil.example.com/x", "http://as.example.com/x",
            "https://as.example.com:8443/x",
            "https://as.example.com.evil.com/x", "https://as.example.com@evil.com/x",
            "https://AS.example.com/x", "https://as.example.com", "/oauth/token", "", "x",
            "https://as.example.com/#x", "https://as.example.com/ x",
        ]
    )
    func endpoints(address: String) async throws {
        let members: [(String, AuthorizationServer.Refusal)] = [
            ("authorization_endpoint", .authorizationEndpoint), ("token_endpoint", .tokenEndpoint),
            ("pushed_authorization_request_endpoint", .pushedEndpoint),
            ("revocation_endpoint", .revocationEndpoint),
        ]
        for (name, refusal) in members {
            let world = try World()
            world.network[Self.metadata(of: "https://as.example.com")] = .answer(
                World.profile("https://as.example.com", [name: .string(address)])
            )
            #expect(await world.refusal() == .profile(refusal))
        }
    }

    @Test("ATP-AS-2: a server without revocation is one; one that does not list the host is not")
    func optional() async throws {
        let address = Self.metadata(of: "https://as.example.com")
        var json = try JSONObject(parsing: Array(World.profile().utf8))
        json["revocation_endpoint"] = nil
        json["protected_resources"] = ["https://other.example.com", "https://pds.example.com"]
        world.network[address] = .answer(String(decoding: json.serialized(), as: UTF8.self))
        let server = try await world.server()
        #expect(server.revocation == nil)
        for listed in [["https://other.example.com"], [], ["https://PDS.example.com"]] {
            json["protected_resources"] = .array(listed.map(JSONValue.string))
            world.network[address] = .answer(String(decoding: json.serialized(), as: UTF8.self))
            await #expect(throws: DiscoveryError.otherServer) {
                try await world.server(isFresh: true)
            }
            // The host named it, so it is no server of its own either.
            await #expect(throws: DiscoveryError.otherServer) {
                try await world.server(wasNamed: true, isFresh: true)
            }
        }
    }

    @Test("A server's metadata keeps little, whatever it lists")
    func little() async throws {
        let address = Self.metadata(of: "https://as.example.com")
        let many = (0..<1000).map { JSONValue.string("https://\($0).example.com") }
        let origin = "https://as.example.com/"
        let longest = origin + String(repeating: "a", count: 2048 - origin.utf8.count)
        var changes: JSONObject = [
            "protected_resources": .array(many + [.string(world.host.text)]),
            "token_endpoint": .string(longest),
        ]
        world.network[address] = .answer(World.profile("https://as.example.com", changes))
        // As it is found, and as it is remembered.
        for _ in 0..<2 {
            let server = try await world.server()
            #expect(server.protectedResources == nil)
            #expect(server.token.text == longest)
        }
        changes["token_endpoint"] = .string(longest + "a")
        world.network[address] = .answer(World.profile("https://as.example.com", changes))
        await #expect(throws: DiscoveryError.profile(.tokenEndpoint)) {
            try await world.server(isFresh: true)
        }
    }

    @Test("ATP-ID-13: a server's metadata is believed for five minutes, and errors never")
    func freshness() async throws {
        world.network[Self.resource] = .status(503)
        #expect(await world.refusal() == .hostUnreachable)
        world.network[Self.resource] = .answer(
            #"{"authorization_servers":["https://as.example.com"]}"#
        )
        _ = try await world.server()
        let asked = world.network.questions.count
        world.clock.advance(by: 299)
        _ = try await world.server()
        #expect(world.network.questions.count == asked)
        _ = try await world.server(isFresh: true)
        #expect(world.network.questions.count == asked + 2)
        world.clock.advance(by: 300)
        _ = try await world.server()
        #expect(world.network.questions.count == asked + 4)
        // What it said before is not believed again, once it was found to say something else.
        world.network[Self.metadata(of: "https://as.example.com")] = .answer(
            World.profile("https://as.example.com", ["code_challenge_methods_supported": ["plain"]])
        )
        await #expect(throws: DiscoveryError.profile(.challengeMethods)) {
            try await world.server(isFresh: true)
        }
        #expect(await world.refusal() == .profile(.challengeMethods))
    }
}
