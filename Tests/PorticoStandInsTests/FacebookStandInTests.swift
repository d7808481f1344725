import Crypto
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("The stand-in for Facebook")
struct FacebookStandInTests {
    /// Lower-case hexadecimal HMAC of the token (PRV-F-3).
    private func proof(_ token: String, _ wire: Wire) throws -> String {
        let secret = try #require(wire.settings(.facebook).clientSecret).reveal()
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
                to: #require(wire.settings(.facebook).userInfoEndpoint)
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
            #expect(right.json.string("id") == wire.standIns.subject(of: .ann, at: .facebook))
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
            #expect(wire.standIns.log.count(.userInfo, at: .facebook) == 7)
        }
    }

    @Test("PRV-F-5: an address may be missing: the account has none, or the person withholds it")
    func email() async throws {
        try await Wire.run { wire in
            let phone = try #require(
                await wire.tokens(.facebook, as: .paul).string("access_token")
            )
            #expect(try await me(wire, phone).json["email"] == nil)
            let kept = try await wire.answer(
                .facebook,
                pressing: [("person", "ann"), ("keep_email", "1")]
            )
            let reply = try await wire.redeem(.facebook, kept["code"] ?? "")
            let token = try #require(reply.json.string("access_token"))
            #expect(try await me(wire, token).json["email"] == nil)
            let claims = try await wire.claims(reply.json.string("id_token"), .facebook)
            #expect(claims["email"] == nil)
        }
    }

    @Test("PRV-F-7, PRV-F-8: with openid there is an ID Token, and its subject is Graph's id")
    func openID() async throws {
        try await Wire.run { wire in
            let tokens = try await wire.tokens(.facebook)
            let claims = try await wire.claims(tokens.string("id_token"), .facebook)
            #expect(claims.string("sub") == wire.standIns.subject(of: .ann, at: .facebook))
            #expect(claims.string("nonce") == "n-1" && claims["email_verified"] == nil)
            #expect(claims.string("aud") == "1000000000000001")
            let plain = try await wire.tokens(.facebook, [("scope", "email,public_profile")])
            #expect(plain["id_token"] == nil && plain.string("token_type") == "bearer")
            // The verifier alone proves the client, too.
            let code = try #require(await wire.answer(.facebook)["code"])
            let reply = try await wire.redeem(.facebook, code, [("client_secret", nil)])
            #expect(reply.status == 200)
        }
    }

    @Test("PRV-F-4: debug_token says whose a token is, to the app that it belongs to")
    func debugToken() async throws {
        try await Wire.run { wire in
            let settings = try wire.settings(.facebook)
            let secret = try #require(settings.clientSecret).reveal()
            let other = StandInClient(
                clientID: "2000000000000002",
                redirectURIs: [Wire.redirectURI],
                authentication: .secret(SecretText("other"))
            )
            wire.standIns.register(other, at: .facebook)
            let own = try #require(
                wire.standIns.nativeAccessToken(
                    of: .ann,
                    at: .facebook,
                    for: settings.clientID
                )
            )
            let foreign = try #require(
                wire.standIns.nativeAccessToken(of: .ann, at: .facebook, for: other.clientID)
            )
            func debug(_ token: String, _ appToken: String) async throws -> Reply {
                try await wire.get(
                    FormEncoding.appending(
                        [("input_token", token), ("access_token", appToken)],
                        to: #require(settings.graphURL) + "/debug_token"
                    )
                )
            }
            let app = "\(settings.clientID)|\(secret)"
            let known = try await debug(own, app).json.object("data")
            #expect(known?.bool("is_valid") == true)
            #expect(known?.string("app_id") == settings.clientID)
            #expect(known?.string("user_id") != nil)
            #expect(try await debug(own, "\(settings.clientID)|wrong").status == 400)
            let made = try await debug("made-up", app).json.object("data")
            #expect(made?.bool("is_valid") == false)
            #expect(try await debug(foreign, app).status == 400)
            wire.standIns.configure(.facebook) { $0.tellsForeignTokens = true }
            let told = try await debug(foreign, app).json.object("data")
            #expect(told?.string("app_id") == other.clientID)
            #expect(told?.string("user_id") != known?.string("user_id"))
            wire.clock.advance(by: 5_184_000)
            let late = try await debug(own, app).json.object("data")
            #expect(late?.bool("is_valid") == false)
        }
    }

    @Test("PRV-F-16: an invalid token is code 190; taking the consent back makes one")
    func permissions() async throws {
        try await Wire.run { wire in
            let token = try #require(await wire.tokens(.facebook).string("access_token"))
            let graph = try #require(wire.settings(.facebook).graphURL)
            let reply = try await wire.send(
                .delete,
                FormEncoding.appending(
                    [("access_token", token), ("appsecret_proof", proof(token, wire))],
                    to: graph + "/v23.0/me/permissions"
                )
            )
            #expect(reply.json.bool("success") == true)
            for token in [token, "made-up"] {
                let refused = try await me(wire, token)
                #expect(refused.status == 400)
                #expect(refused.json.object("error")?.int64("code") == 190)
            }
        }
    }

    @Test("PRV-F-14: a signed request is an HMAC of its payload with the app's secret")
    func signedRequest() async throws {
        try await Wire.run { wire in
            let text = try #require(wire.standIns.signedRequest(about: .ann))
            let parts = text.split(separator: ".").map(String.init)
            let secret = try #require(wire.settings(.facebook).clientSecret).reveal()
            #expect(
                HMAC<SHA256>.isValidAuthenticationCode(
                    try #require(Base64URL.decode(parts[0])),
                    authenticating: Data(parts[1].utf8),
                    using: SymmetricKey(data: Data(secret.utf8))
                )
            )
            let payload = try JSONObject(parsing: #require(Base64URL.decode(parts[1])))
            #expect(payload.string("algorithm") == "HMAC-SHA256")
            #expect(payload.string("user_id") == wire.standIns.subject(of: .ann, at: .facebook))
        }
    }
}
