import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Attempts")
struct AttemptTests {
    private let scene: Scene

    init() throws {
        scene = try Scene(.oidc)
    }

    @Test("WEB-BFF-6: an attempt travels as bytes, and comes back as it was or not at all")
    func encoding() async throws {
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

    @Test("RFC 8252 §8.9, PRV-G-7, PRV-O-1: state, nonce and challenge, new for each attempt")
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

@Suite("How we prove to a provider which client we are") struct ClientProofTests {
    enum Method: String, CaseIterable, Sendable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case assertion = "private_key_jwt"
        /// Apple's: a secret that is signed for the occasion.
        case minted

        func scene() throws -> Scene {
            switch self {
            case .basic, .post: try Scene(.oidc, ["authentication": .string(rawValue)])
            case .assertion:
                try Scene(
                    .oidc,
                    ["authentication": .string(rawValue), "keyID": "us-1"],
                    secret: Scene.pem
                )
            case .minted: try Scene(.apple, secret: Scene.pem)
            }
        }
    }

    /// A redemption, a refresh and a revocation: everything that we prove ourselves at.
    private func requests(_ scene: Scene) async throws -> [World.Request] {
        _ = try await scene.signIn(claims: ["email": "a@example.com", "name": "A"])
        _ = try await scene.client.refresh(SecretText("R1"))
        let revocation = try #require(scene.addresses.revoke)
        #expect(await scene.client.revoke(SecretText("R1")))
        let requests =
            scene.world.requests(scene.addresses.token) + scene.world.requests(revocation)
        #expect(
            requests.map { $0.form["grant_type"] } == ["authorization_code", "refresh_token", nil]
        )
        return requests
    }

    @Test(
        "OpenID Connect Core §12.1, RFC 6749 §2.3: by one method, the same at every endpoint",
        arguments: Method.allCases
    )
    func oneMethod(_ method: Method) async throws {
        for request in try await requests(try method.scene()) {
            let basic = request.fields[.authorization]
            let secret = request.form["client_secret"]
            let assertion = request.form["client_assertion"]
            #expect((basic != nil) == (method == .basic))
            #expect((secret != nil) == (method == .post || method == .minted))
            #expect((assertion != nil) == (method == .assertion))
            #expect((request.form["client_assertion_type"] != nil) == (method == .assertion))
            #expect((request.form["client_id"] != nil) == (method != .basic))
            // RFC 6749 §2.3.1: never in the address.
            #expect(request.query.all.isEmpty)
        }
    }

    @Test("RFC 6749 §2.3.1: id and secret are form-encoded before they are joined for Basic")
    func encoded() async throws {
        let scene = try Scene(.oidc, ["clientID": "us:a b"], secret: "p%:+ \u{FC}")
        _ = await scene.failure()
        let request = try #require(scene.world.requests(scene.addresses.token).first)
        let field = try #require(request.fields[.authorization])
        let pair = try #require(Data(base64Encoded: String(field.dropFirst("Basic ".count))))
        #expect(String(decoding: pair, as: UTF8.self) == "us%3Aa%20b:p%25%3A%2B%20%C3%BC")
    }

    @Test("RFC 7523 update: each assertion is its own, for the issuer alone, one text, short")
    func assertions() async throws {
        let key = try P256PrivateKey(pem: SecretText(Scene.pem)).signingKey(named: "us-1")
        var names: Set<String> = []
        for request in try await requests(try Method.assertion.scene()) {
            let token = try JWT(parsing: try #require(request.form["client_assertion"]))
            #expect(token.header.members.string("typ") == "client-authentication+jwt")
            let claims = try token.verified(
                by: [key.verificationKey],
                allowing: [.es256],
                types: [.clientAuthentication]
            ).claims
            #expect(claims["aud"] == "https://op.example.com")
            #expect(claims.string("iss") == "us" && claims.string("sub") == "us")
            let issuedAt = try #require(claims.int64("iat"))
            #expect(claims.int64("exp") == issuedAt + 300)
            names.insert(try #require(claims.string("jti")))
        }
        #expect(names.count == 3)
    }

    @Test(
        "RFC 9700 §4.5.3.2: until the nonce is right no token is used for anything, nor told",
        arguments: ["other", .null] as [JSONValue]
    )
    func nonceFirst(_ nonce: JSONValue) async throws {
        let scene = try Scene(.oidc, claims: ["nonce": nonce])
        do {
            _ = try await scene.signIn()
            Issue.record("the nonce is another's")
        } catch let error as SignInError {
            #expect(error.kind == .rejected(.nonce))
            for text in ["\(error)", String(reflecting: error)] {
                #expect(!text.contains("A1") && !text.contains("R1"))
            }
        }
        #expect(
            scene.world.requests.map(\.address) == [
                "https://op.example.com/.well-known/openid-configuration", scene.addresses.token,
                scene.addresses.keys,
            ]
        )
        #expect(
            scene.world.requests.allSatisfy {
                $0.fields[.authorization]?.hasPrefix("Bearer") != true
            }
        )
    }
}

@Suite("What comes back from a provider")
struct CallbackTests {
    private func refusal(
        _ scene: Scene,
        _ attempt: Attempt,
        _ parameters: [(String, String)]
    ) async -> SignInError.Kind? {
        let answer = FormParameters(parameters.map { (name: $0.0, value: $0.1) })
        return await kind(of: { _ = try await scene.client.code(in: answer, to: attempt) })
    }

    @Test("attack E01: without state, with an empty, another or a later attempt's, nothing is sent")
    func state() async throws {
        let scene = try Scene(.google)
        let attempt = try await scene.begin().attempt
        let other = try await scene.begin().attempt
        let good = attempt.state.reveal()
        for parameters in [
            [("code", "c")], [("code", "c"), ("state", "")], [("code", "c"), ("state", "x")],
            [("code", "c"), ("state", good + "x")],
            [("code", "c"), ("state", other.state.reveal())], [("error", "access_denied")],
            [("error", "access_denied"), ("state", "")],
        ] {
            #expect(await refusal(scene, attempt, parameters) == .rejected(.state))
        }
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
        // The attempt is as it was.
        let code = try await scene.client.code(in: scene.answer(to: attempt), to: attempt)
        #expect(code.reveal() == "c0de")
    }

    @Test("attack E07: code with error, and anything twice, is no answer, and nothing is sent")
    func repeats() async throws {
        let scene = try Scene(.google)
        let attempt = try await scene.begin().attempt
        let state = ("state", attempt.state.reveal())
        for (parameters, check) in [
            ([("code", "c"), ("error", "access_denied"), state], .response),
            ([("code", "c"), ("code", "c"), state], .response),
            ([("code", "c"), state, state], .state),
            ([("code", "c"), state, ("scope", "a"), ("scope", "b")], .response),
            ([("code", ""), state], .response), ([state], .response),
            ([("code", "c"), state, ("access_token", "t")], .response),
            ([("code", "c"), state, ("id_token", "t")], .response),
        ] as [([(String, String)], SignInError.Check)] {
            #expect(await refusal(scene, attempt, parameters) == .rejected(check))
        }
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
    }

    @Test("attack E09: one provider's answer at another's address is refused first of all")
    func otherProvider() async throws {
        let google = try Scene(.google)
        let apple = try Scene(.apple, secret: Scene.pem)
        // Both are named "x" here: what differs is the issuer.
        let attempt = try await google.begin().attempt
        let failure = await kind(of: {
            _ = try await apple.client.code(in: google.answer(to: attempt), to: attempt)
        })
        #expect(failure == .rejected(.redirect))
        #expect(apple.world.requests.isEmpty)
        let renamed = Attempt(
            id: attempt.id,
            provider: "y",
            issuer: attempt.issuer,
            startedAt: attempt.startedAt,
            maxAge: nil,
            secrets: attempt.secrets,
            key: nil
        )
        #expect(
            await refusal(
                google,
                renamed,
                [("code", "c"), ("state", attempt.state.reveal())]
            ) == .rejected(.redirect)
        )
    }

    @Test("attack E04: mix-up: another provider's code is not sent to this one's token endpoint")
    func mixUp() async throws {
        // An evil provider sent the person on to Google, and Google's answer comes in at evil's
        // address: it names Google as its issuer, or is not evil's attempt at all.
        let evil = try Scene(.oidc)
        let attempt = try await evil.begin().attempt
        let answer = evil.answer(to: attempt, [("iss", "https://accounts.google.com")])
        let failure = await kind(of: { _ = try await evil.client.code(in: answer, to: attempt) })
        #expect(failure == .rejected(.issuer))
        #expect(evil.world.requests(evil.addresses.token).isEmpty)
    }

    @Test("PRV-G-8: iss is required where it is announced, and compared; errors need it too")
    func issuer() async throws {
        let scene = try Scene(
            .google,
            metadata: ["authorization_response_iss_parameter_supported": true]
        )
        let attempt = try await scene.begin().attempt
        let state = ("state", attempt.state.reveal())
        for parameters in [
            [("code", "c"), state], [("code", "c"), state, ("iss", "")],
            [("code", "c"), state, ("iss", "accounts.google.com")],
            [("code", "c"), state, ("iss", "https://accounts.google.com/")],
            [("code", "c"), state, ("iss", "https://evil.example")],
            [("error", "access_denied"), state],
        ] {
            #expect(await refusal(scene, attempt, parameters) == .rejected(.issuer))
        }
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
        let answer = scene.answer(to: attempt, [("iss", "https://accounts.google.com")])
        #expect(try await scene.client.code(in: answer, to: attempt).reveal() == "c0de")
    }

    @Test(
        "PRV-E-1, PRV-A-22, PRV-F-12: what errors mean, a change of mind above all",
        arguments: [
            (.google, "access_denied", .denied),
            (.apple, "user_cancelled_authorize", .denied),
            (.facebook, "access_denied", .denied),
            (.oidc, "consent_required", .denied),
            (.keycloak, "consent_required", .denied),
            (.oidc, "user_cancelled_authorize", .denied), (.oidc, "user_cancelled_login", .denied),
            (.oidc, "login_required", .interactionRequired(.loginRequired)),
            (.oidc, "temporarily_unavailable", .transient(.serverError, retryAfter: nil)),
            (.oidc, "unauthorized_client", .misconfigured(.clientRefused)),
        ] as [(IdentityProvider.Kind, String, SignInError.Kind)]
    )
    func errors(kind: IdentityProvider.Kind, code: String, expected: SignInError.Kind) async throws
    {
        let scene = try Scene(kind, secret: kind == .apple ? Scene.pem : "s")
        let attempt = try await scene.begin().attempt
        let parameters = [
            ("error", code), ("state", attempt.state.reveal()),
            ("error_description", "SECRET words"), ("error_reason", "user_denied"),
        ]
        let failure = await refusal(scene, attempt, parameters)
        #expect(failure == expected)
        #expect(!"\(String(describing: failure))".contains("SECRET"))
        #expect(scene.world.requests(scene.addresses.token).isEmpty)
    }
}
