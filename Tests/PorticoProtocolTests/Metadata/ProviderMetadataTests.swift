import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Provider metadata, as the client reads it")
struct ProviderMetadataTests {
    static let document: JSONObject = [
        "issuer": "https://op.example.com",
        "authorization_endpoint": "https://op.example.com/auth/?tenant=a",
        "token_endpoint": "https://op.example.com/token/",
        "userinfo_endpoint": "https://op.example.com/userinfo",
        "jwks_uri": "https://op.example.com/keys",
        "revocation_endpoint": "https://op.example.com/revoke",
        "end_session_endpoint": "https://op.example.com/logout",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "id_token_signing_alg_values_supported": ["none", "HS256", "RS384", "RS256", "ES256"],
        "authorization_response_iss_parameter_supported": true,
        "an_extension": ["x": 1],
    ]

    private func read(_ json: JSONObject, of issuer: String = "https://op.example.com") throws
        -> ProviderMetadata
    {
        try ProviderMetadata(
            parsing: json.serialized(),
            of: Issuer(issuer, allowInsecureLoopback: true)
        )
    }

    @Test("RFC 8414 §2: endpoints are kept to the byte, unknown members ignored")
    func members() throws {
        let metadata = try read(Self.document)
        #expect(metadata.authorizationEndpoint == "https://op.example.com/auth/?tenant=a")
        #expect(metadata.tokenEndpoint == "https://op.example.com/token/")
        #expect(metadata.endSessionEndpoint == "https://op.example.com/logout")
        #expect(metadata.sendsIssuerInResponses)
        #expect(metadata.announcesS256)
        #expect(metadata.servesCodeFlow)
        #expect(metadata.json["an_extension"] == ["x": 1])
    }

    @Test("OpenID Connect Core §3.1.3.7: none and shared secrets are never among the algorithms")
    func algorithms() throws {
        #expect(try read(Self.document).allowedAlgorithms == [.rs256, .es256])
        var document = Self.document
        document["id_token_signing_alg_values_supported"] = nil
        #expect(try read(document).allowedAlgorithms == [.rs256])
        document["id_token_signing_alg_values_supported"] = ["none", "HS256"]
        #expect(try read(document).allowedAlgorithms.isEmpty)
    }

    @Test(
        "attack D25, RFC 8414 §3.3: a document of another issuer is refused",
        arguments: [
            "https://evil.example", "https://op.example.com/", "HTTPS://op.example.com",
            "https://op.example.com:443", "https://OP.example.com", "",
        ]
    )
    func otherIssuer(name: String) throws {
        var document = Self.document
        document["issuer"] = .string(name)
        #expect(throws: ProviderMetadata.Refusal.otherIssuer) { try read(document) }
        // Also where an evil issuer serves the honest one's document (mix-up by metadata).
        #expect(throws: ProviderMetadata.Refusal.otherIssuer) {
            try read(Self.document, of: "https://evil.example")
        }
    }

    @Test(
        "attack D25: http endpoints are refused",
        arguments: [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri",
            "revocation_endpoint", "end_session_endpoint",
        ]
    )
    func insecureEndpoint(name: String) throws {
        for address in ["http://op.example.com/x", "http://127.0.0.1/x"] {
            var document = Self.document
            document[name] = .string(address)
            #expect(throws: ProviderMetadata.Refusal.insecureEndpoint) { try read(document) }
        }
    }

    @Test(
        "BR87: an endpoint that is no address is none; without one that is needed, it is named",
        arguments: [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri",
            "revocation_endpoint", "end_session_endpoint",
        ]
    )
    func noAddress(name: String) throws {
        for value in [
            "abc", "/token", "javascript:alert(1)", "https://u@op.example.com/", "", 1, [], false,
        ] as [JSONValue] {
            var document = Self.document
            document[name] = value
            guard name.hasPrefix("auth") || name.hasPrefix("token") else {
                let read = try read(document)
                let all = [
                    read.userInfoEndpoint, read.keySetURI, read.revocationEndpoint,
                    read.endSessionEndpoint,
                ]
                #expect(all.count { $0 == nil } == 1)
                continue
            }
            let thrown = #expect(throws: ProviderMetadata.Refusal.self) { try read(document) }
            let refusal = try #require(thrown)
            #expect(refusal == .malformedMember)
            #expect(refusal.member.map { "\($0)" } == name)
        }
    }

    @Test("BR87: lists are read by the texts in them, and what is no list is not listed")
    func lists() throws {
        var document = Self.document
        document["code_challenge_methods_supported"] = ["plain", .null, 1, "S256"]
        document["id_token_signing_alg_values_supported"] = "ES256"
        document["response_types_supported"] = []
        document["scopes_supported"] = ["x": 1]
        document["claims_parameter_supported"] = "yes"
        let metadata = try read(document)
        #expect(metadata.announcesS256 && metadata.servesCodeFlow)
        #expect(metadata.allowedAlgorithms == [.es256])
        #expect(metadata.scopesSupported == nil && !metadata.supportsClaimsParameter)
        document["code_challenge_methods_supported"] = true
        document["id_token_signing_alg_values_supported"] = []
        document["response_types_supported"] = .null
        #expect(try !read(document).announcesS256 && read(document).servesCodeFlow)
        #expect(try read(document).allowedAlgorithms == [.rs256])
        document["response_types_supported"] = ["token", .null]
        #expect(try !read(document).servesCodeFlow)
    }

    @Test("RFC 9207 §3: whether iss comes with each response is not guessed")
    func issuerFlag() throws {
        var document = Self.document
        let name = "authorization_response_iss_parameter_supported"
        for (value, expected) in [
            (true, true), ("true", true), (false, false), ("false", false), (.null, false),
            ("", false),
        ] as [(JSONValue, Bool)] {
            document[name] = value
            #expect(try read(document).sendsIssuerInResponses == expected)
        }
        for value in [1, "yes", [true], [:]] as [JSONValue] {
            document[name] = value
            let thrown = #expect(throws: ProviderMetadata.Refusal.self) { try read(document) }
            let refusal = try #require(thrown)
            #expect(refusal == .malformedMember)
            #expect(refusal.member.map { "\($0)" } == name)
        }
    }

    @Test("Decision 0036: an issuer on a loopback literal may have endpoints there, and only there")
    func loopback() throws {
        var document: JSONObject = [
            "issuer": "http://127.0.0.1:8080",
            "authorization_endpoint": "http://127.0.0.1:8080/auth",
            "token_endpoint": "http://[::1]:8080/token",
        ]
        _ = try read(document, of: "http://127.0.0.1:8080")
        document["token_endpoint"] = "http://op.example.com/token"
        #expect(throws: ProviderMetadata.Refusal.insecureEndpoint) {
            try read(document, of: "http://127.0.0.1:8080")
        }
    }

    @Test("RFC 8414 §2: required members must be there; null counts as absent")
    func required() throws {
        for name in ["issuer", "authorization_endpoint", "token_endpoint"] {
            for value in [nil, JSONValue.null] {
                var document = Self.document
                document[name] = value
                #expect(throws: ProviderMetadata.Refusal.missingMember) { try read(document) }
            }
        }
        var document = Self.document
        document["userinfo_endpoint"] = .null
        #expect(try read(document).userInfoEndpoint == nil)
    }

    @Test("RFC 8414 §6.2: more than 64 KiB and deep nesting are refused")
    func limits() throws {
        var document = Self.document
        document["x"] = .string(String(repeating: "a", count: 64 * 1024))
        #expect(throws: ProviderMetadata.Refusal.malformed) { try read(document) }
        var nested = JSONValue.array([])
        for _ in 0..<20 { nested = .array([nested]) }
        document["x"] = nested
        #expect(throws: ProviderMetadata.Refusal.malformed) { try read(document) }
    }

    @Test(
        "What is no JSON object is no document",
        arguments: ["", "null", "[]", "\"https://op.example.com\"", "<html>", "{", "{}{}"]
    )
    func noObject(text: String) throws {
        let issuer = try Issuer("https://op.example.com")
        #expect(throws: ProviderMetadata.Refusal.malformed) {
            try ProviderMetadata(parsing: Array(text.utf8), of: issuer)
        }
    }

    @Test("OpenID Connect Discovery §3: a document with much more in it than we know is read")
    func wide() throws {
        var document = Self.document
        for name in ["display", "ui_locales", "claims", "acr_values", "prompt_values"] {
            document["\(name)_supported"] = ["a", "b"]
        }
        document["mtls_endpoint_aliases"] = ["token_endpoint": "https://mtls.example.com/token"]
        document["claims_parameter_supported"] = false
        document["service_documentation"] = "https://example.com/a b"
        document["device_authorization_endpoint"] = "https://op.example.com/device"
        document["policy"] = .null
        let metadata = try read(document)
        #expect(metadata.servesCodeFlow && metadata.announcesS256)
        #expect(metadata.json.object("mtls_endpoint_aliases") != nil)
    }

    @Test(
        "RFC 8414 §2: of an authorization server without OpenID the least that there must be is enough"
    )
    func least() throws {
        let document: JSONObject = [
            "issuer": "https://as.example.com",
            "authorization_endpoint": "https://as.example.com/a",
            "token_endpoint": "https://as.example.com/t", "response_types_supported": ["code"],
        ]
        let metadata = try read(document, of: "https://as.example.com")
        #expect(metadata.userInfoEndpoint == nil && metadata.endSessionEndpoint == nil)
        #expect(!metadata.sendsIssuerInResponses && !metadata.announcesS256)
    }
}
