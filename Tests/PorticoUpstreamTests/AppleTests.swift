import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Apple")
struct AppleTests {
    private func scene(_ settings: JSONObject = [:]) throws -> Scene {
        try Scene(.apple, settings, secret: Scene.pem)
    }

    @Test("PRV-A-1, PRV-A-3, PRV-A-21: configured addresses, a form as answer, S256 all the same")
    func request() async throws {
        let scene = try scene()
        let address = try await scene.begin().address
        #expect(address.hasPrefix("https://appleid.apple.com/auth/authorize?"))
        #expect(try parameter("response_mode", of: address) == "form_post")
        #expect(try parameter("scope", of: address) == "name email")
        #expect(try parameter("response_type", of: address) == "code")
        #expect(try parameter("code_challenge_method", of: address) == "S256")
        for name in ["state", "nonce"] { #expect(try parameter(name, of: address) != nil) }
        #expect(scene.client.provider.usesFormPost)
        // Nothing was discovered, and nothing is later.
        _ = try await scene.signIn()
        #expect(
            scene.world.requests.map(\.address) == [
                "https://appleid.apple.com/auth/token", "https://appleid.apple.com/auth/keys",
            ]
        )
        let bare = try self.scene(["scopes": ["openid"]])
        #expect(!bare.client.provider.usesFormPost)
        #expect(try parameter("response_mode", of: try await bare.begin().address) == nil)
    }

    @Test("PRV-A-10, PRV-A-11: the client secret is a fresh JWT: ES256, 64 bytes, minutes of life")
    func clientSecret() async throws {
        let scene = try scene()
        _ = try await scene.signIn()
        let request = try #require(scene.world.requests(scene.addresses.token).first)
        #expect(request.form["client_id"] == "us")
        #expect(request.form["redirect_uri"] == Scene.redirectURI)
        let text = try #require(request.form["client_secret"])
        let signature = try #require(text.split(separator: ".").last)
        #expect(Base64URL.decode(signature.utf8)?.count == 64)
        let key = try P256PrivateKey(pem: SecretText(Scene.pem)).signingKey(named: "KEY1234567")
        let secret = try JWT(parsing: text).verified(
            by: [key.verificationKey],
            allowing: [.es256],
            types: [.jwt]
        )
        #expect(secret.header.members["alg"] == "ES256" && secret.header.keyID == "KEY1234567")
        let now = NumericDate.seconds(scene.clock.now)
        let expected: JSONObject = [
            "iss": "TEAM123456", "sub": "us", "aud": "https://appleid.apple.com",
            "iat": .integer(now), "exp": .integer(now + 300),
        ]
        #expect(secret.claims == expected)
        scene.clock.advance(by: 3600)
        _ = try await scene.signIn()
        #expect(scene.world.requests(scene.addresses.token).last?.form["client_secret"] != text)
    }

    @Test("PRV-A-11: what is no P-256 key in PEM is refused when it is read, and does not print")
    func keys() throws {
        let rsa = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
        for text in ["-----BEGIN PRIVATE KEY-----", rsa, Scene.pem.replacing("A", with: "B")] {
            #expect(throws: IdentityProviderRefusal.key) {
                try ProviderSecret(SecretText(text))
            }
        }
        let key = try P256PrivateKey(pem: SecretText(Scene.pem))
        #expect("\(key)" == "P256PrivateKey")
        var dumped = ""
        dump(ProviderSecret.key(key), to: &dumped)
        #expect(!dumped.contains("BEGIN") && dumped.count < 200)
    }

    @Test("PRV-A-2: a second issuer counts where it is configured, for the same account")
    func issuers() async throws {
        let other: JSONObject = ["iss": "https://account.apple.com"]
        #expect(await (try scene()).failure(claims: other) == .rejected(.issuer))
        let scene = try scene(["otherIssuers": ["https://account.apple.com"]])
        let person = try await scene.signIn(claims: other)
        #expect(person.issuer == "https://appleid.apple.com" && person.subject == "alice")
    }

    @Test("PRV-A-3: the form's id_token is not read; everything else about it stays refused")
    func form() async throws {
        let scene = try scene()
        let attempt = try await scene.begin().attempt
        let answer = scene.answer(to: attempt, [("id_token", "x.y.z"), ("user", "{}")])
        #expect(try await scene.client.code(in: answer, to: attempt).reveal() == "c0de")
        let forged = scene.answer(to: attempt, [("access_token", "x")])
        let failure = await kind(of: {
            _ = try await scene.client.code(in: forged, to: attempt)
        })
        #expect(failure == .rejected(.response))
    }

    @Test(
        "PRV-A-5, attack E11: the name comes once, is cut to words, and what is malformed fails nothing",
        arguments: [
            (#"{"name":{"firstName":"Ann","lastName":"Lee"},"email":"x@evil.example"}"#, "Ann Lee"),
            (#"{"name":{"firstName":"<script>","lastName":""}}"#, "<script>"),
            (#"{"name":{"firstName":"A\u0007\u202Eb\n\tc","lastName":null}}"#, "Ab c"),
            (#"{"name":{"firstName":7}}"#, nil), (#"{"name":"Ann"}"#, nil), ("{}", nil),
            ("{", nil), ("", nil), ("[]", nil), (nil, nil),
            (#"{"name":{"firstName":"Ann"},"x":{"a":{"b":{"c":{}}}}}"#, nil),
        ] as [(String?, String?)]
    )
    func user(text: String?, name: String?) async throws {
        let scene = try scene()
        let claims: JSONObject = ["email": "a@example.com", "email_verified": true]
        let person = try await scene.signIn(appleUser: text, claims: claims)
        #expect(person.name == name)
        // PRV-A-6.
        #expect(person.email?.address == "a@example.com")
    }

    @Test("attack E11: of a megabyte nothing is read, and the sign-in goes on")
    func longUser() async throws {
        let filling = String(repeating: "a", count: 1 << 20)
        let text = #"{"name":{"firstName":"Ann"},"x":"\#(filling)"}"#
        let person = try await scene().signIn(appleUser: text)
        #expect(person.name == nil && person.subject == "alice")
    }

    @Test("PRV-A-6: an address in the user's JSON is ignored; without the token's there is none")
    func addressOfUser() async throws {
        let person = try await scene().signIn(appleUser: #"{"email":"victim@example.com"}"#)
        #expect(person.email == nil && person.matchesEmail == .never)
    }

    @Test(
        "PRV-A-7, PRV-A-8, PRV-A-9: truth may be a text; a relay is marked and never matched",
        arguments: [
            (true, false, "a@example.com", true, false),
            ("true", "false", "a@example.com", true, false),
            (true, true, "x@privaterelay.appleid.com", true, true),
            ("true", "true", "x@privaterelay.appleid.com", true, true),
            ("false", .null, "a@example.com", false, false),
            (true, .null, "x@PrivateRelay.AppleID.com", true, true),
        ] as [(JSONValue, JSONValue, String, Bool, Bool)]
    )
    func relay(
        verified: JSONValue,
        isPrivate: JSONValue,
        address: String,
        isVerified: Bool,
        isRelay: Bool
    ) async throws {
        let person = try await scene().signIn(claims: [
            "email": .string(address), "email_verified": verified, "is_private_email": isPrivate,
        ])
        #expect(
            person.email
                == ProvenPerson.Email(address: address, isVerified: isVerified, isRelay: isRelay)
        )
        #expect(person.matchesEmail == (isRelay || !isVerified ? .never : .ask))
        #expect(!person.isAuthoritative)
    }

    @Test("PRV-A-14: RS256 by a key of the set, our audience, this attempt's nonce, at_hash")
    func idToken() async throws {
        for (claims, check) in [
            (["aud": "another"], .audience), (["nonce": "other"], .nonce),
            (["nonce": .null], .nonce), (["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], .accessTokenHash),
        ] as [(JSONObject, SignInError.Check)] {
            #expect(await (try scene()).failure(claims: claims) == .rejected(check))
        }
        let scene = try scene()
        // In the web flow we sent a nonce ourselves: no system is too old for it.
        #expect(
            await scene.failure(claims: ["nonce": .null, "nonce_supported": false])
                == .rejected(.nonce)
        )
        scene.tell { $0.signer = Scene.p256 }
        #expect(await scene.failure() == .rejected(.algorithm))
    }

    @Test("PRV-A-15: the key is issuer and subject; the team's other ids change nothing")
    func subject() async throws {
        let scene = try scene()
        let web = try await scene.signIn()
        let native = try await scene.client.verifyNative(
            NativeToken(
                idToken: scene.nativeToken([
                    "aud": "com.example.app", "nonce": .null,
                    "nonce_supported": false,
                ]),
                nonce: SecretText("n")
            ),
            audiences: ["com.example.app"],
            at: scene.clock.now
        )
        #expect(web.issuer == native.issuer && web.subject == native.subject)
    }

    @Test(
        "PRV-A-13: the redirect URI is https with a domain name",
        arguments: [
            ("https://bff.example.com/cb", true), ("http://bff.example.com/cb", false),
            ("https://127.0.0.1/cb", false), ("https://[::1]/cb", false),
            ("https://localhost/cb", false), ("https://bff/cb", false),
            ("https://a.localhost/cb", false), ("com.example:/cb", false),
            ("https://10.0.0.1/cb", false),
        ]
    )
    func redirect(uri: String, isGood: Bool) async throws {
        let scene = try scene()
        #expect(scene.client.provider.permits(redirectURI: uri) == isGood)
        let failure = await kind(of: {
            _ = try await scene.client.begin(redirectURI: uri, at: scene.moment)
        })
        #expect(failure == (isGood ? nil : .misconfigured(.redirectInvalid)))
    }

    @Test("PRV-A-19: a refresh token is revoked with the client's proof")
    func revocation() async throws {
        let scene = try scene()
        let token = try #require(try await scene.signIn().refreshToken)
        #expect(await scene.client.revoke(token))
        let request = try #require(
            scene.world.requests("https://appleid.apple.com/auth/revoke").first
        )
        #expect(request.form["token"] == "R1" && request.form["client_id"] == "us")
        #expect(request.form["token_type_hint"] == "refresh_token")
        #expect(request.form["client_secret"] != nil)
        scene.world.answer("https://appleid.apple.com/auth/revoke") { _ in
            .json(["error": "invalid_client"], status: 400)
        }
        #expect(await scene.client.revoke(token) == false)
    }
}

@Suite("Apple's notifications")
struct AppleNotificationTests {
    private func payload(
        _ scene: Scene,
        _ change: JSONObject = [:],
        event: JSONValue? = nil,
        signer: Result<SigningKey, any Error> = Scene.key
    ) throws -> String {
        let now = NumericDate.seconds(scene.clock.now)
        var claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "us", "iat": .integer(now), "jti": "j1",
            "events": event
                ?? .string(#"{"type":"consent-revoked","sub":"alice","event_time":1700000000}"#),
        ]
        claims.take(change)
        return try signer.get().sign(claims: claims, type: .jwt)
    }

    private func refusal(_ scene: Scene, _ text: String) async -> AppleNotification.Refusal? {
        do {
            _ = try await scene.client.verifyNotification(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "PRV-A-20: what happened, to whom, from a token that Apple signed for us",
        arguments: [
            ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled),
            ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted),
            ("account-deleted", .accountDeleted),
        ] as [(String, AppleNotification.Kind)]
    )
    func good(type: String, expected: AppleNotification.Kind) async throws {
        let scene = try Scene(.apple, secret: Scene.pem)
        let event = #"{"type":"\#(type)","sub":"alice","email":"x@privaterelay.appleid.com"}"#
        let notice = try await scene.client.verifyNotification(
            try payload(scene, event: .string(event))
        )
        #expect(notice.kind == expected && notice.subject == "alice" && notice.tokenID == "j1")
        #expect(notice.email == "x@privaterelay.appleid.com")
        // An app's own id is an audience where it is named.
        let app = try payload(scene, ["aud": "com.example.app"])
        #expect(await refusal(scene, app) == .forged)
        _ = try await scene.client.verifyNotification(app, audiences: ["com.example.app"])
    }

    @Test("PRV-A-20: forged, for another, old or malformed ones are refused")
    func bad() async throws {
        let scene = try Scene(.apple, secret: Scene.pem)
        for (text, expected) in [
            (try payload(scene, signer: Scene.otherKey), .forged),
            (try payload(scene, signer: Scene.p256), .forged),
            (try payload(scene, ["iss": "https://evil.example"]), .forged),
            (try payload(scene, ["aud": "another"]), .forged),
            (try payload(scene, ["iat": .integer(1_700_000_000 - 86_401)]), .forged),
            (try payload(scene, ["iat": .integer(1_700_000_061)]), .forged),
            (try payload(scene, ["iat": .null]), .forged),
            (try payload(scene, ["jti": .null]), .malformed),
            (try payload(scene, event: "x"), .malformed),
            (try payload(scene, event: .string(#"{"type":"consent-revoked"}"#)), .malformed),
            (try payload(scene, event: .string(#"{"type":"other","sub":"alice"}"#)), .unknownEvent),
            ("{}", .forged), ("", .forged), (String(repeating: "A", count: 1 << 20), .forged),
        ] as [(String, AppleNotification.Refusal)] {
            #expect(await refusal(scene, text) == expected)
        }
        #expect(await refusal(try Scene(.google), "x") == .unavailable)
        let away = try Scene(.apple, secret: Scene.pem)
        away.world.answer(away.addresses.keys) { _ in .json([:], status: 500) }
        #expect(await refusal(away, try payload(away)) == .unavailable)
    }
}
