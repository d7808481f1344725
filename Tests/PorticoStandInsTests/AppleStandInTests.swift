import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("The stand-in for Apple")
struct AppleStandInTests {
    @Test("PRV-A-3: the answer is a page that posts itself, with a button where scripts are off")
    func formPost() async throws {
        try await Wire.run { wire in
            let reply = try await wire.post(wire.address(.apple), [("person", "ann")])
            #expect(reply.status == 200 && reply.location == nil)
            #expect(reply.formAction == Wire.redirectURI)
            #expect(reply.text.contains("<button>Continue</button>"))
            let names = reply.hiddenFields.map(\.name)
            #expect(Set(names) == ["code", "state", "user"] && names.count == 3)
            #expect(reply.hiddenFields.first { $0.name == "state" }?.value == "s t&a=te")
            let policy = try #require(reply.headers[.contentSecurityPolicy])
            #expect(policy.contains("script-src 'sha256-"))
        }
    }

    @Test("PRV-A-3: name or e-mail can be asked for with form_post only")
    func formPostOnly() async throws {
        try await Wire.run { wire in
            for changes: [(String, String?)] in [
                [("response_mode", nil)], [("response_mode", "query")],
                [("scope", "name"), ("response_mode", nil)],
            ] {
                let reply = try await wire.get(wire.address(.apple, changes))
                #expect(reply.status == 400 && reply.location == nil)
            }
            let bare: [(String, String?)] = [("response_mode", nil), ("scope", nil)]
            let answer = try await wire.answer(.apple, bare)
            #expect(answer["code"] != nil && answer["user"] == nil && answer["iss"] == nil)
        }
    }

    @Test("PRV-A-5: the name comes the first time, and again once the consent was taken back")
    func user() async throws {
        try await Wire.run { wire in
            let first = try await wire.answer(.apple)
            let user = try JSONObject(parsing: #require(first["user"]).utf8)
            #expect(user.object("name")?.string("firstName") == "Ann")
            #expect(user.object("name")?.string("lastName") == "Example")
            #expect(user.string("email") == "ann@example.com")
            let second = try await wire.answer(.apple)
            #expect(second["user"] == nil)
            let tokens = try await wire.redeem(.apple, second["code"] ?? "")
            let settings = try wire.settings(.apple)
            let revoked = try await wire.post(
                #require(wire.addresses(.apple).revocation),
                [
                    ("token", tokens.json.string("refresh_token") ?? ""),
                    ("client_id", settings.clientID), ("client_secret", wire.appleSecret()),
                ]
            )
            #expect(revoked.status == 200)
            #expect(try await wire.answer(.apple)["user"] != nil)
        }
    }

    @Test("PRV-A-8: a hidden address is a relay's, for one team, and stays hidden")
    func relay() async throws {
        try await Wire.run { wire in
            for person in [StandInPerson.rea, .ann] {
                let answer = try await wire.answer(
                    .apple,
                    as: person,
                    pressing: [("person", person.id), ("hide_email", "1")]
                )
                let user = try JSONObject(parsing: #require(answer["user"]).utf8)
                let reply = try await wire.redeem(.apple, answer["code"] ?? "")
                let claims = try await wire.claims(reply.json.string("id_token"), .apple)
                let email = try #require(claims.string("email"))
                #expect(email.hasSuffix("@privaterelay.appleid.com"))
                #expect(user.string("email") == email)
                #expect(claims.string("is_private_email") == "true")
                let again = try await wire.tokens(.apple, as: person)
                let later = try await wire.claims(again.string("id_token"), .apple)
                #expect(later.string("email") == email)
            }
        }
    }

    @Test("PRV-A-10: the client secret is the team's JWT, and every claim of it counts")
    func clientSecret() async throws {
        try await Wire.run { wire in
            let now = wire.clock.seconds
            let wrong: [(String, [String: JSONValue?])] = [
                ("issuer", ["iss": "OTHERTEAM0"]), ("subject", ["sub": "com.example.other"]),
                ("audience", ["aud": "https://example.com"]), ("no audience", ["aud": nil]),
                ("expired", ["exp": .integer(now)]), ("no expiry", ["exp": nil]),
                ("no issue", ["iat": nil]),
                ("from the future", ["iat": .integer(now + 600)]),
                ("too long", ["exp": .integer(now + 15_777_001)]),
            ]
            for (name, changes) in wrong {
                let code = try #require(await wire.answer(.apple)["code"])
                let secret = try wire.appleSecret(changes)
                let reply = try await wire.redeem(.apple, code, [("client_secret", secret)])
                #expect(reply.status == 400 && reply.error == "invalid_client", "\(name)")
                // It was not the code that was wrong.
                let longest = try wire.appleSecret(["exp": .integer(now + 15_777_000)])
                let right = try await wire.redeem(.apple, code, [("client_secret", longest)])
                #expect(right.status == 200, "\(name)")
            }
        }
    }

    @Test("PRV-A-11: another key, or another algorithm, signs no client secret")
    func foreignKey() async throws {
        try await Wire.run { wire in
            let code = try #require(await wire.answer(.apple)["code"])
            let other = try SigningKey(
                generating: .es256,
                keyID: "STANDIN001",
                random: .system
            )
            let forged = try wire.appleSecret(key: other)
            #expect(
                try await wire.redeem(.apple, code, [("client_secret", forged)]).error
                    == "invalid_client"
            )
            let payload = forged.split(separator: ".")[1]
            let header = Base64URL.encode(Array(#"{"alg":"none","kid":"STANDIN001"}"#.utf8))
            #expect(
                try await wire.redeem(
                    .apple,
                    code,
                    [("client_secret", "\(header).\(payload).")]
                ).error == "invalid_client"
            )
        }
    }

    @Test("PRV-A-22: cancelling is an answer of its own, posted like any other")
    func cancel() async throws {
        try await Wire.run { wire in
            let answer = try await wire.answer(.apple, pressing: [("cancel", "1")])
            #expect(answer == ["error": "user_cancelled_authorize", "state": "s t&a=te"])
        }
    }
}
