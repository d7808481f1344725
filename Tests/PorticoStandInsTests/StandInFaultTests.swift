import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// A relying party's tests stand on these switches: each does what it says, and nothing else.
@Suite("Faults of stand-ins")
struct StandInFaultTests {
    @Test("RFC 9207 §2.4: iss can be left out, wrong or doubled, and state too")
    func response() async throws {
        try await Wire.run { wire in
            wire.standIns.configure(.google) { $0.response = [.withoutIssuer] }
            #expect(try await wire.answer(.google)["iss"] == nil)
            wire.standIns.configure(.google) {
                $0.response = [.parameter("iss", "https://evil.example"), .withoutState]
            }
            let wrong = try await wire.answer(.google)
            #expect(wrong["iss"] == "https://evil.example" && wrong["state"] == nil)
            #expect(wrong["code"] != nil)
            wire.standIns.configure(.google) {
                $0.response = [.repeated("code", "second"), .codeBesideError]
            }
            let reply = try await wire.post(wire.address(.google), [("person", "ann")])
            let location = try #require(reply.location)
            #expect(location.matches(of: /[?&]code=/).count == 2)
            #expect(location.contains("error=access_denied"))
            wire.standIns.configure(.google) { $0.authorizationError = "server_error" }
            wire.standIns.configure(.google) { $0.response = [] }
            let error = try await wire.get(wire.address(.google))
            #expect(error.redirected["error"] == "server_error")
            #expect(error.redirected["state"] == "s t&a=te" && error.redirected["code"] == nil)
            wire.standIns.repair()
            #expect(try await wire.answer(.google)["iss"] != nil)
        }
    }

    @Test(
        "OpenID Connect Core §3.1.2.1: it can answer by a session from before, whatever prompt and max_age ask for, and tell when that began or not"
    )
    func oldSession() async throws {
        try await Wire.run { wire in
            let began = wire.clock.now - 3600
            wire.standIns.configure(.openID) { $0.oldSession = .init(of: .ben, since: began) }
            for tellsTime in [true, false] {
                if !tellsTime {
                    wire.standIns.configure(.openID) { $0.idToken = [.withoutAuthTime] }
                }
                let asking = [("prompt", "login"), ("max_age", "0")]
                let reply = try await wire.get(wire.address(.openID, asking))
                let code = try #require(reply.redirected["code"])
                let tokens = try await wire.redeem(.openID, code).json
                let claims = try await wire.claims(tokens.string("id_token"), .openID)
                #expect(claims.string("sub") == wire.standIns.subject(of: .ben, at: .openID))
                #expect(claims.int64("auth_time") == (tellsTime ? wire.clock.seconds - 3600 : nil))
                #expect(claims.int64("iat") == wire.clock.seconds)
            }
            wire.standIns.repair()
            #expect(try await wire.get(wire.address(.openID)).redirected["code"] == nil)
        }
    }

    @Test("for E19: the token endpoint can answer anything")
    func tokenAnswers() async throws {
        try await Wire.run { wire in
            func reply(_ answer: StandInFaults.TokenAnswer) async throws -> Reply {
                wire.standIns.configure(.google) { $0.tokenAnswer = answer }
                let code = try #require(await wire.answer(.google)["code"])
                return try await wire.redeem(.google, code)
            }
            let redirect = try await reply(.redirect(to: "https://evil.example/token"))
            #expect(redirect.status == 302 && redirect.location == "https://evil.example/token")
            let html = try await reply(.html)
            #expect(html.headers[.contentType]?.hasPrefix("text/html") == true)
            #expect(try await reply(.huge(bytes: 50_000_000)).body.count == 50_000_000)
            let broken = try await reply(.invalidUTF8)
            #expect(broken.status == 200 && String(validating: broken.body, as: UTF8.self) == nil)
            for answer in [StandInFaults.TokenAnswer.repeatedMember, .truncated] {
                let body = try await reply(answer).body
                #expect(throws: (any Error).self) { try JSONObject(parsing: body) }
            }
            let refused = try await reply(.refused(status: 401, code: "invalid_client"))
            #expect(refused.status == 401 && refused.error == "invalid_client")
            let ok = try await reply(.errorWithStatusOK("x"))
            #expect(ok.status == 200 && ok.error == "x")
            let mac = try await reply(.member("token_type", "mac"))
            #expect(mac.json.string("token_type") == "mac" && mac.json["id_token"] != nil)
            let missing = try await reply(.member("access_token", nil))
            #expect(missing.json["access_token"] == nil && missing.json["id_token"] != nil)
        }
    }

    @Test("for E22: an ID Token can be wrong in each of its claims")
    func claims() async throws {
        try await Wire.run { wire in
            func claims(_ faults: [StandInFaults.IDTokenFault]) async throws -> JSONObject {
                wire.standIns.configure(.google) { $0.idToken = faults }
                let tokens = try await wire.tokens(.google)
                return try await wire.claims(tokens.string("id_token"), .google)
            }
            #expect(try await claims([.wrongNonce]).string("nonce") == "another-nonce")
            #expect(try await claims([.wrongAudience]).string("aud") == "another-client")
            #expect(try await claims([.withoutEmail])["email"] == nil)
            #expect(try await claims([.emailUnverified]).bool("email_verified") == false)
            #expect(try await claims([.withoutHostedDomain])["hd"] == nil)
            let legacy = try #require(wire.settings(.google).legacyIssuer)
            #expect(!legacy.contains("://"))
            #expect(try await claims([.claim("iss", .string(legacy))]).string("iss") == legacy)
            let expired = try await claims([.expired])
            #expect(expired.int64("exp") == wire.clock.seconds - 3600)
            wire.standIns.configure(.google) { $0.idToken = [.absent] }
            #expect(try await wire.tokens(.google)["id_token"] == nil)
        }
    }

    @Test("RFC 8725 §2.1: an ID Token can be unsigned, or signed with another key")
    func signatures() async throws {
        try await Wire.run { wire in
            let keys = try JWKSet(parsing: await wire.get(wire.settings(.google).keySetURI).body)
            let published = try #require(keys.keys.first)
            func token(_ fault: StandInFaults.IDTokenFault) async throws -> String {
                wire.standIns.configure(.google) { $0.idToken = [fault] }
                return try #require(await wire.tokens(.google).string("id_token"))
            }
            for (fault, algorithm) in [
                (StandInFaults.IDTokenFault.unsigned, "none"), (.symmetric, "HS256"),
            ] {
                let parts = try await token(fault)
                    .split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                let header = try JSONObject(parsing: #require(Base64URL.decode(parts[0])))
                #expect(header.string("alg") == algorithm && parts.count == 3)
                #expect(parts[2].isEmpty == (algorithm == "none"))
            }
            let unpublished = try await JWT(parsing: token(.unpublishedKey))
            #expect(unpublished.header.keyID != published.keyID)
            let forged = try await JWT(parsing: token(.forged))
            #expect(forged.header.keyID == published.keyID)
            #expect(throws: JOSEError.invalidSignature) {
                try forged.verified(by: keys.keys, allowing: [.rs256], types: [.jwt])
            }
        }
    }

    @Test("PRV-G-9: keys change without notice, the old one published or gone")
    func rotation() async throws {
        try await Wire.run { wire in
            let old = try await wire.tokens(.google).string("id_token")
            try wire.standIns.rotateKeys(at: .google)
            let new = try await wire.tokens(.google).string("id_token")
            _ = try await wire.claims(old, .google)
            _ = try await wire.claims(new, .google)
            try wire.standIns.rotateKeys(at: .google, keepingOld: false)
            await #expect(throws: JOSEError.unknownKey) { try await wire.claims(new, .google) }
            let reply = try await wire.get(wire.settings(.google).keySetURI)
            #expect(reply.headers[.cacheControl] == "public, max-age=3600")
            let others = try await wire.get(wire.settings(.apple).keySetURI)
            #expect(others.json.array("keys")?.count == 1 && others.body != reply.body)
        }
    }

    @Test("PRV-E-2: a stand-in can be down, in whole or in part, and the others are not")
    func down() async throws {
        try await Wire.run { wire in
            wire.standIns.configure(.google) { $0.isDown = true }
            #expect(try await wire.get(wire.address(.google)).status == 503)
            #expect(try await wire.get(wire.settings(.google).keySetURI).status == 503)
            #expect(try await wire.get(wire.settings(.openID).keySetURI).status == 200)
            wire.standIns.repair()
            wire.standIns.configure(.google) { $0.failing = [.token] }
            let code = try #require(await wire.answer(.google)["code"])
            #expect(try await wire.redeem(.google, code).status == 503)
            wire.standIns.repair()
            #expect(try await wire.redeem(.google, code).status == 200)
        }
    }

    @Test("discovery and profile can say something else")
    func documents() async throws {
        try await Wire.run { wire in
            wire.standIns.configure(.google) {
                $0.metadata = ["code_challenge_methods_supported": nil, "issuer": "https://x"]
                $0.profile = ["sub": "another"]
            }
            let base = wire.standIns.issuer(of: .google)
            let document = try await wire.get(base + "/.well-known/openid-configuration").json
            #expect(document.string("issuer") == "https://x")
            #expect(document["code_challenge_methods_supported"] == nil)
            let token = try #require(await wire.tokens(.google).string("access_token"))
            let address = try #require(wire.settings(.google).userInfoEndpoint)
            #expect(try await wire.get(address, bearer: token).json.string("sub") == "another")
            wire.standIns.configure(.google) { $0.refusesAccessTokens = true }
            #expect(try await wire.get(address, bearer: token).status == 401)
        }
    }

    @Test("what servers call can be slow; what the browser shows is not")
    func delay() async throws {
        try await Wire.run { wire in
            wire.standIns.configure(.google) { $0.delay = .seconds(3600) }
            #expect(try await wire.answer(.google)["code"] != nil)
            let address = try wire.settings(.google).keySetURI
            let call = Task { try await wire.get(address) }
            try await waitUntil("the call is there") {
                wire.standIns.log.count(.keys, at: .google) > 0
            }
            call.cancel()
            await #expect(throws: (any Error).self) { try await call.value }
        }
    }

    @Test("the log has what was asked, so that a test can say that nothing was")
    func log() async throws {
        try await Wire.run { wire in
            _ = try await wire.answer(.facebook)
            #expect(wire.standIns.log.serverCalls == 0)
            #expect(wire.standIns.log.count(.authorization, at: .facebook) == 1)
            _ = try await wire.tokens(.facebook)
            let entry = try #require(
                wire.standIns.log.requests(to: .token, at: .facebook).last
            )
            #expect(entry["code_verifier"] == Wire.verifier && entry.authentication == .post)
            #expect(wire.standIns.log.serverCalls == 1)
            #expect(wire.standIns.log.count(.token, at: .google) == 0)
            wire.standIns.log.clear()
            #expect(wire.standIns.log.all.isEmpty)
        }
    }

    @Test("a native identity token has the claims and the faults that it is asked for")
    func identityToken() async throws {
        try await Wire.run { wire in
            for kind in StandInKind.allCases {
                let token = try wire.standIns.identityToken(
                    of: .ann,
                    at: kind,
                    audience: "com.example.app",
                    nonce: "hash",
                    changes: ["iat": 1_700_000_000]
                )
                let claims = try await wire.claims(token, kind)
                #expect(claims.string("aud") == "com.example.app")
                #expect(claims.string("nonce") == "hash")
                #expect(claims.int64("iat") == 1_700_000_000)
                #expect(claims.string("sub") == wire.standIns.subject(of: .ann, at: kind))
                #expect(claims.string("email") == "ann@example.com")
            }
        }
    }
}
