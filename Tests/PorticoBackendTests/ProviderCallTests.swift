import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("What providers tell the BFF") struct ProviderCallTests {
    private static let path = "/v1/auth/keycloak/backchannel-logout"

    private static func logout(_ token: String?, _ server: BackendUnderTest) async throws -> Reply {
        try await server.post(path, token.map { [("logout_token", $0)] } ?? [])
    }

    @Test(
        "OIDCBCL-2.7-1, OIDCBCL-2.8-1: a logout token ends the sessions that its person began, at once"
    )
    func logout() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("keycloak", as: .ann)
        let other = TestVisitor(server)
        _ = try await other.signIn("keycloak", as: .ben)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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

    @Test("OIDCBCL-2.6-7: somebody without a session here changes nothing, and it is 200")
    func unknown() async throws {
        let server = try await BackendUnderTest()
        let token = try server.standIns.logoutToken(about: .layla, sessionID: "nobody")
        #expect(try await Self.logout(token, server).status == 200)
    }

    @Test("PRV-A-20: Apple's notice that consent is gone ends the sessions; a forged one is 401")
    func appleNotice() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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

    @Test("PRV-F-14: Facebook's signed requests; a forged one changes nothing")
    func facebook() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
}
