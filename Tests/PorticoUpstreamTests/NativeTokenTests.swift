import Crypto
import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Native identity tokens")
struct NativeTokenTests {
    private func person(
        _ scene: Scene,
        _ token: NativeToken,
        audiences: [String] = ["server"]
    ) async throws -> ProvenPerson {
        try await scene.client.verifyNative(token, audiences: audiences, at: scene.clock.now)
    }

    private func refusal(
        _ scene: Scene,
        _ token: NativeToken,
        audiences: [String] = ["server"]
    ) async -> SignInError.Kind? {
        await kind(of: { _ = try await person(scene, token, audiences: audiences) })
    }

    private func hashed(_ nonce: String) -> String {
        SHA256.hash(data: Data(nonce.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    @Test("PRV-G-12, PRV-G-3: signature, issuer, audience, party, times and nonce, each by itself")
    func google() async throws {
        let scene = try Scene(.google)
        let good: JSONObject = [
            "aud": "server", "azp": "ios", "email": "a@gmail.com",
            "email_verified": true,
        ]
        let audiences = ["server", "ios", "android"]
        func token(_ change: JSONObject, signer: Result<SigningKey, any Error> = Scene.key)
            -> NativeToken
        {
            var claims = good
            claims.note(change)
            return NativeToken(
                idToken: scene.nativeToken(claims, nonce: "n1", signer: signer),
                nonce: SecretText("n1")
            )
        }
        let person = try await person(scene, token([:]), audiences: audiences)
        #expect(person.subject == "alice" && person.isAuthoritative)
        #expect(person.refreshToken == nil && person.accessToken == nil)
        let now = NumericDate.seconds(scene.clock.now)
        for (change, check) in [
            (["aud": "another"], .audience), (["aud": ["server", "another"]], .audience),
            (["azp": "another"], .authorizedParty), (["iss": "https://evil.example"], .issuer),
            (["exp": .integer(now - 61)], .expiry), (["iat": .integer(now + 61)], .issuedAt),
            (["nonce": "n2"], .nonce), (["nonce": .null], .nonce), (["sub": ""], .subject),
        ] as [(JSONObject, SignInError.Check)] {
            #expect(await refusal(scene, token(change), audiences: audiences) == .rejected(check))
        }
        for (signer, check) in [(Scene.otherKey, .signature), (Scene.p256, .algorithm)]
            as [(Result<SigningKey, any Error>, SignInError.Check)]
        {
            #expect(
                await refusal(scene, token([:], signer: signer), audiences: audiences)
                    == .rejected(check)
            )
        }
        // Nothing was asked but the metadata and the keys.
        #expect(Set(scene.world.requests.map(\.method)) == ["GET"])
    }

    @Test(
        "PRV-G-12, PRV-A-17: a token is not taken without a nonce of ours, nor by an app without client ids",
        arguments: IdentityProvider.Kind.allCases
    )
    func noNonce(_ kind: IdentityProvider.Kind) async throws {
        let scene = try Scene(kind, secret: kind == .apple ? Scene.pem : "s")
        for inToken in [nil, "n"] {
            let token = NativeToken(idToken: scene.nativeToken(nonce: inToken))
            #expect(await refusal(scene, token, audiences: ["us"]) == .rejected(.nonce))
        }
        let nonce = kind == .apple ? hashed("n") : "n"
        let right = NativeToken(idToken: scene.nativeToken(nonce: nonce), nonce: SecretText("n"))
        #expect(await refusal(scene, right, audiences: []) == .rejected(.audience))
        let access = NativeToken(accessToken: SecretText("EAAx"))
        #expect(await refusal(scene, access, audiences: []) == .rejected(.audience))
        #expect(await refusal(scene, right, audiences: ["us"]) == nil)
    }

    @Test("PRV-G-13: what a script on our page posts is for our own client id, and has no nonce")
    func credential() async throws {
        let scene = try Scene(.google)
        func refusal(_ text: String) async -> SignInError.Kind? {
            await kind(of: {
                _ = try await scene.client.verifyCredential(text, at: scene.clock.now)
            })
        }
        #expect(await refusal(scene.nativeToken()) == nil)
        #expect(await refusal(scene.nativeToken(nonce: "n")) == .rejected(.nonce))
        #expect(await refusal(scene.nativeToken(["aud": "ios"])) == .rejected(.audience))
    }

    @Test("attack E23, PRV-A-16, PRV-A-17: the token has the hash of the raw nonce, no other")
    func apple() async throws {
        let scene = try Scene(.apple, secret: Scene.pem)
        let claims: JSONObject = ["aud": "com.example.app", "nonce": .string(hashed("raw"))]
        let text = scene.nativeToken(claims)
        let audiences = ["com.example.app"]
        let good = NativeToken(
            idToken: text,
            nonce: SecretText("raw"),
            user: #"{"name":{"firstName":"Ann"}}"#
        )
        #expect(try await person(scene, good, audiences: audiences).name == "Ann")
        for nonce in ["another", hashed("raw"), "RAW", ""] {
            let token = NativeToken(idToken: text, nonce: SecretText(nonce))
            #expect(await refusal(scene, token, audiences: audiences) == .rejected(.nonce))
        }
        let without = NativeToken(idToken: text)
        #expect(await refusal(scene, without, audiences: audiences) == .rejected(.nonce))
        // The raw nonce in the token: anyone who saw the request could have made it.
        let raw = NativeToken(
            idToken: scene.nativeToken(["aud": "com.example.app", "nonce": "raw"]),
            nonce: SecretText("raw")
        )
        #expect(await refusal(scene, raw, audiences: audiences) == .rejected(.nonce))
    }

    @Test(
        "PRV-A-14: only where the token says that its system is too old may the nonce be missing",
        arguments: [(false, nil), (true, .nonce), ("false", .nonce), (.null, .nonce)]
            as [(JSONValue, SignInError.Check?)]
    )
    func nonceSupported(value: JSONValue, check: SignInError.Check?) async throws {
        let scene = try Scene(.apple, secret: Scene.pem)
        let token = NativeToken(
            idToken: scene.nativeToken(["aud": "app", "nonce_supported": value]),
            nonce: SecretText("raw")
        )
        #expect(await refusal(scene, token, audiences: ["app"]) == check.map { .rejected($0) })
        // A wrong one is never excused.
        let wrong = NativeToken(
            idToken: scene.nativeToken(["aud": "app", "nonce_supported": false, "nonce": "x"]),
            nonce: SecretText("raw")
        )
        #expect(await refusal(scene, wrong, audiences: ["app"]) == .rejected(.nonce))
    }

    @Test("PRV-A-12, PRV-A-18: a native code is redeemed as the app, without a redirect URI")
    func nativeCode() async throws {
        let scene = try Scene(.apple, secret: Scene.pem)
        let code = SecretText("native-code")
        func token(_ change: JSONObject = [:]) -> NativeToken {
            var claims: JSONObject = ["aud": "com.example.app", "nonce": .string(hashed("raw"))]
            claims.take(change)
            return NativeToken(
                idToken: scene.nativeToken(claims),
                nonce: SecretText("raw"),
                authorizationCode: code
            )
        }
        let audiences = ["com.example.other", "com.example.app"]
        let person = try await person(scene, token(), audiences: audiences)
        let request = try #require(scene.world.requests(scene.addresses.token).first)
        #expect(request.form["code"] == "native-code")
        #expect(request.form["client_id"] == "com.example.app")
        for name in ["redirect_uri", "code_verifier"] { #expect(!request.form.contains(name)) }
        let secret = try JWT(parsing: try #require(request.form["client_secret"]))
        #expect(try secret.uncheckedClaims()["sub"] == "com.example.app")
        // What came of it is revoked as the app, too.
        #expect(await scene.client.revoke(try #require(person.refreshToken)))
        let revocation = try #require(
            scene.world.requests("https://appleid.apple.com/auth/revoke").last
        )
        #expect(revocation.form["client_id"] == "com.example.app")
        #expect(revocation.form["token"] == "R1")
        // A code that came with another token.
        let wrong = token(["c_hash": "AAAAAAAAAAAAAAAAAAAAAA"])
        #expect(await refusal(scene, wrong, audiences: audiences) == .rejected(.codeHash))
        let right = token([
            "c_hash": .string(SignatureAlgorithm.rs256.leftHalfHash(of: "native-code"))
        ])
        #expect(await refusal(scene, right, audiences: audiences) == nil)
        scene.world.answer(scene.addresses.token) { _ in
            .json(["error": "invalid_grant"], status: 400)
        }
        #expect(await refusal(scene, token(), audiences: audiences) == .rejected(.codeRefused))
    }

    @Test("PRV-F-9, PRV-F-10, PRV-F-11: Limited Login: both issuers, final keys, no Graph")
    func limitedLogin() async throws {
        let scene = try Scene(.facebook)
        func token(_ change: JSONObject = [:], nonce: String? = "n") -> NativeToken {
            NativeToken(
                idToken: scene.nativeToken(change, nonce: "n"),
                nonce: nonce.map { SecretText($0) }
            )
        }
        for issuer in ["https://www.facebook.com", "https://limited.facebook.com"] {
            let person = try await person(scene, token(["iss": .string(issuer)]), audiences: ["us"])
            #expect(person.issuer == "https://www.facebook.com" && person.subject == "alice")
        }
        for issuer in ["https://facebook.com", "https://m.facebook.com", "http://www.facebook.com"]
        {
            let token = token(["iss": .string(issuer)])
            #expect(await refusal(scene, token, audiences: ["us"]) == .rejected(.issuer))
        }
        #expect(
            await refusal(scene, token(["aud": "x"]), audiences: ["us"]) == .rejected(.audience)
        )
        for nonce in [nil, "m"] {
            #expect(
                await refusal(scene, token(nonce: nonce), audiences: ["us"]) == .rejected(.nonce)
            )
        }
        // Nor without one on either side: that anyone's token is.
        let bare = NativeToken(idToken: scene.nativeToken(), nonce: nil)
        #expect(await refusal(scene, bare, audiences: ["us"]) == .rejected(.nonce))
        #expect(
            Set(scene.world.requests.map(\.address))
                == ["https://limited.facebook.com/.well-known/oauth/openid/jwks/"]
        )
        // The host that answers with a redirect is not followed anywhere.
        let moved = try Scene(.facebook)
        moved.world.answer("https://limited.facebook.com/.well-known/oauth/openid/jwks/") { _ in
            .json([:], status: 301, [.location: "https://evil.example/keys"])
        }
        let token = NativeToken(idToken: moved.nativeToken(nonce: "n"), nonce: SecretText("n"))
        #expect(await refusal(moved, token, audiences: ["us"]) == .rejected(.redirected))
        #expect(moved.world.requests.count == 1)
    }

    @Test("attack E23, PRV-N-2: ten minutes old by iat, not more; each token has its own name")
    func age() async throws {
        let scene = try Scene(.google)
        let later: JSONObject = ["exp": .integer(NumericDate.seconds(scene.clock.now) + 86_400)]
        let token = NativeToken(
            idToken: scene.nativeToken(later, nonce: "n"),
            nonce: SecretText("n")
        )
        let first = try await person(scene, token, audiences: ["us"])
        scene.clock.advance(by: 600)
        let again = try await person(scene, token, audiences: ["us"])
        #expect(first.tokenHash != nil && first.tokenHash == again.tokenHash)
        scene.clock.advance(by: 1)
        #expect(await refusal(scene, token, audiences: ["us"]) == .rejected(.issuedAt))
        let other = NativeToken(idToken: scene.nativeToken(nonce: "n"), nonce: SecretText("n"))
        #expect(try await person(scene, other, audiences: ["us"]).tokenHash != first.tokenHash)
    }

    @Test("attack E23, PRV-N-2: another spelling of a token's signature is the same token")
    func spelling() async throws {
        // Of an ECDSA signature (r, s) there is (r, n - s).
        let order = Array(
            try #require(Base64URL.decode("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE".utf8))
        )
        let scene = try Scene(.oidc)
        let text = scene.nativeToken(nonce: "n", signer: Scene.p256)
        let parts = text.split(separator: ".")
        var signature = try #require(Base64URL.decode(parts[2].utf8))
        var borrow = 0
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = difference < 0 ? 1 : 0
            signature[32 + index] = UInt8((difference + 256) % 256)
        }
        let other = "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
        #expect(other != text)
        func native(_ text: String) -> NativeToken {
            NativeToken(idToken: text, nonce: SecretText("n"))
        }
        let first = try await person(scene, native(text), audiences: ["us"])
        let second = try await person(scene, native(other), audiences: ["us"])
        #expect(first.tokenHash == second.tokenHash)
    }

    @Test("PRV-N-3: an access token proves nothing, except where Facebook examines it")
    func accessToken() async throws {
        for kind in [IdentityProvider.Kind.google, .apple, .oidc, .keycloak] {
            let scene = try Scene(kind, secret: kind == .apple ? Scene.pem : "s")
            let token = NativeToken(accessToken: SecretText("A1"))
            #expect(await refusal(scene, token) == .rejected(.nativeToken))
            #expect(await refusal(scene, NativeToken()) == .rejected(.idTokenMissing))
            #expect(scene.world.requests.isEmpty)
        }
    }

    @Test("PRV-N-4: the same person on the web and in an app has one key")
    func sameKey() async throws {
        let scene = try Scene(.google)
        let web = try await scene.signIn()
        let token = NativeToken(
            idToken: scene.nativeToken(["aud": "server"], nonce: "n"),
            nonce: SecretText("n")
        )
        let native = try await person(scene, token)
        #expect(web.issuer == native.issuer && web.subject == native.subject)
    }
}
