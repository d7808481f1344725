import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import Portico
@testable import PorticoHummingbird

@Suite("A service that admits access tokens")
struct AccessTokenAuthenticationTests {
    private let clock = StoppedClock()
    private let issuer: ScriptedIssuer

    init() throws {
        issuer = try ScriptedIssuer(clock)
    }

    private func method(
        issuer: String = ScriptedIssuer.address,
        audience: String = "notes",
        scopes: [String] = [],
        algorithms: [String] = ["ES256", "EdDSA", "RS256", "PS256"],
        types: [String] = ["at+jwt"],
        transport: (any HTTPTransport)? = nil
    ) throws -> AuthenticationMethod {
        let clock = clock
        return try .accessToken(
            issuer: issuer,
            audience: audience,
            scopes: scopes,
            roles: .keycloak,
            algorithms: algorithms,
            types: types,
            proofs: nil,
            allowInsecureLoopback: false,
            transport: transport ?? self.issuer,
            clock: Clock { clock.now }
        )
    }

    private func statuses(_ tokens: [String], _ method: AuthenticationMethod? = nil) async throws
        -> [Int]
    {
        try await RunningService.run(PersonAuthenticator(method ?? self.method())) { service in
            var statuses: [Int] = []
            for token in tokens {
                statuses.append(try await service.send("/me", bearer: token).status)
            }
            return statuses
        }
    }

    @Test("RFC 9068 §4: a good token is admitted, and the route has person, roles and scope")
    func good() async throws {
        let token = try issuer.token()
        try await RunningService.run(PersonAuthenticator(method())) { service in
            let answer = try await service.send("/me", bearer: token)
            #expect(answer.status == 200)
            #expect(answer.body == "alice accessToken alice@example.com")
            #expect(try await service.send("/edit", bearer: token).status == 200)
            #expect(try await service.send("/publish", bearer: token).status == 403)
        }
        #expect(issuer.fetches == 1)
    }

    @Test(
        "RFC 9068 §4: a claim that is wrong or missing is 401 invalid_token",
        arguments: [
            ["iss": "https://evil.example"], ["iss": "https://id.example.com/"], ["iss": .null],
            ["aud": "other"], ["aud": ["other", "notes/"]], ["aud": .null], ["aud": 7],
            ["aud": []], ["sub": .null], ["sub": ""], ["exp": .null], ["exp": "soon"],
            ["exp": 1_799_999_969], ["nbf": 1_800_000_031], ["nbf": "x"], ["iat": 1_800_000_031],
            ["scope": "a\"b"], ["iat": "x"],
            // RFC 9449 §7.1: bound to a key that is not proven to this service.
            ["cnf": ["jkt": "x"]], ["cnf": ["x5t#S256": "x"]],
        ] as [JSONObject]
    )
    func wrongClaim(changes: JSONObject) async throws {
        let token = try issuer.token(changes)
        try await RunningService.run(PersonAuthenticator(method())) { service in
            let answer = try await service.send("/me", bearer: token)
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_token")
            let challenge = try #require(answer.field("WWW-Authenticate"))
            #expect(challenge.hasPrefix("Bearer realm=\"https://id.example.com\", error=\"inv"))
            #expect(answer.field("Cache-Control") == "no-store")
        }
    }

    @Test("RFC 8693 §4.2: a scope that is no text allows nothing; null is as absent everywhere")
    func foreignMembers() async throws {
        let listed = try issuer.token(["scope": ["notes.read", "notes.edit"]])
        try await RunningService.run(PersonAuthenticator(method())) { service in
            let read = try await service.send("/me", bearer: listed)
            #expect(read.status == 200)
        }
        let asking = try method(scopes: ["notes.read"])
        try await RunningService.run(PersonAuthenticator(asking)) { service in
            let read = try await service.send("/me", bearer: listed)
            #expect(read.status == 403 && read.error == "insufficient_scope")
        }
        let nulls = try issuer.token(nulls: ["cnf", "nbf", "scope", "azp"])
        #expect(try await statuses([nulls]) == [200])
    }

    @Test(
        "RFC 7519 §4.1.4: clocks may be half a minute apart",
        arguments: [["exp": 1_799_999_971], ["nbf": 1_800_000_030], ["iat": 1_800_000_030]]
            as [JSONObject]
    )
    func leeway(changes: JSONObject) async throws {
        #expect(try await statuses([issuer.token(changes)]) == [200])
    }

    @Test("RFC 8725 §3.11, RFC 9068 §5: an ID Token is no access token, no matter the signer")
    func types() async throws {
        let tokens = [
            try issuer.token(type: .jwt),
            try issuer.token(["typ": "ID"], type: .jwt),
            try issuer.token(["typ": "Refresh"], type: .jwt),
            try issuer.token(type: .logoutToken),
            try issuer.token(type: .clientAuthentication),
            // As Keycloak says that it is one.
            try issuer.token(["typ": "Bearer"], type: .jwt),
        ]
        #expect(try await statuses(tokens) == [401, 401, 401, 401, 401, 401])
        let both = try method(types: ["at+jwt", "JWT"])
        #expect(try await statuses(tokens, both) == [401, 401, 401, 401, 401, 200])
        let keycloak = try method(types: ["JWT"])
        #expect(try await statuses([issuer.token(), tokens[5]], keycloak) == [401, 200])
        for wrong in [[], ["dpop+jwt"], ["JWT", "jwt"]] {
            #expect(throws: SignInError(.misconfigured(.verificationInvalid))) {
                try method(types: wrong)
            }
        }
    }

    @Test("RFC 8725 §3.1, §3.2: no algorithm but the allowed ones, no signature but its own")
    func signatures() async throws {
        let good = try issuer.token()
        let parts = good.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"at+jwt"}"#.utf8))
        let shared = Base64URL.encode(Array(#"{"alg":"HS256","typ":"at+jwt"}"#.utf8))
        let tokens = [
            // A foreign key with the same ID.
            try issuer.token(by: ScriptedIssuer.key("k1")),
            "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])",
            "\(shared).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(parts[1]).AAAA", "\(parts[0]).\(parts[1])", "a.b.c", "opaque",
            good + "x", good,
        ]
        let statuses = try await statuses(tokens)
        #expect(statuses.dropLast().allSatisfy { $0 == 401 })
        #expect(statuses.last == 200)
        #expect(try await self.statuses([good], method(algorithms: ["RS256"])) == [401])
    }

    @Test("OpenID Connect Core §10.1.1: keys change; an unknown one costs a question a minute")
    func rotation() async throws {
        let (issuer, clock) = (issuer, clock)
        let old = try issuer.token()
        let key = try ScriptedIssuer.key("k2")
        let made = try ScriptedIssuer.key("k3")
        try await RunningService.run(PersonAuthenticator(method())) { service in
            #expect(try await service.send("/me", bearer: old).status == 200)
            issuer.publish(key)
            clock.advance(by: 61)
            #expect(try await service.send("/me", bearer: issuer.token()).status == 200)
            #expect(issuer.fetches == 2)
            for _ in 0..<5 {
                let token = try issuer.token(by: made)
                #expect(try await service.send("/me", bearer: token).status == 401)
            }
            #expect(issuer.fetches == 2)
            // The old key is gone.
            #expect(try await service.send("/me", bearer: old).status == 401)
        }
    }

    @Test("If the issuer cannot be reached, no one is admitted: 503, and admitted again later")
    func unavailable() async throws {
        let (issuer, clock) = (issuer, clock)
        issuer.isReachable(false)
        let token = try issuer.token()
        try await RunningService.run(PersonAuthenticator(method())) { service in
            let answer = try await service.send("/me", bearer: token)
            #expect(answer.status == 503)
            #expect(answer.error == "temporarily_unavailable")
            issuer.isReachable(true)
            clock.advance(by: 6)
            #expect(try await service.send("/me", bearer: token).status == 200)
        }
    }

    @Test("RFC 6750 §3.1: a scope that was not granted is 403 insufficient_scope, and which")
    func scopes() async throws {
        let method = try method(scopes: ["notes.read", "notes.write"])
        let tokens = try ["notes.read notes.write more", "notes.read", "notes.readnotes.write", ""]
            .map { try issuer.token(["scope": .string($0)]) }
        let none = try issuer.token(["scope": .null])
        try await RunningService.run(PersonAuthenticator(method)) { service in
            #expect(try await service.send("/me", bearer: tokens[0]).status == 200)
            for token in tokens.dropFirst() + [none] {
                let answer = try await service.send("/me", bearer: token)
                #expect(answer.status == 403)
                #expect(answer.error == "insufficient_scope")
                let challenge = try #require(answer.field("WWW-Authenticate"))
                #expect(challenge.contains("error=\"insufficient_scope\""))
                #expect(challenge.hasSuffix("scope=\"notes.read notes.write\""))
            }
        }
    }

    @Test("RFC 6750 §3.1: without a token there is a challenge, and no error in it")
    func missing() async throws {
        let token = try issuer.token()
        try await RunningService.run(PersonAuthenticator(method())) { service in
            // RFC 6750 §2.3: not in the address either; and no cookie is looked at.
            for (path, fields) in [
                ("/me", []), ("/me?access_token=\(token)", []),
                ("/me", ["Cookie: __Host-session=\(token)"]), ("/me", ["Authorization: Basic x"]),
                ("/me", ["Authorization: DPoP \(token)"]),
            ] as [(String, [String])] {
                let answer = try await service.send(path, "GET", fields)
                #expect(answer.status == 401)
                #expect(
                    answer.field("WWW-Authenticate") == "Bearer realm=\"https://id.example.com\""
                )
            }
        }
    }

    @Test("A realm of our own: its access token is admitted with its roles, its ID Token not")
    func ownProvider() async throws {
        let provider = try await ProviderUnderTest(clock: clock)
        let tokens = try await provider.tokens(
            "alice",
            "native1",
            scope: "openid profile email roles"
        ).json
        let accessToken = try #require(tokens.string("access_token"))
        let idToken = try #require(tokens.string("id_token"))
        let method = try method(
            issuer: TestRealm.issuer,
            audience: TestRealm.issuer,
            scopes: ["openid"],
            transport: ProviderTransport(provider: provider)
        )
        let clock = clock
        try await RunningService.run(PersonAuthenticator(method)) { service in
            let answer = try await service.send("/me", bearer: accessToken)
            #expect(answer.status == 200)
            #expect(answer.body.hasSuffix("accessToken -"))
            #expect(try await service.send("/edit", bearer: accessToken).status == 200)
            #expect(try await service.send("/me", bearer: idToken).status == 401)
            clock.advance(by: 86_400)
            #expect(try await service.send("/me", bearer: accessToken).status == 401)
        }
        let elsewhere = try self.method(
            issuer: TestRealm.issuer,
            audience: "notes",
            transport: ProviderTransport(provider: provider)
        )
        #expect(try await statuses([accessToken], elsewhere) == [401])
    }

    @Test("Both methods on one service: each token goes to the method that can check it")
    func both() async throws {
        let backend = ScriptedBackend()
        let clock = clock
        let session = try AuthenticationMethod.session(
            backend: ScriptedBackend.address,
            cachedFor: .zero,
            allowInsecureLoopback: false,
            transport: backend,
            clock: Clock { clock.now }
        )
        let provider = try await ProviderUnderTest(clock: clock)
        let theirs = try #require(
            try await provider.tokens("bob", "native1").json.string("access_token")
        )
        let own = try method(
            issuer: TestRealm.issuer,
            audience: TestRealm.issuer,
            transport: ProviderTransport(provider: provider)
        )
        let token = try issuer.token()
        try await RunningService.run(PersonAuthenticator(session, method(), own)) { service in
            let byToken = try await service.send("/me", bearer: "S1")
            #expect(byToken.body.hasPrefix("u-1 session"))
            #expect(try await service.send("/me", bearer: token).body.hasPrefix("alice access"))
            #expect(try await service.send("/me", bearer: theirs).body.hasSuffix("accessToken -"))
            #expect(backend.asked.count == 1)
            #expect(try await service.send("/me").json.string("reason") == "NO_COOKIE")
        }
    }

    @Test("What could never verify anything is told at the start")
    func wrongConfiguration() {
        #expect(throws: SignInError(.misconfigured(.verificationInvalid))) {
            try method(audience: "")
        }
        for algorithms in [[], ["none"], ["HS256"], ["ES256", "HS256"]] {
            #expect(throws: SignInError(.misconfigured(.verificationInvalid))) {
                try method(algorithms: algorithms)
            }
        }
        #expect(throws: SignInError(.misconfigured(.issuerInsecure))) {
            try method(issuer: "http://id.example.com")
        }
        #expect(throws: SignInError(.misconfigured(.issuerInvalid))) { try method(issuer: "id") }
        #expect(throws: SignInError(.misconfigured(.scopeInvalid))) {
            try method(scopes: ["a\"b"])
        }
    }
}

@Suite("Who makes a request") struct AuthenticatedPersonTests {
    @Test(
        "OpenID Connect Core §5.7, §14: two spellings of one subject or issuer are two people",
        arguments: [("i", "cafe\u{301}"), ("\u{212B}", "caf\u{E9}"), ("i", "caf\u{C9}")]
    )
    func spellings(_ issuer: String, _ subject: String) {
        let one = AuthenticatedPerson.ID(
            issuer: issuer == "i" ? "i" : "\u{C5}",
            subject: "caf\u{E9}"
        )
        let other = AuthenticatedPerson.ID(issuer: issuer, subject: subject)
        #expect(one != other)
        var known = [one: 1]
        known[other] = 2
        #expect(known[one] == 1)
        #expect(one == AuthenticatedPerson.ID(issuer: one.issuer, subject: one.subject))
    }
}
