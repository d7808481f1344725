import Foundation
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Attempts")
struct AttemptTests {
    @Test("WEB-BFF-6: an attempt travels as bytes, and comes back as it was or not at all")
    func encoding() async throws {
        let scene = try Scene(.oidc)
        let attempt = try await scene.begin(UpstreamRequest(maxAge: 600)).attempt
        let encoded = attempt.encoded
        let back = try Attempt(encoded: encoded)
        #expect(back == attempt)
        #expect(back.id == attempt.id && back.provider == "x" && back.maxAge == 600)
        #expect(back.redirectURI == Scene.redirectURI && back.startedAt == 1_700_000_000)
        #expect(back.issuer == "https://op.example.com" && back.state == attempt.state)
        for count in 0..<encoded.count {
            #expect(throws: ByteReader.Malformed.self) {
                try Attempt(encoded: Array(encoded.prefix(count)))
            }
        }
        for wrong in [encoded + [0], [2] + encoded.dropFirst()] {
            #expect(throws: ByteReader.Malformed.self) { try Attempt(encoded: wrong) }
        }
    }

    @Test(
        "RFC 8252 §8.9, PRV-G-7, PRV-O-1: state, nonce and an S256 challenge, new for each attempt"
    )
    func fresh() async throws {
        let scene = try Scene(.google)
        var seen: Set<String> = []
        for _ in 0..<20 {
            let (attempt, address) = try await scene.begin()
            #expect(try parameter("state", of: address) == attempt.state.reveal())
            #expect(try parameter("nonce", of: address) == attempt.secrets.nonce.reveal())
            #expect(
                try parameter("code_challenge", of: address)
                    == attempt.secrets.verifier.challenge.text
            )
            #expect(try parameter("code_challenge_method", of: address) == "S256")
            #expect(!address.contains(attempt.secrets.verifier.reveal()))
            for name in ["state", "nonce", "code_challenge"] {
                seen.insert(try #require(try parameter(name, of: address)))
            }
        }
        #expect(seen.count == 60)
    }

    @Test("Decision 0013: the verifier goes to the token endpoint, with the redirect URI, once")
    func redemption() async throws {
        let scene = try Scene(.oidc)
        let (attempt, _) = try await scene.begin()
        let code = try await scene.client.code(in: scene.answer(to: attempt), to: attempt)
        _ = try await scene.client.redeem(code, of: attempt)
        let requests = scene.world.requests(scene.addresses.token)
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(request.method == "POST")
        #expect(request.form["code"] == "c0de")
        #expect(request.form["code_verifier"] == attempt.secrets.verifier.reveal())
        #expect(request.form["redirect_uri"] == Scene.redirectURI)
        #expect(request.form["grant_type"] == "authorization_code")
    }

    @Test("WEB-BFF-10: what may be asked of a provider is listed, and nothing else is passed on")
    func request() async throws {
        let scene = try Scene(.oidc)
        let request = UpstreamRequest(
            prompt: .selectAccount,
            loginHint: "ann@example.com",
            maxAge: 600,
            uiLocales: ["de", "en"]
        )
        let address = try await scene.begin(request).address
        let expected = [
            "prompt": "select_account", "login_hint": "ann@example.com", "max_age": "600",
            "ui_locales": "de en", "client_id": "us", "response_type": "code",
            "scope": "openid profile email", "redirect_uri": Scene.redirectURI,
        ]
        for (name, value) in expected { #expect(try parameter(name, of: address) == value) }
        let names = try FormParameters(decoding: address.split(separator: "?")[1].utf8).all
            .map(\.name)
        #expect(
            Set(names)
                == Set(expected.keys).union([
                    "state", "nonce", "code_challenge", "code_challenge_method",
                ])
        )
        #expect(try parameter("prompt", of: try await scene.begin().address) == nil)
        for prompt in [UpstreamRequest.Prompt.login, .consent, .create] {
            let address = try await scene.begin(UpstreamRequest(prompt: prompt)).address
            #expect(try parameter("prompt", of: address) == prompt.rawValue)
        }
    }

    @Test("OpenID Connect Core §3.1.3.7 (13): max_age is checked, also in another request")
    func maxAge() async throws {
        let scene = try Scene(.oidc)
        let request = UpstreamRequest(maxAge: 600)
        let now = NumericDate.seconds(scene.clock.now)
        #expect(await scene.failure(request) == .rejected(.authTime))
        #expect(
            await scene.failure(request, claims: ["auth_time": .integer(now - 700)])
                == .rejected(.authTime)
        )
        let person = try await scene.signIn(request, claims: ["auth_time": .integer(now - 500)])
        #expect(person.authenticatedAt == now - 500)
    }

    @Test(
        "OpenID Connect Core §3.1.2.1: max_age counts from the request; how long the person takes after it does not matter",
        arguments: [(-61, false), (-59, true), (5, true), (300, true), (362, false)]
    )
    func maxAgeFromRequest(_ row: (seconds: Int64, isAccepted: Bool)) async throws {
        let scene = try Scene(.oidc)
        let start = NumericDate.seconds(scene.clock.now)
        let attempt = try await scene.begin(.reauthentication).attempt
        scene.tell { $0.claims = ["auth_time": .integer(start + row.seconds)] }
        scene.clock.advance(by: 300)
        let code = try await scene.client.code(in: scene.answer(to: attempt), to: attempt)
        let outcome = await kind {
            let person = try await scene.client.redeem(code, of: attempt)
            #expect(person.authenticatedAt == start + row.seconds)
        }
        #expect(outcome == (row.isAccepted ? nil : .rejected(.authTime)))
    }

    @Test(
        "WEB-SESS-8: the time of authentication counts if the provider returns it for its own attempt, and it is not in the future",
        arguments: [
            (IdentityProvider.Kind.oidc, -500, true), (.keycloak, -500, true), (.oidc, 60, true),
            (.oidc, 61, false), (.google, -5, false), (.apple, -5, false), (.facebook, -5, false),
        ]
    )
    func authTime(_ row: (kind: IdentityProvider.Kind, seconds: Int64, isTold: Bool)) async throws {
        let isFacebook = row.kind == .facebook
        let scene = try Scene(
            row.kind,
            isFacebook ? ["scopes": ["openid"]] : [:],
            secret: row.kind == .apple ? Scene.pem : "s3cret"
        )
        let time = NumericDate.seconds(scene.clock.now) + row.seconds
        let claims: JSONObject = ["auth_time": .integer(time)]
        let person = try await scene.signIn(claims: claims)
        #expect(person.authenticatedAt == (row.isTold ? time : nil))
        // A person with a token from their app was not asked by this server.
        let nonce = "n-1"
        let told = row.kind == .apple ? Hexadecimal.text(Hash256(of: nonce).bytes) : nonce
        let token = scene.nativeToken(claims, nonce: told)
        let brought = try await scene.client.verifyNative(
            NativeToken(idToken: token, nonce: SecretText(nonce)),
            audiences: ["us"],
            at: scene.clock.now
        )
        #expect(brought.authenticatedAt == nil)
    }

    @Test(
        "WEB-SESS-8: a person who must prove who they are is asked again, in each provider's words",
        arguments: [
            (IdentityProvider.Kind.oidc, ["prompt": "login", "max_age": "0"]),
            (.google, ["prompt": "select_account"]), (.apple, [:]),
            (.facebook, ["auth_type": "reauthenticate"]),
        ] as [(IdentityProvider.Kind, [String: String])]
    )
    func reauthentication(_ kind: IdentityProvider.Kind, _ expected: [String: String]) async throws
    {
        let scene = try Scene(kind, secret: kind == .apple ? Scene.pem : "s3cret")
        let address = try await scene.begin(.reauthentication).address
        for name in ["prompt", "max_age", "auth_type"] {
            #expect(try parameter(name, of: address) == expected[name], "\(name)")
        }
    }

    @Test("PRV-E-2: an exchange takes ten seconds at most")
    func limits() async throws {
        for kind in [IdentityProvider.Kind.oidc, .google] {
            let scene = try Scene(kind)
            _ = try await scene.signIn(claims: ["email": "a@example.com", "name": "A"])
            #expect(scene.world.requests.count == 3)
            #expect(scene.world.requests.allSatisfy { $0.limits.seconds <= 10 })
        }
    }
}
