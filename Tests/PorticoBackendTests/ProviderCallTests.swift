import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What providers tell the BFF") struct ProviderCallTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    private static let path = "/v1/auth/keycloak/backchannel-logout"

    private static func logout(_ token: String?, _ server: BackendUnderTest) async throws -> Reply {
        try await server.post(path, token.map { [("logout_token", $0)] } ?? [])
    }

    @Test("OIDCBCL-2.6-6, OIDCBCL-2.7-1: a logout token ends its person's sessions, once")
    func logout() async throws {
        _ = try await visitor.signIn("keycloak", as: .ann)
        let other = try await server.signedIn("keycloak", as: .ben)
        let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        let reply = try await Self.logout(token, server)
        #expect(reply.status == 200)
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(try await visitor.session().status == 401)
        #expect(try await other.session().status == 200)
        // OIDCBCL-2.6-6: the same token again is refused.
        #expect(try await Self.logout(token, server).status == 400)
    }

    @Test("attack E31: a logout token that is wrong in one respect ends nothing", arguments: 0..<11)
    func refused(_ number: Int) async throws {
        _ = try await visitor.signIn("keycloak", as: .ann)
        let standIns = server.standIns
        let token: String? =
            switch number {
            case 0: try standIns.logoutToken(about: .ann, sessionID: nil, changes: ["nonce": "n"])
            case 1: try standIns.logoutToken(about: .ann, sessionID: nil, changes: ["events": nil])
            case 2: try standIns.logoutToken(about: .ann, sessionID: nil, changes: ["events": "x"])
            case 3: try standIns.logoutToken(about: .ann, sessionID: nil, changes: ["aud": "other"])
            case 4:
                try standIns.logoutToken(
                    about: .ann,
                    sessionID: nil,
                    changes: ["iss": "https://evil.example"]
                )
            case 5: try standIns.logoutToken(about: .ann, sessionID: nil, type: .accessToken)
            case 6: try standIns.logoutToken(about: .ann, sessionID: nil, changes: ["exp": 1])
            case 7: try standIns.logoutToken(about: nil, sessionID: nil)
            case 8: try standIns.identityToken(of: .ann, at: .openID, nonce: nil)
            case 9: String(repeating: "e", count: 70_000)
            default: nil
            }
        let reply = try await Self.logout(token, server)
        #expect(reply.status == 400 || number == 9 && reply.status == 413)
        #expect(try await visitor.session().status == 200)
    }

    @Test("OIDCBCL-2.6-7: a person without a session here changes nothing, and it is 200")
    func unknown() async throws {
        let token = try server.standIns.logoutToken(about: .layla, sessionID: "nobody")
        #expect(try await Self.logout(token, server).status == 200)
    }

    @Test("PRV-A-20: Apple's notice that consent is gone ends the sessions; a forged one is 401")
    func appleNotice() async throws {
        _ = try await visitor.signIn("apple", as: .ann)
        let forged = try await server.post("/v1/auth/apple/notifications", [("payload", "a.b.c")])
        #expect(forged.status == 401)
        #expect(try await visitor.session().status == 200)
        let payload = try #require(
            try server.standIns.appleNotification(.consentRevoked, about: .ann)
        )
        let reply = try await server.post("/v1/auth/apple/notifications", [("payload", payload)])
        #expect(reply.status == 200)
        #expect(try await visitor.session().status == 401)
        #expect(try await server.accounts().count == 1)
    }

    @Test("PRV-A-20: a notice that comes again ends no session that began after it")
    func noticeAgain() async throws {
        _ = try await visitor.signIn("apple", as: .ann)
        let payload = try #require(
            try server.standIns.appleNotification(.consentRevoked, about: .ann)
        )
        let notice = [("payload", payload)]
        let path = "/v1/auth/apple/notifications"
        #expect(try await server.post(path, notice).status == 200)
        #expect(try await visitor.session().status == 401)
        server.clock.advance(by: 10)
        _ = try await visitor.signIn("apple", as: .ann)
        #expect(try await server.post(path, notice).status == 200)
        #expect(try await visitor.session().status == 200)
        #expect(server.log.contains("event=sign_out.provider"))
    }

    @Test("OIDCBCL-2.6-1: while keys cannot be fetched, no message counts as a wrong one")
    func keysDown() async throws {
        _ = try await visitor.signIn("keycloak", as: .ann)
        // The keys that are known grow old.
        server.clock.advance(by: 90_000)
        _ = try await visitor.signIn("google", as: .ben)
        server.standIns.configure(.openID) { $0.isDown = true }
        for _ in 0..<61 {
            let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
            #expect(try await Self.logout(token, server).status == 400)
        }
        #expect(server.log.contains("event=logout_token.refused"))
        server.standIns.repair()
        server.clock.advance(by: 60)
        let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        #expect(try await Self.logout(token, server).status == 200)
    }

    @Test("PRV-F-14: Facebook's signed requests; a forged one changes nothing")
    func facebook() async throws {
        _ = try await visitor.signIn("facebook", as: .paul)
        let signed = try #require(server.standIns.signedRequest(about: .paul))
        let forged = "AAAA" + signed.dropFirst(4)
        for path in ["/v1/auth/facebook/deauthorize", "/v1/auth/facebook/data-deletion"] {
            let reply = try await server.post(path, [("signed_request", forged)])
            #expect(reply.status == 400)
        }
        #expect(try await visitor.session().status == 200)
        let reply = try await server.post(
            "/v1/auth/facebook/deauthorize",
            [("signed_request", signed)]
        )
        #expect(reply.status == 200)
        #expect(try await visitor.session().status == 401)
        let deleted = try await server.post(
            "/v1/auth/facebook/data-deletion",
            [("signed_request", signed)]
        )
        #expect(deleted.json.string("confirmation_code") != nil)
        #expect(try await server.accounts().isEmpty)
    }

    @Test("OIDCBCL-2.7-1: by sid one browser's session ends, by sub all that the identity began")
    func bySession() async throws {
        let one = TestVisitor(server)
        let two = TestVisitor(server)
        let elsewhere = TestVisitor(server)
        for visitor in [one, two] { _ = try await visitor.signIn("keycloak", as: .ann) }
        _ = try await elsewhere.signIn("google", as: .ben)
        let account = try #require(
            try await server.accounts().first { $0.email == "ann@example.com" }
        )
        let sessions = try await server.database.sessions.sessions(
            of: account.id,
            realmID: account.realmID,
            at: server.clock.seconds,
            idle: 1800,
            limit: 10
        )
        let id = try #require(try await one.session().json.object("session")?.string("id"))
        let sid = try #require(sessions.first { $0.id == id }?.providerSessionID)
        let bySid = try server.standIns.logoutToken(about: nil, sessionID: sid)
        #expect(try await Self.logout(bySid, server).status == 200)
        #expect(try await one.session().status == 401)
        #expect(try await two.session().status == 200)
        let bySubject = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        #expect(try await Self.logout(bySubject, server).status == 200)
        #expect(try await two.session().status == 401)
        #expect(try await elsewhere.session().status == 200)
    }

    @Test("OIDCBCL-2.7-2: the tokens of an app's session go with it, and so does a waiting code")
    func app() async throws {
        let app = TestApp()
        let tokens = try await app.redeem(
            try await app.code(at: server, from: "keycloak"),
            at: server
        )
        let refresh = try #require(tokens.json.string("refresh_token"))
        let session = try #require(tokens.json.string("session_token"))
        let waiting = try await app.code(at: server, from: "keycloak")
        let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        #expect(try await Self.logout(token, server).status == 200)
        let refused = try await server.post("/v1/auth/refresh", [("refresh_token", refresh)])
        #expect(refused.json.string("error") == "invalid_grant")
        let checked = try await server.session(of: session)
        #expect(checked.status == 401)
        #expect(try await app.redeem(waiting, at: server).status == 400)
    }

    @Test("OIDCBCL-X-1: the cookie from before the logout is refused after it")
    func sealedBefore() async throws {
        _ = try await visitor.signIn("keycloak", as: .ann)
        let kept = visitor.cookies
        let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        _ = try await Self.logout(token, server)
        visitor.cookies = kept
        let reply = try await visitor.session()
        #expect(reply.status == 401)
        #expect(reply.json.string("reason") == "SESSION_EXPIRED")
        #expect(try await visitor.open("/dashboard").path.hasPrefix("/login"))
    }

    @Test("OIDCBCL-2.8-1, OIDCBCL-2.8-2: a refusal is 400 with a JSON error, and never cached")
    func answers() async throws {
        for token in ["a.b.c", nil] {
            let reply = try await Self.logout(token, server)
            #expect(reply.refusal == "400 invalid_request")
            #expect(reply.json.string("message") != nil)
            #expect(reply.headers[.cacheControl] == "no-store")
        }
        let unknown = try await server.post("/v1/auth/nobody/backchannel-logout", [])
        #expect(unknown.status == 404)
    }

    @Test(
        "OIDCBCL-4-1, attack E31: no cookie is needed, and no megabyte is read: 413",
        arguments: [
            "keycloak/backchannel-logout", "facebook/deauthorize", "facebook/data-deletion",
        ]
    )
    func size(_ path: String) async throws {
        let huge = String(repeating: "e", count: 1_000_000)
        let reply = try await server.post(
            "/v1/auth/\(path)",
            [("logout_token", huge), ("signed_request", huge)]
        )
        #expect(reply.status == 413)
    }

    @Test("attack E31: alg none, and a signature that is none of the issuer's, end nothing")
    func unsigned() async throws {
        _ = try await visitor.signIn("keycloak", as: .ann)
        for fault in [StandInFaults.IDTokenFault.unsigned, .symmetric, .unpublishedKey, .forged] {
            server.standIns.configure(.openID) { $0.idToken = [fault] }
            let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
            #expect(try await Self.logout(token, server).status == 400)
        }
        #expect(try await visitor.session().status == 200)
        server.standIns.repair()
        let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        #expect(try await Self.logout(token, server).status == 200)
    }

    @Test("PRV-F-14: a signed request of another day, or of another algorithm, is refused")
    func oldRequest() async throws {
        _ = try await visitor.signIn("facebook", as: .paul)
        let old = try #require(server.standIns.signedRequest(about: .paul))
        let other = try #require(
            server.standIns.signedRequest(about: .paul, algorithm: "HMAC-SHA1")
        )
        server.clock.advance(by: 86_401)
        _ = try await visitor.signIn("facebook", as: .paul)
        for request in [old, other] {
            for path in ["deauthorize", "data-deletion"] {
                let reply = try await server.post(
                    "/v1/auth/facebook/\(path)",
                    [("signed_request", request)]
                )
                #expect(reply.status == 400)
            }
        }
        #expect(try await visitor.session().status == 200)
        #expect(try await server.accounts().count == 1)
    }

    @Test("PRV-A-20: an Apple Account that is gone takes its identity along, and the account")
    func appleDeleted() async throws {
        _ = try await visitor.signIn("apple", as: .rea)
        let page = try await visitor.open("/login/account")
        _ = try await visitor.submit(page, [("action", "create")])
        #expect(try await server.accounts().count == 1)
        for event in [ScriptedStandIns.AppleEvent.emailDisabled, .emailEnabled, .accountDelete] {
            let payload = try #require(try server.standIns.appleNotification(event, about: .rea))
            let reply = try await server.post(
                "/v1/auth/apple/notifications",
                [("payload", payload)]
            )
            #expect(reply.status == 200)
            #expect(try await server.accounts().isEmpty == (event == .accountDelete))
        }
        #expect(try await visitor.session().status == 401)
    }
}

@Suite("What providers' messages are about") struct ProviderMessageTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    private static let notifications = "/v1/auth/apple/notifications"
    private static let deletion = "/v1/auth/facebook/data-deletion"

    private func notify(
        _ event: ScriptedStandIns.AppleEvent,
        to audience: String? = nil
    ) async throws -> Reply {
        let changes: [String: JSONValue?] = audience.map { ["aud": .string($0)] } ?? [:]
        let payload = try #require(
            try server.standIns.appleNotification(event, about: .ann, changes: changes)
        )
        return try await server.post(Self.notifications, [("payload", payload)])
    }

    @Test("PRV-A-20: a notification to an app's id is accepted, one to a foreign id is not")
    func audience() async throws {
        _ = try await visitor.signIn("apple", as: .ann)
        let other = try await notify(.consentRevoked, to: "com.example.other")
        #expect(other.status == 401)
        #expect(try await visitor.session().status == 200)
        let ours = try await notify(.consentRevoked, to: "com.example.notes")
        #expect(ours.status == 200)
        #expect(try await visitor.session().status == 401)
    }

    @Test("PRV-A-20, PRV-F-14: a deletion removes the people of then, and no one since")
    func late() async throws {
        _ = try await visitor.signIn("facebook", as: .paul)
        let request = try #require(server.standIns.signedRequest(about: .paul))
        for isAgain in [false, true] {
            let reply = try await server.post(Self.deletion, [("signed_request", request)])
            #expect(reply.status == 200)
            #expect(try await server.accounts().isEmpty != isAgain)
            server.clock.advance(by: 60)
            _ = try await visitor.signIn("facebook", as: .paul)
            #expect(try await visitor.session().status == 200)
        }
        _ = try await visitor.signIn("apple", as: .ann)
        let payload = try #require(
            try server.standIns.appleNotification(.accountDelete, about: .ann)
        )
        for isAgain in [false, true] {
            let reply = try await server.post(Self.notifications, [("payload", payload)])
            #expect(reply.status == 200)
            #expect((try await server.accounts().count == 1) != isAgain)
            server.clock.advance(by: 60)
            _ = try await visitor.signIn("apple", as: .ann)
            #expect(try await visitor.session().status == 200)
        }
    }

    @Test(
        "PRV-F-14: a signed request of a time that is none is refused",
        arguments: [Int64.min, Int64.max, 0]
    )
    func times(_ issuedAt: Int64) async throws {
        _ = try await TestVisitor(server).signIn("facebook", as: .paul)
        let request = server.standIns.signedRequest(about: .paul, issuedAt: issuedAt)
        for path in [Self.deletion, "/v1/auth/facebook/deauthorize"] {
            let reply = try await server.post(path, [("signed_request", try #require(request))])
            #expect(reply.status == 400)
        }
        #expect(try await server.accounts().count == 1)
    }

    @Test("A logout token that comes again and again is a refusal that counts")
    func replays() async throws {
        let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        let fields = [("logout_token", try #require(token))]
        let path = "/v1/auth/keycloak/backchannel-logout"
        #expect(try await server.post(path, fields).status == 200)
        for _ in 1...60 { #expect(try await server.post(path, fields).status == 400) }
        #expect(try await server.post(path, fields).status == 429)
    }

    @Test("All messages count when a provider signs many people out at once")
    func many() async throws {
        _ = try await visitor.signIn("keycloak", as: .ann)
        for number in 1...100 {
            let about = number == 100 ? StandInPerson.ann : nil
            let token = try server.standIns.logoutToken(
                about: about,
                sessionID: about == nil ? "session-\(number)" : nil
            )
            let reply = try await server.post(
                "/v1/auth/keycloak/backchannel-logout",
                [("logout_token", try #require(token))]
            )
            #expect(reply.status == 200)
        }
        #expect(try await visitor.session().status == 401)
    }
}
