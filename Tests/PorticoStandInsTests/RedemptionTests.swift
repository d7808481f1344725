import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// What the real ones refuse, the stand-ins refuse: otherwise a relying party that sends too little
/// would work here and nowhere else.
@Suite("Redeeming codes at stand-ins")
struct RedemptionTests {
    @Test("RFC 6749 §4.1.2: a code is good once", arguments: StandInKind.allCases)
    func once(kind: StandInKind) async throws {
        try await Wire.run { wire in
            let code = try #require(await wire.answer(kind)["code"])
            #expect(try await wire.redeem(kind, code).status == 200)
            let again = try await wire.redeem(kind, code)
            #expect(again.status == 400)
            #expect(again.json["access_token"] == nil && again.json["error"] != nil)
        }
    }

    @Test(
        "RFC 6749 §4.1.2: a code lives ten minutes, Apple's five",
        arguments: [
            (StandInKind.google, 599.0, 200), (.google, 600, 400), (.facebook, 599, 200),
            (.facebook, 600, 400), (.openID, 600, 400), (.apple, 299, 200), (.apple, 300, 400),
        ]
    )
    func life(kind: StandInKind, seconds: Double, status: Int) async throws {
        try await Wire.run { wire in
            let code = try #require(await wire.answer(kind)["code"])
            wire.clock.advance(by: seconds)
            #expect(try await wire.redeem(kind, code).status == status)
        }
    }

    @Test("RFC 6749 §4.1.3: the redirect URI must match exactly", arguments: StandInKind.allCases)
    func redirectURI(kind: StandInKind) async throws {
        try await Wire.run { wire in
            for other in [Wire.redirectURI + "/", Wire.redirectURI + "?", nil] {
                let code = try #require(await wire.answer(kind)["code"])
                let reply = try await wire.redeem(kind, code, [("redirect_uri", other)])
                #expect(reply.status == 400 && reply.json["error"] != nil)
                // The attempt has spent it.
                #expect(try await wire.redeem(kind, code).status == 400)
            }
        }
    }

    @Test(
        "RFC 7636 §4.6: without its verifier a code is worth nothing",
        arguments: [StandInKind.google, .facebook, .openID]
    )
    func verifier(kind: StandInKind) async throws {
        try await Wire.run { wire in
            let other = String(repeating: "w", count: 43)
            for verifier in [nil, other, "short"] {
                let code = try #require(await wire.answer(kind)["code"])
                let reply = try await wire.redeem(kind, code, [("code_verifier", verifier)])
                #expect(reply.status == 400 && reply.json["access_token"] == nil)
            }
            // And a verifier belongs to a request that had a challenge.
            let code = try #require(
                await wire.answer(
                    kind,
                    [("code_challenge", nil), ("code_challenge_method", nil)]
                )["code"]
            )
            #expect(try await wire.redeem(kind, code).status == 400)
        }
    }

    @Test("PRV-A-21: Apple looks at no PKCE")
    func noVerifier() async throws {
        try await Wire.run { wire in
            let code = try #require(
                await wire.answer(
                    .apple,
                    [("code_challenge", "x"), ("code_challenge_method", "plain")]
                )["code"]
            )
            #expect(try await wire.redeem(.apple, code, [("code_verifier", "y")]).status == 200)
        }
    }

    @Test("RFC 6749 §2.3.1: a client that does not prove itself gets nothing, and spends nothing")
    func client() async throws {
        try await Wire.run { wire in
            for kind in [StandInKind.google, .facebook, .openID] {
                let code = try #require(await wire.answer(kind)["code"])
                for secret in ["wrong", ""] {
                    let reply = try await wire.redeem(kind, code, [("client_secret", secret)])
                    if kind == .facebook, secret.isEmpty { continue }
                    #expect(reply.status == (kind == .facebook ? 400 : 401), "\(kind)")
                }
                let unknown = try await wire.redeem(kind, code, [("client_id", "nobody")])
                #expect(unknown.status == (kind == .facebook ? 400 : 401))
                if kind != .facebook { #expect(try await wire.redeem(kind, code).status == 200) }
            }
        }
    }

    @Test("RFC 6749 §2.3.1: Basic and the body are both taken, and not both at once")
    func methods() async throws {
        try await Wire.run { wire in
            let settings = try wire.settings(.openID)
            let pair = "\(settings.clientID):\(settings.secret.reveal())"
            let basic: HTTPFields = [
                .authorization: "Basic \(Data(pair.utf8).base64EncodedString())"
            ]
            let code = try #require(await wire.answer(.openID)["code"])
            let both = try await wire.post(
                wire.addresses(.openID).token,
                wire.redemption(.openID, code),
                headers: basic
            )
            #expect(both.error == "invalid_client")
            let reply = try await wire.post(
                wire.addresses(.openID).token,
                wire.redemption(.openID, code, [("client_secret", nil)]),
                headers: basic
            )
            #expect(reply.status == 200)
        }
    }

    @Test("for E04: a code of one stand-in, or of one client, is nothing to another")
    func foreignCode() async throws {
        try await Wire.run { wire in
            let code = try #require(await wire.answer(.google)["code"])
            #expect(try await wire.redeem(.openID, code).error == "invalid_grant")
            let other = StandInClient(
                clientID: "other",
                redirectURIs: [Wire.redirectURI],
                authentication: .secret(SecretText("secret"))
            )
            wire.standIns.register(other, at: .openID)
            let theirs = try #require(
                await wire.answer(.openID, [("client_id", "portico")])["code"]
            )
            let reply = try await wire.redeem(
                .openID,
                theirs,
                [("client_id", "other"), ("client_secret", "secret")]
            )
            #expect(reply.error == "invalid_grant")
        }
    }

    @Test(
        "RFC 6749 §4.1.2.1: until client and redirect URI are proven, an error is a page",
        arguments: StandInKind.allCases,
        [
            [("client_id", "nobody")], [("client_id", nil)], [("redirect_uri", nil)],
            [("redirect_uri", Wire.redirectURI + "/")],
            [("redirect_uri", "https://evil.example/callback")],
        ] as [[(String, String?)]]
    )
    func unproven(kind: StandInKind, changes: [(String, String?)]) async throws {
        try await Wire.run { wire in
            let reply = try await wire.post(wire.address(kind, changes), [("person", "ann")])
            #expect(reply.status == 400 && reply.location == nil)
            #expect(!reply.text.contains("<form"))
        }
    }

    @Test(
        "RFC 6749 §3.1: a parameter that is given twice is refused",
        arguments: StandInKind.allCases
    )
    func repeated(kind: StandInKind) async throws {
        try await Wire.run { wire in
            let reply = try await wire.get(wire.address(kind) + "&state=another")
            #expect(reply.status == 400 && reply.location == nil)
        }
    }
}
