import Crypto
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("How clients authenticate at a host of the AT Protocol") struct ATAssertionTests {
    private func scene() async throws -> ATScene { try await ATScene(isConfidential: true) }

    /// A client that has published a second key as well.
    private func sceneOfTwoKeys() async throws -> (ATScene, SigningKey) {
        let second = try SigningKey(generating: .es256, keyID: "two", random: .system)
        let scene = try await scene()
        let keys: JSONValue = [
            .object(scene.key.verificationKey.jwk.object),
            .object(second.verificationKey.jwk.object),
        ]
        scene.publish(["jwks": ["keys": keys]])
        return (scene, second)
    }

    @Test("ATP-CA-2: an assertion is good once, and at no age under a minute too old")
    func once() async throws {
        let scene = try await scene()
        let now = scene.server.clock.seconds
        for age in [0, 1, 59, 60] as [Int64] {
            let proof = try scene.assertion(["iat": .integer(now - age)])
            #expect(try await scene.push(proof: proof).status == 201, "\(age)")
            let again = try await scene.push(proof: proof)
            #expect(again.status == 400 && again.error == "invalid_client")
        }
        // A fraction of a second is no second.
        let fraction = try scene.assertion(["iat": .number(Double(now) + 0.9)])
        #expect(try await scene.push(proof: fraction).status == 201)
    }

    private static let wrong: [(String, JSONObject)] = [
        ("a second ahead", ["iat": .integer(1_800_000_001)]),
        ("61 seconds old", ["iat": .integer(1_800_000_000 - 61)]),
        ("no time", ["iat": .null]),
        ("no end", ["exp": .null]),
        ("over now", ["exp": .integer(1_800_000_000)]),
        ("another audience, too", ["aud": [.string(ATScene.issuer), "https://x.example"]]),
        ("no audience in a list", ["aud": []]),
        ("the token endpoint in a list", ["aud": [.string(ATScene.issuer + "/oauth/token")]]),
        ("the token endpoint", ["aud": .string(ATScene.issuer + "/oauth/token")]),
        ("another issuer", ["iss": "https://other.example.com/client.json"]),
        ("no jti", ["jti": .null]),
    ]

    @Test(
        "ATP-CA-2: an assertion that a real server refuses is refused",
        arguments: wrong
    )
    func refused(name: String, changes: JSONObject) async throws {
        let scene = try await scene()
        let reply = try await scene.push(proof: try scene.assertion(changes))
        #expect(reply.status == 400 && reply.error == "invalid_client", "\(name) \(reply.text)")
        #expect(reply.headers[.wwwAuthenticate] == nil)
    }

    @Test("ATP-CA-2, RFC 7519 §4.1.3: the issuer as the only audience of a list is taken")
    func listedAudience() async throws {
        let scene = try await scene()
        func listed() throws -> [(String, String)] {
            try scene.assertion(["aud": [.string(ATScene.issuer)]])
        }
        let pushed = try await scene.push(proof: try listed())
        #expect(pushed.status == 201, "\(pushed.text)")
        let tokens = try await scene.redeem(try await scene.code(), proof: try listed())
        #expect(tokens.status == 200, "\(tokens.text)")
        let refreshed = try await scene.refresh(tokens.refreshToken, proof: try listed())
        #expect(refreshed.status == 200, "\(refreshed.text)")
    }

    @Test("decision 0064: elsewhere a minute of difference between clocks is forgiven, as before")
    func elsewhere() async throws {
        let server = try await ProviderUnderTest()
        let assertion = try TestRealm.clientKey.sign(
            claims: [
                "iss": "jwt1", "sub": "jwt1", "aud": [.string(TestRealm.issuer)],
                "exp": .integer(server.clock.seconds - 59), "jti": "one",
            ],
            type: .jwt
        )
        let reply = try await server.token([
            ("grant_type", "client_credentials"), ("client_assertion", assertion),
            TestFlow.assertionType,
        ])
        #expect(reply.status == 200)
    }

    /// An assertion that does not say which key has signed it.
    private func nameless(_ claims: JSONObject, by key: SigningKey) throws -> String {
        let header: JSONObject = ["alg": "ES256", "typ": "JWT"]
        let input = [header, claims].map { Base64URL.encode($0.serialized()) }
            .joined(separator: ".")
        let signature = try P256.Signing.PrivateKey(rawRepresentation: key.revealStored())
            .signature(for: Array(input.utf8))
        return input + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }

    @Test("decision 0064: where two keys fit, the assertion names one of them")
    func named() async throws {
        let first = try SigningKey(generating: .es256, keyID: "one", random: .system)
        let second = try SigningKey(generating: .es256, keyID: "two", random: .system)
        let (one, two) = (
            JSONValue.object(first.verificationKey.jwk.object),
            JSONValue.object(second.verificationKey.jwk.object)
        )
        for (keys, status) in [([one], 201), ([one, two], 400)] {
            let scene = try await ATScene(["jwks": ["keys": .array(keys)]], isConfidential: true)
            let nameless = try nameless(
                [
                    "iss": .string(ATScene.url), "sub": .string(ATScene.url),
                    "aud": .string(ATScene.issuer), "jti": "x",
                    "iat": .integer(scene.server.clock.seconds),
                    "exp": .integer(scene.server.clock.seconds + 60),
                ],
                by: first
            )
            let reply = try await scene.push(proof: [
                scene.assertion()[0], ("client_assertion", nameless),
            ])
            #expect(reply.status == status, "\(reply.text)")
            #expect(try await scene.push(proof: scene.assertion(by: first)).status == 201)
        }
    }

    @Test("CIMD-6.2-1, CIMD-4.1-3: a client with keys authenticates with them, and in no other way")
    func declared() async throws {
        let scene = try await scene()
        #expect(try await scene.push(proof: []).error == "invalid_client")
        #expect(try await scene.push(proof: [("client_secret", "x")]).error == "invalid_client")
        let other = try SigningKey(generating: .es256, keyID: "one", random: .system)
        let forged = try await scene.push(proof: scene.assertion(by: other))
        #expect(forged.status == 400 && forged.error == "invalid_client")
        // Another algorithm than the one declared, with a key that the document has.
        let edDSA = try SigningKey(generating: .edDSA, keyID: "two", random: .system)
        scene.publish([
            "jwks": [
                "keys": [
                    .object(scene.key.verificationKey.jwk.object),
                    .object(edDSA.verificationKey.jwk.object),
                ]
            ]
        ])
        scene.server.clock.advance(by: 600)
        #expect(try await scene.push(proof: scene.assertion(by: edDSA)).error == "invalid_client")
        #expect(try await scene.push().status == 201)
        // A public client has nothing to prove.
        let open = try await ATScene()
        #expect(try await open.push(proof: open.assertion()).error == "invalid_client")
    }

    @Test("RFC6749-5.2: who used the Authorization header is challenged, here too")
    func header() async throws {
        let scene = try await scene()
        let reply = try await scene.server.post(
            "token",
            TestFlow.own,
            proof: try await scene.app.proof(.post, "token"),
            basic: ("machine", "wrong")
        )
        #expect(reply.status == 401)
        #expect(reply.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
    }

    @Test("ATP-CA-3: a code is redeemed with the key that its request was pushed with")
    func boundCode() async throws {
        let (scene, second) = try await sceneOfTwoKeys()
        let other = try await scene.redeem(scene.code(), proof: scene.assertion(by: second))
        #expect(other.status == 400 && other.error == "invalid_grant", "\(other.text)")
        // Which one that was is not the client's to say.
        let named = Base64URL.encode(Hash256(of: "another").bytes)
        let same = try await scene.redeem(try await scene.code([("client_key", named)]))
        #expect(same.status == 200, "\(same.text)")
    }

    @Test("ATP-CA-3, attack G18: a session is bound to the key that its client began it with")
    func bound() async throws {
        let (scene, second) = try await sceneOfTwoKeys()
        let tokens = try await scene.tokens()
        let refresh = try tokens.refreshToken
        let other = try await scene.refresh(refresh, proof: scene.assertion(by: second))
        #expect(other.status == 400 && other.error == "invalid_grant")
        let same = try await scene.refresh(refresh)
        #expect(same.status == 200, "nothing ended: \(same.text)")
        // The same key under another name is another one.
        let renamed = try SigningKey(.es256, stored: scene.key.revealStored(), keyID: "renamed")
        scene.publish(["jwks": ["keys": [.object(renamed.verificationKey.jwk.object)]]])
        scene.server.clock.advance(by: 600)
        let reply = try await scene.refresh(same.refreshToken, proof: scene.assertion(by: renamed))
        #expect(reply.status == 400 && reply.error == "invalid_grant")
    }

    @Test("ATP-MD-13, ATP-CA-4, attack G18: a key gone from the document refuses, and ends nothing")
    func vanished() async throws {
        let scene = try await scene()
        let tokens = try await scene.tokens()
        let refresh = try tokens.refreshToken
        let other = try SigningKey(generating: .es256, keyID: "two", random: .system)
        scene.publish(["jwks": ["keys": [.object(other.verificationKey.jwk.object)]]])
        scene.server.clock.advance(by: 600)
        let gone = try await scene.refresh(refresh)
        #expect(gone.status == 400 && gone.error == "invalid_client")
        // No document at all.
        scene.sites[ATScene.url] = nil
        scene.server.clock.advance(by: 600)
        let absent = try await scene.refresh(refresh)
        #expect(absent.status == 400 && absent.error == "invalid_client_metadata")
        scene.publish([:])
        let back = try await scene.refresh(refresh)
        #expect(back.status == 200, "\(back.text)")
    }
}
