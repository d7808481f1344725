import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoKeycloak

/// What counts against people who try passwords, and how it is forgotten.
@Suite("Tried passwords by the administration") struct AdminBruteForceTests {
    private static let base = "/attack-detection/brute-force/users"
    private static let ann = "\(base)/\(AdminUnderTest.annID)"
    private static let chief = "\(base)/\(AdminUnderTest.chiefID)"

    /// How the page answers a try: whether the password was looked at.
    private func tries(_ name: String, _ password: String, _ admin: AdminUnderTest) async throws
        -> Reply
    {
        let browser = TestBrowser(admin.server)
        let page = try await browser.get(
            "/realms/acme/protocol/openid-connect/auth?client_id=web&response_type=code"
                + "&redirect_uri=https%3A%2F%2Fweb.example%2Fcb&scope=openid"
                + "&code_challenge=\(TestFlow.challenge)&code_challenge_method=S256"
        )
        return try await browser.submit(page, [("username", name), ("password", password)])
    }

    @Test("KC-A-2: wrong passwords are counted, and forgotten where an administrator says so")
    func forget() async throws {
        let admin = try await AdminUnderTest(["manage-users"])
        let token = try await admin.token("manage-users")
        let none = try await admin.send(.get, Self.ann, by: token)
        #expect(none.json.int64("numFailures") == 0 && none.json.bool("disabled") == false)
        #expect(none.json.int64("lastFailure") == 0)
        for _ in 1...6 { _ = try await tries("ann", "wrong one", admin) }
        let many = try await admin.send(.get, Self.ann, by: token).json
        #expect(many.int64("numFailures") == 5)
        #expect(many.int64("lastFailure") == admin.server.clock.seconds * 1000)
        let held = try await tries("ann", AdminUnderTest.password, admin)
        #expect(held.status == 429)
        #expect(try await admin.send(.delete, Self.ann, by: token).status == 204)
        let after = try await admin.send(.get, Self.ann, by: token).json
        #expect(after.int64("numFailures") == 0)
        let free = try await tries("ann", AdminUnderTest.password, admin)
        #expect(free.status == 303)
        // Those of others stay.
        let unknown = "\(Self.base)/nobody"
        #expect(try await admin.send(.get, unknown, by: token).status == 404)
    }

    @Test("attack: with few rights no one makes tries at someone's with more rights free")
    func rights() async throws {
        let admin = try await AdminUnderTest(["manage-users", "view-users", "realm-admin"])
        let helper = try await admin.token("manage-users")
        let viewer = try await admin.token("view-users")
        for _ in 1...6 { _ = try await tries("chief", "wrong one", admin) }
        #expect(try await admin.send(.delete, Self.chief, by: helper).status == 403)
        #expect(try await admin.send(.delete, Self.base, by: helper).status == 403)
        #expect(try await admin.send(.delete, Self.ann, by: viewer).status == 403)
        #expect(try await tries("chief", AdminUnderTest.password, admin).status == 429)
        let root = try await admin.token("realm-admin")
        #expect(try await admin.send(.delete, Self.base, by: root).status == 204)
        #expect(try await tries("chief", AdminUnderTest.password, admin).status == 303)
    }
}
