import Foundation
import HTTPTypes
import Portico
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoUpstream

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
            (
                try payload(scene, event: .string(#"{"type":"other","sub":"alice"}"#)),
                .unknownEvent
            ),
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
