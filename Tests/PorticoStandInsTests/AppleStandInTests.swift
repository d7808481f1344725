import Crypto
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
            let other = try SigningKey(generating: .es256, keyID: "STANDIN001", random: .system)
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

@Suite("The stand-in for Facebook")
struct FacebookStandInTests {
    /// Lower-case hexadecimal HMAC of the token (PRV-F-3).
    private func proof(_ token: String, _ wire: Wire) throws -> String {
        let secret = try wire.settings(.facebook).secret.reveal()
        let mac = HMAC<SHA256>.authenticationCode(
            for: Data(token.utf8),
            using: SymmetricKey(data: Data(secret.utf8))
        )
        return mac.map { String(format: "%02x", $0) }.joined()
    }

    private func me(
        _ wire: Wire,
        _ token: String,
        _ fields: String = "id,name,email",
        proof: String? = nil
    ) async throws -> Reply {
        let proof = try proof ?? self.proof(token, wire)
        return try await wire.get(
            FormEncoding.appending(
                [("fields", fields), ("access_token", token), ("appsecret_proof", proof)],
                to: #require(wire.addresses(.facebook).userInfo)
            )
        )
    }

    @Test("PRV-F-1, PRV-F-13: the dialog answers with code and state, and its fragment behind them")
    func dialog() async throws {
        try await Wire.run { wire in
            let reply = try await wire.post(wire.address(.facebook), [("person", "ann")])
            let location = try #require(reply.location)
            #expect(reply.status == 302 && location.hasSuffix("#_=_"))
            #expect(location.contains("state=s%20t%26a%3Dte"))
            #expect(!location.contains("iss="))
            for scope in ["email public_profile", "email,public_profile", "email, public_profile"] {
                let page = try await wire.get(
                    wire.address(.facebook, [("scope", scope), ("response_type", nil)])
                )
                #expect(page.text.contains("Do not share my e-mail address"))
            }
        }
    }

    @Test("PRV-F-12: cancelling is access_denied, with the person's reason")
    func cancel() async throws {
        try await Wire.run { wire in
            let answer = try await wire.answer(.facebook, pressing: [("cancel", "1")])
            #expect(answer["error"] == "access_denied")
            #expect(answer["error_reason"] == "user_denied")
            #expect(answer["error_code"] == "200")
            #expect(answer["state"] == "s t&a=te" && answer["code"] == nil)
        }
    }

    @Test("PRV-F-3: Graph wants the proof that the app's server asks")
    func appSecretProof() async throws {
        try await Wire.run { wire in
            let token = try #require(await wire.tokens(.facebook).string("access_token"))
            let right = try await me(wire, token, "id,name,email,picture.width(9){url},first_name")
            #expect(right.status == 200)
            #expect(try right.json.string("id") == wire.subject(of: .ann, at: .facebook))
            #expect(right.json.string("name") == "Ann Example")
            #expect(right.json.string("email") == "ann@example.com")
            #expect(right.json["email_verified"] == nil)
            #expect(right.json.object("picture")?.object("data")?.string("url") != nil)
            for wrong in ["", "00", try proof(token + "x", wire), try proof(token, wire) + "0"] {
                let reply = try await me(wire, token, proof: wrong)
                #expect(reply.status == 400)
                #expect(reply.json.object("error")?.int64("code") == 100)
            }
            let upper = try await me(wire, token, proof: proof(token, wire).uppercased())
            #expect(upper.status == 400)
            #expect(try await me(wire, token, "id,password").status == 400)
            #expect(wire.log.count(.userInfo, at: .facebook) == 7)
        }
    }

    @Test("PRV-F-4: debug_token says whose a token is, to the app that it belongs to")
    func debugToken() async throws {
        try await Wire.run { wire in
            let settings = try wire.settings(.facebook)
            let own = try #require(await wire.tokens(.facebook).string("access_token"))
            let other = StandInClient(
                clientID: "2000000000000002",
                redirectURIs: [Wire.redirectURI],
                authentication: .secret(SecretText("other"))
            )
            wire.standIns.register(other, at: .facebook)
            func debug(_ token: String, _ appToken: String) async throws -> Reply {
                try await wire.get(
                    FormEncoding.appending(
                        [("input_token", token), ("access_token", appToken)],
                        to: settings.issuer + "/debug_token"
                    )
                )
            }
            let app = "\(settings.clientID)|\(settings.secret.reveal())"
            let known = try await debug(own, app).json.object("data")
            #expect(known?.bool("is_valid") == true)
            #expect(known?.string("app_id") == settings.clientID)
            #expect(known?.string("user_id") != nil)
            #expect(try await debug(own, "\(settings.clientID)|wrong").status == 400)
            #expect(try await debug(own, "\(other.clientID)|other").status == 400)
            let made = try await debug("made-up", app).json.object("data")
            #expect(made?.bool("is_valid") == false)
            #expect(try await me(wire, "made-up").json.object("error")?.int64("code") == 190)
            wire.clock.advance(by: 5_184_000)
            let late = try await debug(own, app).json.object("data")
            #expect(late?.bool("is_valid") == false)
        }
    }
}

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
