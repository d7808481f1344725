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
