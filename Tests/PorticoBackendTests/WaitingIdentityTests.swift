import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// Someone comes back from a provider, is asked whether they have an account, and walks away.
@Suite("An identity that waits in a browser for a decision") struct WaitingIdentityTests {
    private static let name = "__Host-pending"

    /// Rea, whose address Apple hides, so that it may join any account, is asked.
    private static func asked(_ visitor: TestVisitor) async throws -> TestVisitor.Visited {
        let asked = try await visitor.signIn("apple", as: .rea)
        #expect(asked.path == "/login/account")
        #expect(visitor.cookies[name] != nil)
        return asked
    }

    /// Nothing that the page of before offers is done, and Rea's identity is nobody's.
    private static func expectOver(
        _ asked: TestVisitor.Visited,
        _ visitor: TestVisitor,
        _ server: BackendUnderTest
    ) async throws {
        #expect(visitor.cookies[name] == nil)
        let before = try await server.accounts().count
        let session = visitor.cookies["__Host-session"]
        for action in ["add", "create", "separate", "link"] {
            let sent = try await visitor.submit(asked, [("action", action)])
            #expect(sent.path != "/onboarding", "\(action)")
        }
        #expect(try await server.accounts().count == before)
        #expect(visitor.cookies["__Host-session"] == session)
        let home = try await TestVisitor(server).signIn("apple", as: .rea)
        #expect(home.path == "/login/account", "she has no account, and is asked")
    }

    @Test(
        "decision 0091: what a person has proven waits for no one who signs in after them",
        arguments: ["google", "handle"]
    )
    func nextPerson(_ way: String) async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let asked = try await Self.asked(visitor)
        if way == "google" {
            _ = try await visitor.signIn("google", as: .layla)
        } else {
            _ = try await visitor.byHandle(.bob, at: server)
        }
        // She proves herself, for whatever reason: nothing offers her Rea's identity.
        try await server.proveSessions()
        let user = try await server.user(of: visitor)
        try await Self.expectOver(asked, visitor, server)
        #expect(try await server.user(of: visitor).string("id") == user.string("id"))
        #expect(try await server.user(of: visitor).strings("providers")?.count == 1)
    }

    /// How a browser is signed out.
    enum Way: CaseIterable, Sendable {
        case page, program
        /// No one is signed in, and the page says so.
        case nobody
    }

    @Test(
        "decision 0091: what a person has proven ends with a sign-out in the browser",
        arguments: Way.allCases
    )
    func signOut(_ way: Way) async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .layla)
        let asked = try await Self.asked(visitor)
        switch way {
        case .page:
            let page = try await visitor.open("/logout")
            _ = try await visitor.submit(page, to: "/logout", [("action", "here")])
        case .program:
            #expect(try await visitor.program(.post, "/v1/auth/logout").status == 200)
        case .nobody:
            visitor.cookies["__Host-session"] = nil
            _ = try await visitor.open("/logout")
        }
        #expect(visitor.cookies["__Host-session"] == nil)
        try await Self.expectOver(asked, visitor, server)
        #expect(try await visitor.session().status == 401)
    }

    @Test("decision 0030: it waits for the sign-in that its page asks for, which says whose it is")
    func proving() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .layla)
        let visitor = TestVisitor(server)
        let asked = try await Self.asked(visitor)
        let choice = try await visitor.submit(asked, [("action", "link")])
        #expect(choice.path.hasPrefix("/login?return_to="))
        let proof = "/account/confirm?for=adding&return_to=%2Flogin%2Faccount"
        let back = try await visitor.signIn("google", as: .layla, [("return_to", proof)])
        #expect(back.path.hasPrefix("/account/confirm?for=adding"))
        #expect(visitor.cookies[Self.name] != nil)
        let page = try await visitor.proveByCode(back, at: server)
        #expect(page.path == "/login/account")
        // Her account is named, and who was signed in at Apple, who may be another: not in full.
        #expect(page.reply.text.contains("layla@example.com"))
        #expect(page.reply.text.contains("Rea Relay (") && page.reply.text.contains("…@"))
        let added = try await visitor.submit(page, [("action", "add")])
        #expect(added.reply.status == 200 && visitor.cookies[Self.name] == nil)
        #expect(try await server.user(of: visitor).strings("providers") == ["google", "apple"])
    }
}
