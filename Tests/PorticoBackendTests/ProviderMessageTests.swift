import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("What providers' messages are about") struct ProviderMessageTests {
    private static let notifications = "/v1/auth/apple/notifications"
    private static let deletion = "/v1/auth/facebook/data-deletion"

    private static func notify(
        _ event: ScriptedStandIns.AppleEvent,
        to audience: String? = nil,
        _ server: BackendUnderTest
    ) async throws -> Reply {
        let changes: [String: JSONValue?] = audience.map { ["aud": .string($0)] } ?? [:]
        let payload = try #require(
            try server.standIns.appleNotification(event, about: .ann, changes: changes)
        )
        return try await server.post(Self.notifications, [("payload", payload)])
    }

    @Test("PRV-A-20: a notification to an app's id is accepted, one to a foreign id is not")
    func audience() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("apple", as: .ann)
        let other = try await Self.notify(.consentRevoked, to: "com.example.other", server)
        #expect(other.status == 401)
        #expect(try await visitor.session().status == 200)
        let ours = try await Self.notify(.consentRevoked, to: "com.example.notes", server)
        #expect(ours.status == 200)
        #expect(try await visitor.session().status == 401)
    }

    @Test(
        "PRV-A-20, PRV-F-14: a deletion removes the people of that time, and no one who came since"
    )
    func late() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
        let server = try await BackendUnderTest()
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
        let server = try await BackendUnderTest()
        let token = try server.standIns.logoutToken(about: .ann, sessionID: nil)
        let fields = [("logout_token", try #require(token))]
        let path = "/v1/auth/keycloak/backchannel-logout"
        #expect(try await server.post(path, fields).status == 200)
        for _ in 1...60 { #expect(try await server.post(path, fields).status == 400) }
        #expect(try await server.post(path, fields).status == 429)
    }

    @Test("All messages count when a provider signs many people out at once")
    func many() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
