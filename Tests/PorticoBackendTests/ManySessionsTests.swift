import HTTPTypes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

@Suite("Very many sessions of one account") struct ManySessionsTests {
    @Test("WEB-SESS-7: a hundred sessions are shown at most, and this one is among them")
    func shown() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ann)
        // All others are seen after it.
        server.clock.advance(by: 60)
        for _ in 0..<110 { _ = try await TestVisitor(server).signIn("google", as: .ann) }
        for path in ["/v1/account/sessions", "/v1/account"] {
            let sessions = try await visitor.program(.get, path).json.array("sessions") ?? []
            #expect(sessions.count == 100)
            #expect(sessions.count { $0.object?.bool("current") == true } == 1)
        }
        let page = try await visitor.open("/account/devices")
        #expect(page.reply.text.contains("id=\"device-100\""))
        #expect(!page.reply.text.contains("id=\"device-101\""))
        let done = try await visitor.submit(
            page,
            to: "/account/devices",
            [("action", "end-others")]
        )
        #expect(done.path == "/account/devices?done=others")
        let left = try await visitor.program(.get, "/v1/account/sessions").json.array("sessions")
        #expect(left?.count == 1)
    }
}
