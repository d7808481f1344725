import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import Portico

@Suite("ID Tokens of a sign-in")
struct IDTokenAnswerTests {
    private let scene = Scene()

    /// Signs in with one claim changed; nothing must be left of it.
    private func failure(
        _ request: SignInRequest = SignInRequest(),
        with name: String,
        _ value: JSONValue?
    ) async throws -> SignInError.Kind? {
        let scene = Scene()
        scene.provider.change { $0.claims = { $0.with(name, value) } }
        let kind = await scene.failure(of: request)
        if kind != nil {
            #expect(try await scene.storage.read() == nil)
            #expect(scene.provider.requests("/userinfo").isEmpty)
        }
        return kind
    }

    @Test(
        "attacks D10, D11, D12, D14, OpenID Connect Core §3.1.3.7: a wrong claim ends the sign-in",
        arguments: [
            ("iss", "https://op.example.com/", .issuer), ("iss", nil, .issuer),
            ("sub", nil, .subject), ("aud", "web2", .audience),
            ("aud", ["app", "evil"], .audience),
            ("azp", "other", .authorizedParty), ("exp", nil, .expiry), ("exp", "x", .expiry),
            ("exp", .number(1e300), .expiry), ("exp", 1_699_999_000, .expiry),
            ("iat", nil, .issuedAt), ("nonce", nil, .nonce), ("nonce", "other", .nonce),
            ("at_hash", "AAAAAAAAAAAAAAAAAAAAAA", .accessTokenHash),
            ("nbf", 1_700_000_900, .notBefore),
        ] as [(String, JSONValue?, SignInError.Check)]
    )
    func claims(name: String, value: JSONValue?, check: SignInError.Check) async throws {
        #expect(try await failure(with: name, value) == .rejected(check))
    }

    @Test("attack D15: the ID Token of another sign-in of the same person is refused")
    func replay() async throws {
        let first = try await scene.signIn()
        let stolen = try #require(try await first.credentials().idToken)
        scene.provider.change { $0.tokens = { $0.with("id_token", .string(stolen)) } }
        #expect(await scene.failure() == .rejected(.nonce))
    }

    @Test("attack D18: with max_age the ID Token must say when, and recently")
    func maxAge() async throws {
        let request = SignInRequest(maxAge: .seconds(60))
        #expect(try await failure(request, with: "auth_time", 1_700_000_000) == nil)
        #expect(try await failure(request, with: "auth_time", nil) == .rejected(.authTime))
        #expect(
            try await failure(request, with: "auth_time", 1_699_990_000) == .rejected(.authTime)
        )
        #expect(
            try await failure(
                SignInRequest(maxAge: .seconds(Int64.max)),
                with: "auth_time",
                0
            ) == nil
        )
    }

    @Test("OpenID Connect Core §3.1.3.7 (12): acr is checked where it was asked for")
    func acr() async throws {
        let request = SignInRequest(acr: [.phishingResistant, "gold"])
        #expect(try await failure(request, with: "acr", "gold") == nil)
        #expect(try await failure(request, with: "acr", "bronze") == .rejected(.acr))
        #expect(try await failure(request, with: "acr", nil) == .rejected(.acr))
    }

    @Test("attack D01: an algorithm that is not announced is refused before keys are fetched")
    func algorithm() async throws {
        scene.provider.change { $0.metadata["id_token_signing_alg_values_supported"] = ["RS256"] }
        #expect(await scene.failure() == .rejected(.algorithm))
        #expect(scene.provider.requests("/keys").isEmpty)
        for header in [#"{"alg":"none"}"#, #"{"alg":"nOnE"}"#, #"{"alg":"HS256","kid":"k1"}"#] {
            let forged = Scene()
            forged.provider.change {
                $0.tokens = { tokens in
                    var tokens = tokens
                    let parts = tokens.string("id_token")?.split(separator: ".") ?? []
                    tokens["id_token"] = .string("\(Base64URL.encode(header.utf8)).\(parts[1]).")
                    return tokens
                }
            }
            #expect(await forged.failure() == .rejected(.algorithm))
            #expect(try await forged.storage.read() == nil)
            #expect(forged.provider.requests("/userinfo").isEmpty)
        }
    }

    /// ID Tokens in the place of a good one, which is handed over with the claims it would have.
    static let raw: [(String, @Sendable (String, JSONObject) throws -> String)] = [
        (
            "a DER signature",
            { good, _ in
                let parts = good.split(separator: ".").map(String.init)
                let raw = Base64URL.decode(parts[2]) ?? []
                let der = try P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation
                return "\(parts[0]).\(parts[1]).\(Base64URL.encode(der))"
            }
        ),
        (
            "a signature of zeros",
            { good, _ in
                let zeros = Base64URL.encode([UInt8](repeating: 0, count: 64))
                return good.split(separator: ".").prefix(2).joined(separator: ".") + "." + zeros
            }
        ),
        (
            "a MAC by the public key",
            { good, _ in
                let header = Base64URL.encode(#"{"alg":"HS256","kid":"k1"}"#.utf8)
                let input = "\(header).\(good.split(separator: ".")[1])"
                let key = SymmetricKey(
                    data: try FakeProvider.key.get().verificationKey.jwk.object.serialized()
                )
                let mac = HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: key)
                return input + "." + Base64URL.encode(Array(mac))
            }
        ),
        (
            "sub twice",
            { _, claims in
                let text = String(decoding: claims.serialized(), as: UTF8.self)
                let twice = #"{"sub":"bob",\#(text.dropFirst())"#
                return try FakeProvider.key.get().sign(claims: Array(twice.utf8), type: .jwt)
            }
        ),
        (
            "ten thousand deep",
            { _, claims in
                let text = String(decoding: claims.serialized(), as: UTF8.self)
                let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
                let nested = #"{"x":\#(deep),\#(text.dropFirst())"#
                return try FakeProvider.key.get().sign(claims: Array(nested.utf8), type: .jwt)
            }
        ),
        (
            "the type of an access token",
            { _, claims in try FakeProvider.key.get().sign(claims: claims, type: .accessToken) }
        ),
        (
            "five megabytes",
            { _, claims in
                var claims = claims
                claims["x"] = .string(String(repeating: "x", count: 5 << 20))
                return try FakeProvider.key.get().sign(claims: claims, type: .jwt)
            }
        ),
    ]

    @Test(
        "attacks D02, D04, D09, D10: an ID Token that is none ends the sign-in, and leaves nothing",
        arguments: raw.indices
    )
    func forgedToken(index: Int) async throws {
        let (name, forge) = Self.raw[index]
        let said = Locked<JSONObject>([:])
        scene.provider.change { state in
            state.claims = { claims in
                said.withLock { $0 = claims }
                return claims
            }
            state.tokens = { tokens in
                var tokens = tokens
                let good = tokens.string("id_token") ?? ""
                // `try?`: without a token the sign-in fails for another reason, which shows below.
                let forged = try? forge(good, said.withLock { $0 })
                tokens["id_token"] = forged.map(JSONValue.string)
                return tokens
            }
        }
        guard case .rejected(let check)? = await scene.failure() else {
            Issue.record("\(name) was taken")
            return
        }
        #expect(check != .idTokenMissing, "\(name)")
        #expect(try await scene.storage.read() == nil, "\(name)")
        #expect(scene.provider.requests("/userinfo").isEmpty, "\(name)")
    }

    @Test("OpenID Connect Core §3.1.3.7 (6): the signature is checked, also over the back channel")
    func signature() async throws {
        // Another key under the name of the published one.
        scene.provider.change { $0.signer = FakeProvider.newKey("k1") }
        #expect(await scene.failure() == .rejected(.signature))
        #expect(try await scene.storage.read() == nil)
    }

    @Test("RFC 8725 §3.12: an access token of the provider's is no ID Token")
    func otherType() async throws {
        let key = try FakeProvider.key.get()
        scene.provider.change {
            $0.tokens = { tokens in
                var tokens = tokens
                // `try?`: without a token the sign-in fails for another reason, and so does this.
                let claims = tokens.string("id_token").flatMap {
                    try? JWT(parsing: $0).uncheckedClaims()
                }
                let other = claims.flatMap {
                    try? key.sign(claims: $0, type: .accessToken)
                }
                tokens["id_token"] = other.map(JSONValue.string)
                return tokens
            }
        }
        #expect(await scene.failure() == .rejected(.idTokenMalformed))
        #expect(try await scene.storage.read() == nil)
    }

    @Test("OpenID Connect Core §3.1.3.7 (1): an encrypted ID Token is refused as such")
    func encrypted() async throws {
        scene.provider.change {
            $0.tokens = { tokens in
                var tokens = tokens
                let header = Base64URL.encode(#"{"alg":"RSA-OAEP","enc":"A256GCM"}"#.utf8)
                tokens["id_token"] = .string("\(header).AAAA.AAAA.AAAA.AAAA")
                return tokens
            }
        }
        #expect(await scene.failure() == .rejected(.idTokenEncrypted))
    }

    @Test("OpenID Connect Core §10.1.1: after a rotation the new key is fetched, once")
    func rotation() async throws {
        _ = try await scene.signIn()
        scene.clock.advance(by: 100)
        scene.provider.change {
            $0.signer = FakeProvider.otherKey
            $0.published = [FakeProvider.key, FakeProvider.otherKey]
        }
        _ = try await scene.signIn()
        #expect(scene.provider.requests("/keys").count == 2)
    }

    @Test("Keys at an address that the provider has left are its keys no more, fresh as they are")
    func movedKeys() async throws {
        _ = try await scene.signIn()
        scene.clock.advance(by: 3590)
        _ = try await scene.signIn()
        let moved = JWKSet([try FakeProvider.otherKey.get().verificationKey]).serialized()
        scene.provider.change {
            $0.metadata["jwks_uri"] = .string(FakeProvider.issuer + "/moved")
        }
        scene.provider.answer("/moved") { _ in .text(200, "application/json", moved) }
        // The document is an hour old, the keys fifteen seconds.
        scene.clock.advance(by: 15)
        #expect(await scene.failure() == .rejected(.key))
        scene.provider.change { $0.signer = FakeProvider.otherKey }
        _ = try await scene.signIn()
        #expect(scene.provider.requests("/moved").count == 1)
    }

    @Test("OIDCC-10.1.1-2: a hundred made-up kids cause one fetch a minute")
    func unknownKeys() async throws {
        _ = try await scene.signIn()
        scene.provider.change { $0.signer = FakeProvider.otherKey }
        scene.clock.advance(by: 61)
        for _ in 0..<20 {
            #expect(await scene.failure() == .rejected(.key))
        }
        #expect(scene.provider.requests("/keys").count == 2)
        scene.clock.advance(by: 61)
        #expect(await scene.failure() == .rejected(.key))
        #expect(scene.provider.requests("/keys").count == 3)
    }

    @Test("Keys that cannot be fetched for an unknown kid say nothing about the token")
    func keysUnavailable() async throws {
        _ = try await scene.signIn()
        scene.clock.advance(by: 100)
        scene.provider.change { $0.signer = FakeProvider.otherKey }
        scene.provider.answer("/keys") { _ in .text(503, nil, []) }
        #expect(await scene.failure() == .transient(.serverError, retryAfter: nil))
    }

    @Test(
        "attack D21: a key set that is a redirect, no JSON, too large or no set is refused",
        arguments: [
            (.text(302, nil, [], [.location: "https://evil.example/jwks"]), .redirected),
            (.text(200, "text/html", Array("<html>".utf8)), .keys),
            (.text(200, "application/json", Array("[]".utf8)), .keys),
            (.text(200, "application/json", [UInt8](repeating: 0x20, count: 10 << 20)), .keys),
            // Comparing it with the types that there are would take seconds.
            (
                .text(
                    200,
                    "application/json",
                    Array(#"{"keys":[{"kty":"E"#.utf8)
                        + Array(String(repeating: "\u{301}\u{316}", count: 60_000).utf8)
                        + Array(#""}]}"#.utf8)
                ),
                .keys
            ),
        ] as [(HTTPReply, SignInError.Check)]
    )
    func keySet(reply: HTTPReply, check: SignInError.Check) async throws {
        scene.provider.answer("/keys") { _ in reply }
        #expect(await scene.failure() == .rejected(check))
        #expect(try await scene.storage.read() == nil)
    }

    @Test("attack D21: a good key set that does not say what it is is refused")
    func keySetType() async throws {
        let set = JWKSet([try FakeProvider.key.get().verificationKey]).serialized()
        scene.provider.answer("/keys") { _ in .text(200, "text/html", set) }
        #expect(await scene.failure() == .rejected(.keys))
    }

    @Test(
        "attack H13: a wrong clock is told as such, by how much, and accepts nothing",
        arguments: [-3600, 3600] as [TimeInterval]
    )
    func clock(offset: TimeInterval) async throws {
        let wrong = StoppedClock()
        wrong.advance(by: offset)
        let provider = scene.provider
        let storage = InMemory()
        let client = SignInClient(
            issuer: FakeProvider.issuer,
            clientID: "app",
            redirect: .https(Scene.redirectURI),
            scopes: [],
            options: SignInClient.Options(),
            storage: storage,
            transport: provider,
            now: { wrong.now },
            random: .system
        )
        let attempt = try await client.begin()
        let callback = try provider.authorize(attempt.address)
        let error = await #expect(throws: SignInError.self) { try await attempt.complete(callback) }
        guard case .misconfigured(let hint)? = error?.kind else {
            Issue.record("not about the clock: \(String(describing: error))")
            return
        }
        #expect(hint.isClock)
        #expect(hint.clockOffset == .seconds(Int64(offset)))
        #expect(hint.description.contains("3600 s \(offset < 0 ? "behind" : "ahead")"))
        #expect(try await storage.read() == nil)
    }

    @Test("attack H13: where the server's clock agrees with ours, an old token is just that")
    func oldToken() async throws {
        scene.provider.change {
            $0.claims = { $0.with("iat", 1_699_990_000).with("exp", 1_699_990_300) }
        }
        let provider = scene.provider
        provider.answer("/token") { request throws(HTTPTransportError) in
            provider.answerAsUsual("/token")
            var reply = try await provider.send(
                .init(method: .post, scheme: "https", authority: "op.example.com", path: "/token"),
                body: FormEncoding.encode(request.form.all),
                limits: HTTPLimits(bytes: 1 << 20, seconds: 1)
            )
            reply.response.headerFields[.date] = "Tue, 14 Nov 2023 22:13:20 GMT"
            return reply
        }
        #expect(await scene.failure() == .rejected(.expiry))
    }
}

@Suite("The identity of a person") struct UserTests {
    @Test(
        "OpenID Connect Core §5.7, §14: two spellings of one subject or issuer are two people",
        arguments: [("i", "cafe\u{301}"), ("\u{212B}", "caf\u{E9}"), ("i", "caf\u{C9}")]
    )
    func spellings(_ issuer: String, _ subject: String) {
        let one = User.ID(issuer: issuer == "i" ? "i" : "\u{C5}", subject: "caf\u{E9}")
        let other = User.ID(issuer: issuer, subject: subject)
        #expect(one != other)
        let known = [one: 1, other: 2]
        #expect(known[one] == 1)
        #expect(one == User.ID(issuer: one.issuer, subject: one.subject))
    }
}

/// Takes every request, and says which.
private final class TakingTransport: HTTPTransport {
    private let taken = Locked<[String]>([])

    var requests: [String] { taken.withLock { $0 } }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        taken.withLock { $0.append(request.address?.text ?? "") }
        return HTTPReply(response: HTTPResponse(status: .ok), body: [])
    }
}

@Suite("A provider on localhost") struct LocalhostIssuerTests {
    private func http(_ transport: TakingTransport, _ addresses: [[UInt8]]) -> ProviderHTTP {
        ProviderHTTP(
            transport: transport,
            localhost: LocalhostName(resolver: ScriptedNames(addresses)),
            now: { Date() }
        )
    }

    @Test("RFC 6761 §6.3: whatever the transport, nothing is sent to a localhost that is elsewhere")
    func elsewhere() async throws {
        let transport = TakingTransport()
        let limits = HTTPLimits(bytes: 1, seconds: 1)
        for url in ["http://localhost:8080/token", "http://op.localhost/token"] {
            await #expect(throws: SignInError(.misconfigured(.localhostElsewhere))) {
                try await http(transport, [.loopback4, [192, 0, 2, 1]])
                    .post(url, form: [("code", "c")], limits: limits, check: .answerTooLarge)
            }
            #expect(transport.requests.isEmpty)
        }
        let here = TakingTransport()
        _ = try await http(here, [.loopback6])
            .get("http://localhost:8080/", limits: limits, check: .answerTooLarge)
        #expect(here.requests == ["http://localhost:8080/"])
    }

    @Test("Decision 0036: http on localhost is for who allows it")
    func allowed() async {
        for issuer in ["http://localhost:8080", "http://op.localhost:8080/realms/demo"] {
            let strict = Scene(issuer: issuer)
            await #expect(throws: SignInError(.misconfigured(.issuerInsecure))) {
                try await strict.client.provider()
            }
            // It gets as far as the metadata, which are another issuer's.
            let lenient = Scene(issuer: issuer, options: .allowInsecureLoopback)
            await #expect(throws: SignInError.self) { try await lenient.client.provider() }
            let path = HTTPAddress(issuer).map { $0.path + "/.well-known/openid-configuration" }
            #expect(lenient.provider.requests(path ?? "").count == 1)
        }
    }

    @Test("attack H16: a localhost that is elsewhere is not handed to a browser")
    func browser() async throws {
        let folder = try TemporaryFolder()
        let program = try folder.script(#"touch "$(dirname "$0")/started""#)
        let elsewhere = LocalhostName(resolver: ScriptedNames([[192, 0, 2, 1]]))
        await #expect(throws: SignInError(.misconfigured(.localhostElsewhere))) {
            try await SystemBrowser(named: program, localhost: elsewhere)
                .open("http://localhost:8080/auth")
        }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/started"))
        try await SystemBrowser(
            named: program,
            localhost: LocalhostName(resolver: ScriptedNames([.loopback4]))
        ).open("http://localhost:8080/auth")
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/started"))
    }
}
