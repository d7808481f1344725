import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import Testing

@testable import Portico

@Suite("What apps of one vendor share on a device")
struct SharedDeviceTests {
    private let scene = Scene()

    private static let scopes: [ScopeToken] = [.openid, .deviceSSO]
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// The provider's answer to an exchange: tokens of alice for the app, but for some claims.
    private static func answer(
        _ scene: Scene,
        _ claims: JSONObject = [:],
        _ tokens: JSONObject = [:],
        signer: FakeProvider.Key = FakeProvider.key
    ) -> HTTPReply {
        let now = NumericDate.seconds(scene.clock.now)
        var all: JSONObject = [
            "iss": .string(FakeProvider.issuer), "sub": "alice", "aud": "app",
            "iat": .integer(now), "exp": .integer(now + 300),
            "at_hash": .string(SignatureAlgorithm.es256.leftHalfHash(of: "A9")),
        ]
        for (name, value) in claims { all[name] = value }
        // `try?`: without a token the test fails where it should.
        let idToken = try? signer.get().sign(claims: all, type: .jwt)
        var answer: JSONObject = [
            "access_token": "A9", "token_type": "Bearer", "expires_in": 300,
            "refresh_token": "R9", "id_token": .string(idToken ?? ""),
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        ]
        for (name, value) in tokens { answer[name] = value }
        return .json(answer)
    }

    /// An app that is signed in and shares, and the provider that both apps ask.
    private func shared() async throws -> (Scene, DeviceCredentials) {
        let scene = Scene(scopes: Self.scopes)
        scene.provider.change { $0.tokens = { $0.with("device_secret", "SECRET-D") } }
        let session = try await scene.signIn()
        return (scene, try #require(try await session.deviceCredentials()))
    }

    /// Another app, over a storage of its own.
    private func other(
        _ scene: Scene,
        _ storage: InMemory = InMemory(),
        issuer: String = FakeProvider.issuer
    ) -> SignInClient {
        Scene.client(scene.provider, storage: storage, issuer: issuer, scopes: Self.scopes)
    }

    private func exchanges(_ scene: Scene) -> [FakeProvider.Request] {
        scene.provider.requests("/token").filter { $0.form["grant_type"] == Self.exchange }
    }

    @Test("OpenID Connect Native SSO §4.1: the exchange names both, and the provider they are for")
    func request() async throws {
        let (scene, credentials) = try await shared()
        scene.provider.answer("/token") { _ in Self.answer(scene) }
        let session = try await other(scene).signIn(withDevice: credentials)
        #expect(session.user.subject == "alice")
        let form = try #require(exchanges(scene).first).form
        #expect(form["audience"] == FakeProvider.issuer)
        #expect(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token")
        #expect(form["actor_token"] == "SECRET-D")
        #expect(form["actor_token_type"] == "urn:openid:params:token-type:device-secret")
        #expect(form["scope"] == "openid device_sso")
    }

    @Test(
        "OpenID Connect Native SSO §4.3: tokens of anyone else, or for anyone else, are not kept",
        arguments: [
            (["sub": "mallory"], [:], .subject), (["sub": .null], [:], .subject),
            (["aud": "other"], [:], .audience), (["iss": "https://evil.example"], [:], .issuer),
            (["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"], [:], .accessTokenHash),
            (["exp": 1_600_000_000], [:], .expiry), ([:], ["id_token": ""], .idTokenMissing),
            ([:], ["access_token": ""], .tokenResponse), ([:], ["token_type": "N_A"], .tokenType),
        ] as [(JSONObject, JSONObject, SignInError.Check)]
    )
    func wrongAnswers(claims: JSONObject, tokens: JSONObject, check: SignInError.Check)
        async throws
    {
        let (scene, credentials) = try await shared()
        scene.provider.answer("/token") { _ in Self.answer(scene, claims, tokens) }
        let storage = InMemory()
        let failed = await thrown {
            try await other(scene, storage).signIn(withDevice: credentials)
        }
        #expect(failed == .rejected(check))
        #expect(try await storage.read() == nil)
    }

    @Test("An ID Token that another key signed is not kept")
    func forgedAnswer() async throws {
        let (scene, credentials) = try await shared()
        let forger = FakeProvider.newKey("k1")
        scene.provider.answer("/token") { _ in Self.answer(scene, signer: forger) }
        let storage = InMemory()
        await #expect(throws: SignInError(.rejected(.signature))) {
            try await other(scene, storage).signIn(withDevice: credentials)
        }
        #expect(try await storage.read() == nil)
    }

    @Test("A device secret is shown to the provider that it is of, and to no other")
    func otherIssuer() async throws {
        let (scene, credentials) = try await shared()
        let foreign = DeviceCredentials(
            issuer: "https://op.example.com/",
            idToken: credentials.idToken,
            deviceSecret: credentials.deviceSecret,
            key: nil
        )
        let before = scene.provider.requests("/token").count
        await #expect(throws: SignInError(.rejected(.issuer))) {
            try await other(scene).signIn(withDevice: foreign)
        }
        #expect(scene.provider.requests("/token").count == before)
    }

    @Test("OpenID Connect Native SSO §3.4: with a foreign ID Token nothing is sent")
    func forgedToken() async throws {
        let (scene, credentials) = try await shared()
        let before = scene.provider.requests("/token").count
        let claims = try JWT(parsing: credentials.idToken.reveal()).uncheckedClaims()
        let forged = try FakeProvider.newKey("k1").get().sign(claims: claims, type: .jwt)
        for text in [forged, "x", ""] {
            let stolen = DeviceCredentials(
                issuer: credentials.issuer,
                idToken: SecretText(text),
                deviceSecret: credentials.deviceSecret,
                key: nil
            )
            let failed = await thrown { try await other(scene).signIn(withDevice: stolen) }
            #expect(failed == .rejected(text == forged ? .signature : .idTokenMalformed))
        }
        #expect(scene.provider.requests("/token").count == before)
    }

    @Test("What is shared is told from a session and from what a later version writes")
    func bytes() async throws {
        let (scene, credentials) = try await shared()
        let good = try JSONObject(parsing: credentials.serialized())
        #expect(DeviceCredentials(credentials.serialized())?.issuer == FakeProvider.issuer)
        let session = try #require(try await scene.storage.read())
        #expect(DeviceCredentials(session) == nil)
        for (name, value) in [
            ("version", 2), ("version", .null), ("type", "session"), ("type", .null),
            ("issuer", .null), ("id_token", 7), ("device_secret", .null), ("dpop_key", "x"),
        ] as [(String, JSONValue)] {
            var bad = good
            bad[name] = value
            #expect(DeviceCredentials(bad.serialized()) == nil, "\(name)")
        }
        var dumped = ""
        dump(credentials, to: &dumped)
        for text in ["\(credentials)", String(reflecting: credentials), dumped] {
            #expect(!text.contains("SECRET"))
        }
    }

    @Test("OpenID Connect Native SSO §3.3: a secret goes to its own provider, when asked for")
    func presented() async throws {
        let (scene, _) = try await shared()
        _ = try await scene.signIn()
        #expect(scene.provider.requests("/token").last?.form["device_secret"] == "SECRET-D")
        // The same storage, of a client that does not share.
        let plain = Scene.client(scene.provider, storage: scene.storage)
        _ = try await plain.signIn(at: scene.provider)
        #expect(scene.provider.requests("/token").last?.form["device_secret"] == nil)
        // What is stored is of another provider.
        let (second, _) = try await shared()
        let bytes = try #require(try await second.storage.read())
        var record = try JSONObject(parsing: bytes)
        record["issuer"] = "https://former.example.com"
        try await second.storage.write(record.serialized())
        _ = try await second.signIn()
        #expect(second.provider.requests("/token").last?.form["device_secret"] == nil)
    }

    // MARK: A session that shares another's tokens

    @Test("RFC 9700 §4.14.2: where the app's session ends at the provider, the SDK's ends with it")
    func endsWithSource() async throws {
        let first = try await scene.signIn()
        let storage = InMemory()
        let other = Scene.client(scene.provider, storage: storage)
        let session = try await Session(adopting: first.credentials(), by: other)
        #expect(try await storage.read() != nil)
        scene.clock.advance(by: 400)
        scene.provider.answer("/token") { _ in .text(503, nil, []) }
        #expect(await session.failure() == .transient(.serverError, retryAfter: nil))
        #expect(session.isActive && first.isActive)
        #expect(try await storage.read() != nil)
        scene.provider.answer("/token") { _ in .error(400, "invalid_grant") }
        #expect(await session.failure() == .interactionRequired(.sessionEnded))
        #expect(!session.isActive && !first.isActive)
        #expect(try await storage.read() == nil)
        // It never had a refresh token of its own to show.
        #expect(!scene.provider.requests("/token").contains { $0.form["refresh_token"] == "" })
    }

    @Test("A login token of the SDK's session is asked for by the app's, with its refresh token")
    func loginToken() async throws {
        let first = try await scene.signIn()
        let other = Scene.client(scene.provider, storage: InMemory())
        let session = try await Session(adopting: first.credentials(), by: other)
        scene.provider.answer("/token") { request in
            guard request.form["grant_type"] == Self.exchange else { return nil }
            return .json([
                "access_token": "login-token.x",
                "issued_token_type": "urn:portico:token-type:login-token",
            ])
        }
        _ = try await session.loginToken(for: "shop")
        #expect(exchanges(scene).map { $0.form["subject_token"] } == ["R0"])
    }

    @Test("A storage that is locked while the session is checked is not a sign-out")
    func lockedMeanwhile() async throws {
        let storage = FaultyStorage()
        let scene = Scene(storage: storage)
        _ = try await scene.signIn()
        scene.clock.advance(by: 400)
        let asked = scene.provider.requests("/token").count
        // It is read once to be restored, and then to be renewed.
        func lockAfterOneRead() {
            storage.onRead { storage.onRead { storage.failsReading = true } }
        }
        lockAfterOneRead()
        #expect(await scene.client.lastKnownSession().session != nil)
        #expect(!storage.failsReading)
        lockAfterOneRead()
        #expect(await scene.client.currentSession().problem == .locked)
        #expect(scene.provider.requests("/token").count == asked)
        storage.failsReading = false
        #expect(await scene.client.currentSession().session != nil)
        #expect(scene.provider.requests("/token").count == asked + 1)
    }

    @Test("A session of which the provider answers for someone else is not signed out")
    func otherAnswer() async throws {
        _ = try await scene.signIn()
        #expect(await scene.client.lastKnownSession().session != nil)
        let asked = scene.provider.requests("/userinfo").count
        #expect(await scene.client.currentSession().session != nil)
        #expect(scene.provider.requests("/userinfo").count == asked + 1)
        scene.provider.change { $0.userInfo["sub"] = "mallory" }
        // The provider answers for someone else: nothing is known, and nothing is lost.
        #expect(await scene.client.currentSession().session != nil)
        #expect(try await scene.storage.read() != nil)
    }
}
