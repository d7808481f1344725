import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

@Suite("Logout tokens")
struct LogoutTokenTests {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"

    private func token(
        _ scene: Scene,
        _ change: JSONObject = [:],
        type: JWTType = .logoutToken,
        signer: Result<SigningKey, any Error> = Scene.key
    ) throws -> String {
        let now = NumericDate.seconds(scene.clock.now)
        var claims: JSONObject = [
            "iss": "https://op.example.com", "aud": "us", "iat": .integer(now),
            "exp": .integer(now + 120), "jti": "j1", "sub": "alice", "sid": "s1",
            "events": .object([Self.event: [:]]),
        ]
        claims.take(change)
        return try signer.get().sign(claims: claims, type: type)
    }

    private func refusal(_ scene: Scene, _ text: String) async -> LogoutTokenRefusal? {
        do {
            _ = try await scene.client.verifyLogoutToken(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("OIDCBCL-2.6-1, OIDCBCL-2.6-3: a good token says whose sessions are over")
    func good() async throws {
        let scene = try Scene(.keycloak)
        let now = NumericDate.seconds(scene.clock.now)
        let notice = try await scene.client.verifyLogoutToken(try token(scene))
        #expect(notice.issuer == "https://op.example.com" && notice.tokenID == "j1")
        #expect(notice.subject == "alice" && notice.providerSessionID == "s1")
        // As long as it could be presented, and not longer.
        #expect(notice.expiresAt == now + 180)
        let subject = try await scene.client.verifyLogoutToken(try token(scene, ["sid": .null]))
        #expect(subject.subject == "alice" && subject.providerSessionID == nil)
        let session = try await scene.client.verifyLogoutToken(try token(scene, ["sub": .null]))
        #expect(session.subject == nil && session.providerSessionID == "s1")
        let long = try token(scene, ["exp": .integer(now + 1_000_000)])
        #expect(try await scene.client.verifyLogoutToken(long).expiresAt == now + 660)
    }

    @Test("OIDCBCL-2.6-2: a token without exp, as many providers write it, is over by its age")
    func withoutExpiry() async throws {
        let scene = try Scene(.keycloak)
        let now = NumericDate.seconds(scene.clock.now)
        let new = try await scene.client.verifyLogoutToken(try token(scene, ["exp": .null]))
        #expect(new.expiresAt == now + 660)
        let old = try token(scene, ["exp": .null, "iat": .integer(now - 600)])
        #expect(try await scene.client.verifyLogoutToken(old).expiresAt == now + 60)
    }

    @Test(
        "attack E31, OIDCBCL-2.6-2, OIDCBCL-2.6-3, OIDCBCL-2.6-4, OIDCBCL-2.6-5: each claim by itself",
        arguments: [
            (["nonce": "n"], .nonce), (["nonce": ""], .nonce), (["events": .null], .events),
            (["events": .string(event)], .events), (["events": .array([.string(event)])], .events),
            (["events": [:]], .events), (["events": .object([event: "x"])], .events),
            (["events": .object([event: true])], .events), (["aud": "another"], .audience),
            (["aud": .null], .audience), (["aud": []], .audience),
            (["iss": "https://evil.example"], .issuer), (["iss": .null], .issuer),
            (["exp": 1_699_999_940], .time), (["iat": .null], .time),
            (["exp": .null, "iat": 1_699_999_399], .time),
            (["exp": .null, "iat": 1_700_000_061], .time), (["exp": true], .time),
            (["iat": 1_700_000_061], .time), (["iat": 1_699_999_399], .time),
            (["exp": "1700000300"], .time), (["sub": .null, "sid": .null], .nobody),
            (["sub": 7], .subject), (["sid": 7], .sessionID), (["sid": ["s1"]], .sessionID),
            (["sub": "", "sid": ""], .nobody), (["nonce": 1], .nonce), (["jti": .null], .tokenID),
            (["jti": ""], .tokenID), (["jti": 7], .tokenID),
        ] as [(JSONObject, LogoutTokenRefusal)]
    )
    func claims(change: JSONObject, expected: LogoutTokenRefusal) async throws {
        let scene = try Scene(.keycloak)
        #expect(await refusal(scene, try token(scene, change)) == expected)
    }

    @Test("attack E31, OIDCBCL-2.6-8: typed as a logout token or not at all; no other token is one")
    func types() async throws {
        let scene = try Scene(.keycloak)
        #expect(await refusal(scene, try token(scene, type: .jwt)) == nil)
        for type in [JWTType.accessToken, .clientAuthentication, .dpopProof] {
            #expect(await refusal(scene, try token(scene, type: type)) == .malformed)
        }
        // An ID Token of the same issuer, which a person may get hold of.
        let idToken = scene.nativeToken(["sid": "s1", "jti": "j"], nonce: "n")
        #expect(await refusal(scene, idToken) == .events)
    }

    @Test(
        "attack E31, OIDCBCL-2.6-1: the issuer's key and algorithm; none is none; a JWE is not opened"
    )
    func signature() async throws {
        let scene = try Scene(.keycloak)
        let good = try token(scene)
        let none = Base64URL.encode(Array(#"{"alg":"none","typ":"logout+jwt"}"#.utf8))
        let parts = good.split(separator: ".")
        for (text, expected) in [
            (try token(scene, signer: Scene.otherKey), .signature),
            (try token(scene, signer: Scene.newKey(.rs256, "k9")), .signature),
            ("\(none).\(parts[1]).", .algorithm), ("\(parts[0]).\(parts[1]).", .signature),
            ("a.b.c.d.e", .encrypted), ("", .malformed), ("x", .malformed),
            (good + "=", .malformed), (String(repeating: "A", count: 1 << 20), .malformed),
        ] as [(String, LogoutTokenRefusal)] {
            #expect(await refusal(scene, text) == expected, "\(text.prefix(80))")
        }
    }

    /// With members that are written, and null.
    private func token(_ scene: Scene, nulls: [String]) throws -> String {
        let now = NumericDate.seconds(scene.clock.now)
        var claims: JSONObject = [
            "iss": "https://op.example.com", "aud": "us", "iat": .integer(now),
            "exp": .integer(now + 120), "jti": "j1", "sub": "alice", "sid": "s1",
            "events": .object([Self.event: [:]]),
        ]
        for name in nulls { claims[name] = .null }
        return try Scene.key.get().sign(claims: claims, type: .logoutToken)
    }

    @Test("BR87: what may be absent may be null, and one of sub and sid may be empty")
    func nulls() async throws {
        let scene = try Scene(.keycloak)
        let verify = scene.client.verifyLogoutToken
        let session = try await verify(try token(scene, nulls: ["sub", "nonce", "exp"]))
        #expect(session.subject == nil && session.providerSessionID == "s1")
        #expect(try await verify(try token(scene, nulls: ["sid"])).providerSessionID == nil)
        #expect(try await verify(try token(scene, ["sub": ""])).providerSessionID == "s1")
        #expect(try await verify(try token(scene, ["sid": ""])).subject == "alice")
        #expect(await refusal(scene, try token(scene, nulls: ["sub", "sid"])) == .nobody)
        for (name, expected) in [
            ("iat", .time), ("jti", .tokenID), ("events", .events), ("aud", .audience),
        ] as [(String, LogoutTokenRefusal)] {
            #expect(await refusal(scene, try token(scene, nulls: [name])) == expected)
        }
    }

    @Test("OpenID Connect Back-Channel Logout §2.6: with RS256, or as our ID Tokens are signed")
    func algorithms() async throws {
        let scene = try Scene(.keycloak)
        #expect(await refusal(scene, try token(scene)) == nil)
        #expect(await refusal(scene, try token(scene, signer: Scene.p256)) == .algorithm)
        // The provider signs for us with something else.
        scene.tell { $0.signer = Scene.p256 }
        _ = try await scene.signIn()
        #expect(await refusal(scene, try token(scene, signer: Scene.p256)) == nil)
        // What is configured is all that is taken, and what the provider does not have is not asked for.
        let pinned = try Scene(.keycloak, ["algorithms": ["ES256"]])
        #expect(await refusal(pinned, try token(pinned, signer: Scene.p256)) == nil)
        #expect(await refusal(pinned, try token(pinned)) == .algorithm)
        let other = try Scene(
            .keycloak,
            metadata: ["id_token_signing_alg_values_supported": ["ES256"]]
        )
        #expect(await refusal(other, try token(other, signer: Scene.p256)) == nil)
    }

    @Test("Keys that cannot be had say nothing about the token")
    func unavailable() async throws {
        let scene = try Scene(.keycloak)
        scene.world.answer(scene.addresses.keys) { _ in .json([:], status: 503) }
        #expect(await refusal(scene, try token(scene)) == .unavailable)
    }
}
