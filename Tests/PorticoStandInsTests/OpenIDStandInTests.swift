import Foundation
import HTTPTypes
import Portico
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("The stand-in for any OpenID provider")
struct OpenIDStandInTests {
    @Test(
        "OpenID Connect Core §3.1: our client library signs in, with every check it has",
        arguments: [StandInKind.openID, .google]
    )
    func clientLibrary(kind: StandInKind) async throws {
        try await withStandIns(host: "127.0.0.1") { standIns in
            let redirectURI = "com.example.app:/callback"
            let app = StandInClient(
                clientID: "app",
                redirectURIs: [redirectURI],
                authentication: .none
            )
            standIns.register(app, at: kind)
            let transport = OutboundClient()
            let client = SignInClient(
                issuer: standIns.issuer(of: kind),
                clientID: "app",
                redirect: .scheme(redirectURI),
                options: .allowInsecureLoopback,
                transport: transport
            )
            let attempt = try await client.begin()
            let address = try #require(HTTPAddress(attempt.address))
            let reply = try await transport.send(
                HTTPRequest(
                    method: .post,
                    scheme: "http",
                    authority: address.authority,
                    path: address.target,
                    headerFields: [.contentType: "application/x-www-form-urlencoded"]
                ),
                body: Array("person=layla".utf8),
                limits: HTTPLimits(bytes: 10_000, seconds: 10)
            )
            let callback = try #require(reply.response.headerFields[.location])
            let session = try await attempt.complete(callback)
            #expect(session.user.subject == standIns.subject(of: .layla, at: kind))
            #expect(session.user.name == "ليلى مثال")
            #expect(session.user.email == "layla@example.com" && session.user.isEmailVerified)
            try await transport.shutdown()
        }
    }

    @Test("RFC 8252 §8.1: an app without a secret must use PKCE")
    func publicClient() async throws {
        try await Wire.run { wire in
            let app = StandInClient(
                clientID: "app",
                redirectURIs: [Wire.redirectURI],
                authentication: .none
            )
            wire.standIns.register(app, at: .openID)
            let without: [(String, String?)] = [
                ("client_id", "app"), ("code_challenge", nil), ("code_challenge_method", nil),
            ]
            #expect(try await wire.get(wire.address(.openID, without)).status == 400)
            let code = try #require(await wire.answer(.openID, [("client_id", "app")])["code"])
            let reply = try await wire.post(
                wire.settings(.openID).tokenEndpoint,
                [
                    ("grant_type", "authorization_code"), ("code", code),
                    ("redirect_uri", Wire.redirectURI), ("client_id", "app"),
                    ("code_verifier", String(repeating: "w", count: 43)),
                ]
            )
            #expect(reply.error == "invalid_grant")
        }
    }

    @Test("PRV-O-3, RFC 7523 §3: a client with a key proves itself by an assertion for the issuer")
    func assertion() async throws {
        try await Wire.run { wire in
            let key = try SigningKey(generating: .es256, random: .system)
            let client = StandInClient(
                clientID: "keyed",
                redirectURIs: [Wire.redirectURI],
                authentication: .key(key.verificationKey)
            )
            wire.standIns.register(client, at: .openID)
            let issuer = wire.standIns.issuer(of: .openID)
            func redeem(audience: String, subject: String = "keyed") async throws -> Reply {
                let code = try #require(
                    await wire.answer(.openID, [("client_id", "keyed")])["code"]
                )
                let claims: JSONObject = [
                    "iss": "keyed", "sub": .string(subject), "aud": .string(audience),
                    "jti": "1", "exp": .integer(wire.clock.seconds + 60),
                ]
                return try await wire.post(
                    wire.settings(.openID).tokenEndpoint,
                    [
                        ("grant_type", "authorization_code"), ("code", code),
                        ("redirect_uri", Wire.redirectURI), ("code_verifier", Wire.verifier),
                        (
                            "client_assertion_type",
                            "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                        ),
                        ("client_assertion", key.sign(claims: claims, type: .jwt)),
                    ]
                )
            }
            #expect(try await redeem(audience: issuer).status == 200)
            #expect(wire.standIns.log.all.last?.authentication == .assertion)
            #expect(try await redeem(audience: "https://evil.example").status == 401)
            #expect(try await redeem(audience: issuer, subject: "other").status == 401)
        }
    }

    @Test("OpenID Connect Core §5.3.2, §5.4: UserInfo has what was asked for, and the same subject")
    func userInfo() async throws {
        try await Wire.run { wire in
            let tokens = try await wire.tokens(.openID, as: .uma, [("scope", "openid email")])
            let address = try #require(wire.settings(.openID).userInfoEndpoint)
            let access = try #require(tokens.string("access_token"))
            let json = try await wire.get(address, bearer: access).json
            let claims = try await wire.claims(tokens.string("id_token"), .openID)
            #expect(json.string("sub") == claims.string("sub"))
            #expect(json.bool("email_verified") == false && json["name"] == nil)
            #expect(try await wire.get(address).status == 401)
            #expect(try await wire.get(address, bearer: "made-up").status == 401)
            wire.clock.advance(by: 3600)
            #expect(try await wire.get(address, bearer: access).status == 401)
        }
    }

    @Test("Back-Channel Logout §2.4: the token names the session of the ID Token")
    func logoutToken() async throws {
        try await Wire.run { wire in
            let tokens = try await wire.tokens(.openID)
            let session = try await wire.claims(tokens.string("id_token"), .openID)
            let text = try wire.standIns.logoutToken(
                about: .ann,
                sessionID: session.string("sid")
            )
            let token = try JWT(parsing: #require(text))
            #expect(token.header.type == "logout+jwt")
            let claims = try await wire.claims(text, .openID)
            #expect(claims.string("sid") == session.string("sid") && session["sid"] != nil)
            #expect(claims.string("sub") == session.string("sub"))
            #expect(claims.string("aud") == "portico" && claims["nonce"] == nil)
            #expect(
                claims.object("events")?["http://schemas.openid.net/event/backchannel-logout"]
                    == .object([:])
            )
            let changed = try wire.standIns.logoutToken(
                about: nil,
                sessionID: nil,
                type: .jwt,
                changes: ["events": nil, "nonce": "n"]
            )
            let bare = try await wire.claims(changed, .openID)
            #expect(bare["sub"] == nil && bare["events"] == nil && bare.string("nonce") == "n")
        }
    }

    @Test("RP-Initiated Logout §3: back to an address of the hint's client, or to a page")
    func endSession() async throws {
        try await Wire.run { wire in
            let hint = try #require(await wire.tokens(.openID).string("id_token"))
            let address = try #require(wire.settings(.openID).endSessionEndpoint)
            func end(_ hint: String, _ uri: String) async throws -> Reply {
                try await wire.get(
                    FormEncoding.appending(
                        [
                            ("id_token_hint", hint), ("post_logout_redirect_uri", uri),
                            ("state", "s"),
                        ],
                        to: address
                    )
                )
            }
            #expect(
                try await end(hint, Wire.redirectURI).location == Wire.redirectURI + "?state=s"
            )
            #expect(try await end(hint, "https://evil.example/").location == nil)
            #expect(try await end("x" + hint, Wire.redirectURI).location == nil)
        }
    }
}
