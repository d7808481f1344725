import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("private_key_jwt") struct ClientAssertionTests {
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
                (
                    "client_assertion_type",
                    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                ),
            ] + extra
        )
    }

    private func signed(_ claims: JSONObject, type: JWTType = .jwt) throws -> String {
        try TestRealm.clientKey.sign(claims: claims, type: type)
    }

    @Test("RFC 7523 §2.2: a right assertion authenticates, once")
    func onceOnly() async throws {
        let server = try await ProviderUnderTest()
        let assertion = try signed(claims(server))
        #expect(try await ask(server, assertion).status == 200)
        let replay = try await ask(server, assertion)
        #expect(replay.status == 401)
        #expect(replay.error == "invalid_client", "attack C26: replay of a jti")
    }

    @Test("RFC 7523 §3: an assertion is spent also by a request that fails otherwise")
    func spentByFailure() async throws {
        let server = try await ProviderUnderTest()
        let assertion = try signed(claims(server))
        let refused = try await ask(server, assertion, [("scope", "not-mine")])
        #expect(refused.error == "invalid_scope")
        #expect(try await ask(server, assertion).error == "invalid_client")
    }

    @Test("RFC 7523 §3: of many at once with one jti, one is served")
    func race() async throws {
        let server = try await ProviderUnderTest(database: TestDatabase.inFile())
        for _ in 1...20 {
            let assertion = try signed(claims(server))
            let replies = try await withThrowingTaskGroup { group in
                for _ in 1...8 { group.addTask { try await ask(server, assertion) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
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
        let server = try await ProviderUnderTest()
        let reply = try await ask(server, try signed(claims(server, changes)))
        #expect(reply.status == 401, "\(name)")
        #expect(reply.error == "invalid_client")
    }

    @Test("RFC 7523 update: one audience in an array is taken; typed assertions are taken")
    func tolerated() async throws {
        let server = try await ProviderUnderTest()
        let array = try signed(claims(server, ["aud": [.string(TestRealm.issuer)]]))
        #expect(try await ask(server, array).status == 200)
        let typed = try signed(claims(server), type: .clientAuthentication)
        #expect(try await ask(server, typed).status == 200)
    }

    @Test(
        "RFC 8725 §3.12: another kind of JWT is no assertion",
        arguments: [JWTType.accessToken, .dpopProof, .logoutToken]
    )
    func otherKinds(type: JWTType) async throws {
        let server = try await ProviderUnderTest()
        #expect(
            try await ask(server, try signed(claims(server), type: type)).error == "invalid_client"
        )
    }

    @Test("attack C27: none, HMAC with the public key, and keys that the header brings")
    func forgedSignatures() async throws {
        let server = try await ProviderUnderTest()
        let payload = Base64URL.encode(claims(server).serialized())
        let attacker = try SigningKey(generating: .es256, keyID: "jwt1-key", random: .system)
        let forged = try attacker.sign(claims: claims(server), type: .jwt)
        let jwk = String(decoding: JWKSet([attacker.verificationKey]).serialized(), as: UTF8.self)
        let headers = [
            #"{"alg":"none"}"#, #"{"alg":"HS256","kid":"jwt1-key"}"#,
            #"{"alg":"ES256","jku":"https://evil/jwks","jwk":\#(jwk)}"#,
        ]
        for header in headers {
            let text = Base64URL.encode(header.utf8) + "." + payload + "."
            let signature = forged.split(separator: ".").last.map(String.init) ?? ""
            #expect(try await ask(server, text).error == "invalid_client")
            #expect(try await ask(server, text + signature).error == "invalid_client")
        }
        #expect(try await ask(server, forged).error == "invalid_client")
    }

    @Test(
        "RFC 7523 §2.2: client_id, if sent, is the assertion's subject; two assertions are refused"
    )
    func clientID() async throws {
        let server = try await ProviderUnderTest()
        let right = try signed(claims(server))
        let other = try await ask(server, right, [("client_id", "web1")])
        #expect(other.error == "invalid_client")
        #expect(try await ask(server, right, [("client_id", "jwt1")]).status == 200)
        let twice = try await ask(server, right, [("client_assertion", right)])
        #expect(twice.error == "invalid_request")
    }

    @Test("OpenID Connect Core §9: a client of one method cannot use another")
    func otherMethod() async throws {
        let server = try await ProviderUnderTest()
        let form = [("grant_type", "client_credentials")]
        #expect(try await server.token(form, basic: ("jwt1", "secret")).error == "invalid_client")
        #expect(try await server.token(form + [("client_id", "jwt1")]).error == "invalid_client")
    }
}
