import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("A provider's tokens that are not right") struct RefusedTokenTests {
    @Test(
        "RFC 9700 §4.5.3.2: nothing of an answer counts whose ID Token is another's, or no one's",
        arguments: [
            StandInFaults.IDTokenFault.wrongNonce, .unsigned, .forged, .symmetric, .unpublishedKey,
        ]
    )
    func nothingCounts(_ fault: StandInFaults.IDTokenFault) async throws {
        let server = try await BackendUnderTest()
        server.standIns.configure(.openID) { $0.idToken = [fault] }
        let before = try server.keptRows()
        let visitor = TestVisitor(server)
        let refused = try await visitor.signIn("keycloak", as: .ann)
        #expect(refused.path.hasPrefix("/login?error="))
        #expect(visitor.cookies["__Host-session"] == nil)
        #expect(try await visitor.session().status == 401)
        // No row, not even one that a refresh token is kept in; and no one was asked with a token.
        #expect(try server.keptRows() == before)
        #expect(try await server.accounts().isEmpty)
        #expect(server.standIns.log.requests(to: .userInfo, at: .openID).isEmpty)
        for text in [refused.reply.text, server.log] { #expect(!text.contains("eyJ")) }
    }
}
