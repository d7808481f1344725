import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("The stand-in for Google")
struct GoogleStandInTests {
    @Test("PRV-G-1, PRV-G-8: the document of discovery names every endpoint, S256 and iss")
    func discovery() async throws {
        try await Wire.run { wire in
            let settings = try wire.settings(.google)
            let reply = try await wire.get(settings.issuer + "/.well-known/openid-configuration")
            #expect(reply.status == 200)
            let json = reply.json
            #expect(json.string("issuer") == settings.issuer)
            #expect(json.string("authorization_endpoint") == settings.authorizationEndpoint)
            #expect(json.string("token_endpoint") == settings.tokenEndpoint)
            #expect(json.string("jwks_uri") == settings.keySetURI)
            #expect(json.string("userinfo_endpoint") == settings.userInfoEndpoint)
            #expect(json.string("revocation_endpoint") == settings.revocationEndpoint)
            #expect(json.strings("code_challenge_methods_supported") == ["S256"])
            #expect(json.bool("authorization_response_iss_parameter_supported") == true)
        }
    }

    @Test("RFC 6749 §4.1.2, RFC 9207 §2: the answer has code, state and iss, each once")
    func answer() async throws {
        try await Wire.run { wire in
            let page = try await wire.get(wire.address(.google))
            #expect(page.status == 200 && page.text.contains("Ann Example"))
            let reply = try await wire.post(wire.address(.google), [("person", "ann")])
            #expect(reply.status == 302)
            let location = try #require(reply.location)
            #expect(location.hasPrefix(Wire.redirectURI + "?"))
            let query = try #require(location.split(separator: "?").last)
            try FormParameters(decoding: query.utf8).refuseRepeats()
            #expect(reply.redirected["state"] == "s t&a=te")
            #expect(reply.redirected["iss"] == wire.standIns.issuer(of: .google))
            #expect(reply.redirected["code"]?.isEmpty == false)
        }
    }

    @Test("PRV-G-2 to G-6: the ID Token says who, for whom, and what Google vouches for")
    func idToken() async throws {
        try await Wire.run { wire in
            let tokens = try await wire.tokens(.google)
            let claims = try await wire.claims(tokens.string("id_token"), .google)
            let settings = try wire.settings(.google)
            #expect(claims.string("iss") == settings.issuer)
            #expect(claims.string("aud") == settings.clientID)
            #expect(claims.string("azp") == settings.clientID)
            #expect(claims.string("nonce") == "n-1")
            #expect(claims.string("sub") == wire.standIns.subject(of: .ann, at: .google))
            #expect(claims.string("email") == "ann@example.com")
            #expect(claims.bool("email_verified") == true)
            #expect(claims.string("hd") == "example.com")
            #expect(claims.string("name") == "Ann Example")
            let hash = SignatureAlgorithm.rs256.leftHalfHash(
                of: tokens.string("access_token") ?? ""
            )
            #expect(claims.string("at_hash") == hash)
            #expect(claims.int64("exp") == wire.clock.seconds + 3600)
            let other = try await wire.tokens(.google, as: .ben, [("scope", "openid email")])
            let ben = try await wire.claims(other.string("id_token"), .google)
            #expect(ben["hd"] == nil && ben["name"] == nil)
        }
    }

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
                settings.tokenEndpoint,
                [
                    ("grant_type", "refresh_token"), ("refresh_token", token),
                    ("client_id", settings.clientID),
                    ("client_secret", settings.clientSecret?.reveal() ?? ""),
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
            let userInfo = try #require(settings.userInfoEndpoint)
            let before = try await wire.get(userInfo, bearer: access)
            #expect(before.json.string("email") == "ann@example.com")
            let address = try #require(settings.revocationEndpoint)
            #expect(try await wire.post(address, [("token", access)]).status == 200)
            #expect(try await wire.get(userInfo, bearer: access).status == 401)
            let refresh = try await wire.post(
                settings.tokenEndpoint,
                [
                    ("grant_type", "refresh_token"),
                    ("refresh_token", tokens.string("refresh_token") ?? ""),
                    ("client_id", settings.clientID),
                    ("client_secret", settings.clientSecret?.reveal() ?? ""),
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

    @Test("PRV-G-15: the code of a native sign-in is redeemed without a redirect URI")
    func nativeCode() async throws {
        try await Wire.run { wire in
            let wrong = try #require(wire.standIns.nativeCode(of: .ann, at: .google))
            let verifierless: [(String, String?)] = [("code_verifier", nil)]
            #expect(try await wire.redeem(.google, wrong, verifierless).status == 400)
            let code = try #require(wire.standIns.nativeCode(of: .ann, at: .google))
            let reply = try await wire.redeem(
                .google,
                code,
                verifierless + [("redirect_uri", "")]
            )
            #expect(reply.status == 200 && reply.json["refresh_token"] != nil)
        }
    }
}
