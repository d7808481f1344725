import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// A method that is removed gives back what its provider gave us (PRV-A-19, OIDCRPL-6-3).
@Suite("What removing a sign-in method gives back") struct UnlinkedTokenTests {
    @Test(
        "OIDCRPL-6-3: an unlinked method's token is revoked at its provider, and that of no other",
        arguments: ["program", "page"]
    )
    func revoked(_ way: String) async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("keycloak", as: .ann)
        try await server.proveSessions()
        let begun = try await visitor.program(.post, "/v1/account/link/google")
        let address = try #require(begun.json.string("authorizationUrl"))
        let page = try await visitor.open(address)
        _ = try await visitor.choose(.ben, at: page, "google")
        let token = try #require(try await server.openedToken(at: "google"))
        try await server.proveSessions()
        if way == "program" {
            let done = try await visitor.program(.delete, "/v1/account/unlink/google")
            #expect(done.status == 200)
        } else {
            let ways = try await visitor.open("/account/ways")
            _ = try await visitor.submit(
                ways,
                to: "/account/ways",
                [("action", "remove"), ("id", "google")]
            )
        }
        let asked = server.standIns.log.requests(to: .revocation, at: .google)
        #expect(asked.count == 1 && asked.first?["token"] == token)
        #expect(server.standIns.log.count(.revocation, at: .openID) == 0)
    }
}
