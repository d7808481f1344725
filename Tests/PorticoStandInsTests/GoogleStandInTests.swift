import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("The stand-in for Google")
struct GoogleStandInTests {
    @Test("PRV-G-7: a refresh token comes with access_type=offline, at the first consent only")
    func refreshToken() async throws {
        try await Wire.run { wire in
            #expect(try await wire.tokens(.google)["refresh_token"] == nil)
            let offline: [(String, String?)] = [("access_type", "offline")]
            #expect(try await wire.tokens(.google, offline)["refresh_token"] == nil)
            let first = try await wire.tokens(.google, as: .ben, offline)
            let token = try #require(first.string("refresh_token"))
            let asked = offline + [("prompt", "consent")]
            #expect(try await wire.tokens(.google, asked)["refresh_token"] != nil)
            let settings = try wire.settings(.google)
            let reply = try await wire.post(
                wire.addresses(.google).token,
                [
                    ("grant_type", "refresh_token"), ("refresh_token", token),
                    ("client_id", settings.clientID),
                    ("client_secret", settings.secret.reveal()),
                ]
            )
            #expect(reply.status == 200)
            #expect(reply.json["refresh_token"] == nil)
            #expect(reply.json.string("access_token") != first.string("access_token"))
        }
    }

    @Test("RFC 7009 §2: what is revoked is over, and the person is asked anew")
    func revocation() async throws {
        try await Wire.run { wire in
            let offline: [(String, String?)] = [("access_type", "offline")]
            let tokens = try await wire.tokens(.google, offline)
            let access = try #require(tokens.string("access_token"))
            let settings = try wire.settings(.google)
            let userInfo = try #require(wire.addresses(.google).userInfo)
            let before = try await wire.get(userInfo, bearer: access)
            #expect(before.json.string("email") == "ann@example.com")
            let address = try #require(wire.addresses(.google).revocation)
            #expect(try await wire.post(address, [("token", access)]).status == 200)
            #expect(try await wire.get(userInfo, bearer: access).status == 401)
            let refresh = try await wire.post(
                wire.addresses(.google).token,
                [
                    ("grant_type", "refresh_token"),
                    ("refresh_token", tokens.string("refresh_token") ?? ""),
                    ("client_id", settings.clientID),
                    ("client_secret", settings.secret.reveal()),
                ]
            )
            #expect(refresh.error == "invalid_grant")
            #expect(try await wire.post(address, [("token", "made-up")]).status == 400)
            #expect(try await wire.tokens(.google, offline)["refresh_token"] != nil)
        }
    }

    @Test("OpenID Connect Core §3.1.2.1: a hint narrows the choice, select_account widens it again")
    func hint() async throws {
        try await Wire.run { wire in
            let hint: [(String, String?)] = [("login_hint", "ben@example.org")]
            let page = try await wire.get(wire.address(.google, hint))
            #expect(page.text.contains("Ben Sample") && !page.text.contains("Ann Example"))
            let all = try await wire.get(
                wire.address(.google, hint + [("prompt", "select_account")])
            )
            #expect(all.text.contains("Ben Sample") && all.text.contains("Ann Example"))
            let none = try await wire.get(wire.address(.google, [("prompt", "none")]))
            #expect(none.redirected["error"] == "interaction_required")
        }
    }
}
