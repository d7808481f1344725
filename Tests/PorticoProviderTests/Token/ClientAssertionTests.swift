import Crypto
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("private_key_jwt") struct ClientAssertionTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    private func claims(_ server: ProviderUnderTest, _ changes: JSONObject = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": "jwt1", "sub": "jwt1", "aud": .string(TestRealm.issuer),
            "exp": .integer(server.clock.seconds + 60), "iat": .integer(server.clock.seconds),
            "jti": .string(RandomSource.system.text(16)),
        ]
        for (name, value) in changes { claims[name] = value == .null ? nil : value }
        return claims
    }

    private func ask(
        _ server: ProviderUnderTest,
        _ assertion: String,
        _ extra: [(String, String)] = []
    )
        async throws -> Reply
    {
        try await server.token(
            [
                ("grant_type", "client_credentials"), ("client_assertion", assertion),
                TestFlow.assertionType,
            ] + extra
        )
    }

    private func signed(_ claims: JSONObject, type: JWTType = .jwt) throws -> String {
        try TestRealm.clientKey.sign(claims: claims, type: type)
    }

    @Test("RFC 7523 §2.2: a right assertion authenticates, once")
    func onceOnly() async throws {
        let assertion = try signed(claims(server))
        #expect(try await ask(server, assertion).status == 200)
        let replay = try await ask(server, assertion)
        #expect(replay.status == 401)
        #expect(replay.error == "invalid_client", "attack C26: replay of a jti")
    }

    @Test("RFC 7523 §3: an assertion is spent also by a request that fails otherwise")
    func spentByFailure() async throws {
        let assertion = try signed(claims(server))
        #expect(try await ask(server, assertion, [("scope", "not-mine")]).error == "invalid_scope")
        #expect(try await ask(server, assertion).error == "invalid_client")
    }

    @Test("RFC 7523 §3: an assertion is spent also where the request writes nothing else")
    func spentWithoutWrite() async throws {
        let form = [
            ("token", "x"), ("client_assertion", try signed(claims(server))),
            TestFlow.assertionType,
        ]
        let path = String.endpoint("token/introspect")
        #expect(try await server.post(path, form).status == 200)
        #expect(try await server.post(path, form).error == "invalid_client")
    }

    @Test("RFC 7523 §3: of many at once with one jti, one is served")
    func race() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        for _ in 1...20 {
            let assertion = try signed(claims(server))
            let replies = try await atOnce(1...8) { _ in try await ask(server, assertion) }
            #expect(replies.count { $0.status == 200 } == 1)
        }
    }

    static let wrong: [(String, JSONObject)] = [
        ("issuer and another audience", ["aud": [.string(TestRealm.issuer), "https://evil"]]),
        (
            "the token endpoint",
            ["aud": .string(TestRealm.issuer + "/protocol/openid-connect/token")]
        ),
        ("another issuer", ["aud": "https://evil"]),
        ("no audience", ["aud": .null]),
        ("no expiry", ["exp": .null]),
        ("expires in a year", ["exp": .integer(1_800_000_000 + 31_536_000)]),
        ("expired", ["exp": .integer(1_800_000_000 - 61)]),
        ("another issuer than subject", ["iss": "web1"]),
        ("another subject", ["sub": "web1"]),
        ("no jti", ["jti": .null]),
        ("issued a day ago", ["iat": .integer(1_800_000_000 - 86_400)]),
        ("not yet valid", ["nbf": .integer(1_800_000_000 + 600)]),
        ("text for a time", ["exp": "1800000060"]),
        ("a number too large", ["exp": .integer(.max)]),
    ]

    @Test("attack C26, RFC 7523 §3: claims that are not right", arguments: wrong)
    func wrongClaims(name: String, changes: JSONObject) async throws {
        let reply = try await ask(server, try signed(claims(server, changes)))
        #expect(reply.status == 401, "\(name)")
        #expect(reply.error == "invalid_client")
    }

    /// At each endpoint where clients prove themselves.
    private func ask(
        _ server: ProviderUnderTest,
        at endpoint: String,
        _ assertion: String
    ) async throws -> Reply {
        let request: [(String, String)] =
            switch endpoint {
            case "token": TestFlow.own
            case "ext/par/request": TestFlow.request("jwt1")
            default: [("token", "x")]
            }
        let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        return try await server.post(
            .endpoint(endpoint),
            request + [("client_assertion", assertion), ("client_assertion_type", type)]
        )
    }

    static let endpoints = ["token", "ext/par/request", "token/introspect", "revoke"]

    @Test(
        "OpenID Connect Core §9, RFC 7523 update: the token endpoint is an audience where a client is registered so",
        arguments: endpoints
    )
    func tokenEndpointAudience(endpoint: String) async throws {
        let token = TestRealm.issuer + "/protocol/openid-connect/token"
        let other = JSONValue.string(String.endpoint(endpoint))
        func assertion(_ server: ProviderUnderTest, _ audience: JSONValue) throws -> String {
            try signed(claims(server, ["aud": audience]))
        }
        let usual = try await ProviderUnderTest()
        let refused = try await ask(usual, at: endpoint, try assertion(usual, .string(token)))
        #expect(refused.status == 401, "off by default")
        #expect(usual.log.contains("reason=audience"))
        #expect(usual.log.contains("client=jwt1"))
        let server = try await ProviderUnderTest { realm in
            realm.clients[client: "jwt1"].takesTokenEndpointAudience = true
        }
        for good in [
            .string(token), .string(TestRealm.issuer), [.string(TestRealm.issuer)],
        ] as [JSONValue] {
            let taken = try assertion(server, good)
            #expect(try await ask(server, at: endpoint, taken).status < 300)
            #expect(try await ask(server, at: endpoint, taken).status == 401, "once")
        }
        let again = try assertion(server, .string(token))
        #expect(try await ask(server, at: endpoint, again).status < 300)
        let lines = server.log.split(separator: "\n")
        let noted = lines.filter { $0.contains("event=assertion.for_endpoint") }
        #expect(noted.count == 1)
        #expect(noted.first?.contains("client=jwt1") == true)
        for bad in [
            [.string(token)], [.string(token), .string(TestRealm.issuer)],
            [.string(TestRealm.issuer), .string(token)], .string(token + "/"),
            .string(token + "?x"), "https://evil.example/realms/test/protocol/openid-connect/token",
            .string(TestRealm.issuer + "/protocol/openid-connect/auth"), other, .null, "",
        ] as [JSONValue] {
            let reply = try await ask(server, at: endpoint, try assertion(server, bad))
            #expect(reply.status == 401, "\(bad)")
            #expect(reply.error == "invalid_client")
        }
    }

    @Test("RFC 7523 update: one audience in an array is taken; typed assertions are taken")
    func tolerated() async throws {
        let array = try signed(claims(server, ["aud": [.string(TestRealm.issuer)]]))
        #expect(try await ask(server, array).status == 200)
        let typed = try signed(claims(server), type: .clientAuthentication)
        #expect(try await ask(server, typed).status == 200)
    }

    @Test("FAPI 2.0 Security Profile §5.3.2.1: a client registered so names its audience as text")
    func audienceAsText() async throws {
        for (pushes, binds) in [(true, true), (true, false), (false, true)] {
            let server = try await ProviderUnderTest { realm in
                realm.clients[client: "jwt1"].requiresPushedRequests = pushes
                realm.clients[client: "jwt1"].dpopBoundAccessTokens = binds
            }
            let prover = try Prover(server)
            func reply(to audience: JSONValue) async throws -> Reply {
                let assertion = try signed(claims(server, ["aud": audience]))
                return try await prover.post(
                    "token",
                    [
                        ("grant_type", "client_credentials"), ("client_assertion", assertion),
                        TestFlow.assertionType,
                    ]
                )
            }
            let listed = try await reply(to: [.string(TestRealm.issuer)])
            if pushes, binds {
                #expect(listed.status == 401 && listed.error == "invalid_client")
                #expect(server.log.contains("reason=audience"))
            } else {
                #expect(listed.status == 200, "neither alone is FAPI: \(listed.text)")
            }
            let text = try await reply(to: .string(TestRealm.issuer))
            #expect(text.status == 200, "\(text.text)")
        }
    }

    @Test(
        "RFC 8725 §3.12: another kind of JWT is no assertion",
        arguments: [JWTType.accessToken, .dpopProof, .logoutToken]
    )
    func otherKinds(type: JWTType) async throws {
        #expect(
            try await ask(server, try signed(claims(server), type: type)).error == "invalid_client"
        )
    }

    @Test("attack C27: none, HMAC with the public key, and keys that the header brings")
    func forgedSignatures() async throws {
        func forge(_ header: String, _ sign: (String) throws -> [UInt8]) throws -> String {
            let payload = Base64URL.encode(claims(server).serialized())
            let input = Base64URL.encode(header.utf8) + "." + payload
            return input + "." + Base64URL.encode(try sign(input))
        }
        var forged = [try forge(#"{"alg":"none"}"#) { _ in [] }]
        // Every text that a confused server might take for the client's secret.
        let jwk = TestRealm.clientKey.verificationKey.jwk.object
        let point = try ["x", "y"].map { try #require(Base64URL.decode(jwk.string($0) ?? "")) }
        let key = try P256.Signing.PublicKey(x963Representation: [4] + point[0] + point[1])
        let publicKey: [[UInt8]] = [
            Array(key.pemRepresentation.utf8), Array(key.derRepresentation),
            Array(key.x963Representation), jwk.serialized(),
        ]
        for secret in publicKey {
            forged.append(
                try forge(#"{"alg":"HS256","kid":"jwt1-key"}"#) { input in
                    let key = SymmetricKey(data: secret)
                    return Array(
                        HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: key)
                    )
                }
            )
        }
        // The attacker's own key, and signatures by it that are right.
        let attacker = try SigningKey(generating: .es256, keyID: "jwt1-key", random: .system)
        let privateKey = try P256.Signing.PrivateKey(rawRepresentation: attacker.revealStored())
        let own = String(decoding: attacker.verificationKey.jwk.object.serialized(), as: UTF8.self)
        for header in [
            #"{"alg":"ES256","kid":"jwt1-key"}"#,
            #"{"alg":"ES256","kid":"jwt1-key","jwk":\#(own)}"#,
            #"{"alg":"ES256","jwk":\#(own)}"#,
            #"{"alg":"ES256","kid":"jwt1-key","jku":"https://evil.example/jwks"}"#,
            #"{"alg":"ES256","kid":"jwt1-key","x5u":"https://evil.example/chain"}"#,
        ] {
            forged.append(
                try forge(header) { input in
                    Array(try privateKey.signature(for: Array(input.utf8)).rawRepresentation)
                }
            )
        }
        // Another algorithm's key, registered nowhere.
        let other = try SigningKey(generating: .edDSA, keyID: "jwt1-key", random: .system)
        forged.append(try other.sign(claims: claims(server), type: .jwt))
        for assertion in forged {
            let reply = try await ask(server, assertion)
            #expect(reply.error == "invalid_client")
            #expect(reply.json["access_token"] == nil)
        }
    }

    @Test(
        "RFC 7523 §2.2: client_id is the assertion's subject; two, or another type, are refused"
    )
    func clientID() async throws {
        let right = try signed(claims(server))
        #expect(try await ask(server, right, [("client_id", "web1")]).error == "invalid_client")
        #expect(try await ask(server, right, [("client_id", "jwt1")]).status == 200)
        let twice = try await ask(server, right, [("client_assertion", right)])
        #expect(twice.error == "invalid_request")
        let assertion = ("client_assertion", try signed(claims(server)))
        for type in ["", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer"] {
            let form = [("grant_type", "client_credentials"), assertion]
            let reply = try await server.token(form + [("client_assertion_type", type)])
            #expect(reply.error == "invalid_client")
        }
    }

    @Test("RFC 7523 §3: the assertion of a disabled client proves nothing, and is not spent")
    func disabledClient() async throws {
        let assertion = try signed(claims(server))
        try await server.change("jwt1") { $0.isEnabled = false }
        let refused = try await ask(server, assertion)
        #expect(refused.status == 401 && refused.error == "invalid_client")
        try await server.change("jwt1") { $0.isEnabled = true }
        #expect(try await ask(server, assertion).status == 200)
    }

    @Test("OpenID Connect Core §9: a client of one method cannot use another")
    func otherMethod() async throws {
        let server = try await ProviderUnderTest { realm in
            // Left over from another method: a key set alone makes no private_key_jwt.
            let keys = realm.clients.first { $0.clientID == "jwt1" }?.keySet
            realm.clients[client: "machine"].keySet = keys
        }
        #expect(
            try await server.token(TestFlow.own, basic: ("jwt1", "secret")).error
                == "invalid_client"
        )
        #expect(
            try await server.token(TestFlow.own + [("client_id", "jwt1")]).error == "invalid_client"
        )
        let machine = try signed(claims(server, ["iss": "machine", "sub": "machine"]))
        #expect(try await ask(server, machine).error == "invalid_client")
    }
}
