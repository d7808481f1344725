import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend

/// Proving again who one is, for people who have nothing but an internet handle.
@Suite struct HandleProofTests {
    /// Ann, who signed in by handle more than ten minutes ago, and nothing else.
    private static func ann(
        _ server: BackendUnderTest,
        _ query: [(name: String, value: String)] = []
    ) async throws -> TestVisitor {
        let visitor = TestVisitor(server)
        _ = try await visitor.byHandle(.ann, at: server, query)
        server.clock.advance(by: 601)
        return visitor
    }

    /// Presses "Internet handle", and goes on at the host that the next page names, where `person`
    /// says yes.
    private static func prove(
        _ visitor: TestVisitor,
        on page: TestVisitor.Visited,
        as person: TestHosts.Person = .ann,
        at server: BackendUnderTest
    ) async throws -> TestVisitor.Visited {
        server.hosts.forgetRequests()
        let shown = try await visitor.press(("way", "atproto"), on: page)
        #expect(shown.reply.status == 200)
        #expect(shown.reply.text.contains("pds.example.com"))
        let link = try #require(
            shown.reply.text.firstMatch(of: /href="(\/login\?handle=[^"]*)"/)
        )
        let path = String(link.1).replacing("&amp;", with: "&")
        let begun = try await visitor.request(path, from: shown.url)
        #expect(begun.status == 302)
        // For the account's own DID, and by a new sign-in.
        let pushed = try #require(server.hosts.asked.last { $0.path == "/oauth/par" })
        #expect(pushed.form["login_hint"] == TestHosts.Person.ann.did)
        #expect(pushed.form["prompt"] == "login")
        let answer = try server.hosts.approve(begun.location, as: person)
        return try await visitor.open(answer)
    }

    @Test(
        "WEB-SESS-8: ten minutes later an account by handle is asked to sign in by handle, and can then be deleted"
    )
    func deleting() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = try await Self.ann(server)
        let page = try await visitor.open("/account/delete")
        let asked = try await visitor.press("delete", on: page, [("sure", "1")])
        #expect(asked.path.hasPrefix("/account/confirm?for=deleting"))
        #expect(try await server.accounts().count == 1)
        let before = try #require(visitor.cookies["__Host-session"])
        let back = try await Self.prove(visitor, on: asked, at: server)
        #expect(back.path == "/account/delete")
        #expect(visitor.cookies["__Host-session"] != before)
        #expect(try await server.accounts().count == 1)
        _ = try await visitor.press("delete", on: back, [("sure", "1")])
        #expect(try await server.accounts().isEmpty)
    }

    @Test("WEB-SESS-8: the same for another way to sign in, and for an address")
    func adding() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = try await Self.ann(server)
        let details = try await visitor.open("/account/details")
        let typed = [("name", "Ann"), ("email", "ann@example.net")]
        let address = try await visitor.press("save", on: details, typed)
        #expect(address.path.hasPrefix("/account/confirm?for=changing-email"))
        let buttons = HTMLForm.all(in: address.reply.text).flatMap(\.buttons)
        #expect(buttons.contains { $0.name == "way" && $0.value == "atproto" })
        let ways = try await visitor.open("/account/ways")
        let asked = try await visitor.press(("way", "google"), on: ways)
        #expect(asked.path.hasPrefix("/account/confirm?for=adding"))
        let back = try await Self.prove(visitor, on: asked, at: server)
        #expect(back.path == "/account/ways")
        let google = try await visitor.press(("way", "google"), on: back)
        _ = try await visitor.choose(.ben, at: google, "google")
        #expect(try await server.user(of: visitor).strings("providers") == ["atproto", "google"])
    }

    @Test(
        "The session that proves it lasts as long as the one before was to",
        arguments: [true, false]
    )
    func lasting(_ isRemembered: Bool) async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = try await Self.ann(server, isRemembered ? [] : [("platform", "web")])
        let asked = try await visitor.open("/account/confirm?for=adding&return_to=/account/ways")
        _ = try await Self.prove(visitor, on: asked, at: server)
        let seal = try #require(visitor.cookies["sid"])
        let session = try #require(try await server.handleSession(ofSeal: seal)).live.session
        #expect(session.idleSeconds == (isRemembered ? SidCookie.lifetime : SessionCookies.plain))
    }

    @Test("WEB-SESS-8: who signs in there as somebody else proves nothing, and the session stays")
    func otherPerson() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = try await Self.ann(server)
        let asked = try await visitor.open(
            "/account/confirm?for=deleting&return_to=/account/delete"
        )
        let back = try await Self.prove(visitor, on: asked, as: .cat, at: server)
        #expect(back.path.hasPrefix("/oauth/callback"))
        #expect(try await server.user(of: visitor).string("name") == "ann.example.com")
        let page = try await visitor.open("/account/delete")
        let again = try await visitor.press("delete", on: page, [("sure", "1")])
        #expect(again.path.hasPrefix("/account/confirm?for=deleting"))
        #expect(try await server.accounts().count == 1)
    }

    @Test(
        "WEB-SESS-8: where the account has an address, a code proves it, and a sign-in by handle does not"
    )
    func address() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        _ = try await visitor.byHandle(.ann, at: server)
        try await Self.add("ann@example.net", visitor, server)
        server.clock.advance(by: 601)
        let asked = try await visitor.open("/account/confirm?for=adding&return_to=/account/ways")
        let buttons = HTMLForm.all(in: asked.reply.text).flatMap(\.buttons)
        #expect(!buttons.contains { $0.name == "way" })
        #expect(try await visitor.proveByCode(asked, at: server).path == "/account/ways")
    }

    @Test(
        "Decision 0030: the button of an account that was found by its address leads to the page for handles"
    )
    func found() async throws {
        let server = try await BackendUnderTest.withHandles()
        let owner = TestVisitor(server)
        _ = try await owner.byHandle(.ann, at: server)
        try await Self.add("ben@example.org", owner, server)
        let visitor = TestVisitor(server)
        let found = try await visitor.signIn("google", as: .ben)
        #expect(found.path == "/login/account")
        let page = try await visitor.press(("way", "atproto"), on: found)
        #expect(page.path.hasPrefix("/mobile-auth?"))
        // Whose account it is, is not told to who only has the address.
        #expect(!page.reply.text.contains("ann.example.com"))
        #expect(!page.reply.text.contains(TestHosts.Person.ann.did))
    }

    /// Adds a confirmed address to the account.
    private static func add(
        _ address: String,
        _ visitor: TestVisitor,
        _ server: BackendUnderTest
    ) async throws {
        let asked = try await visitor.program(.post, "/v1/account/email", [("email", address)])
        #expect(asked.status == 200)
        let code = try #require(try await server.mailedCode())
        let path = "/v1/account/email/confirm"
        let done = try await visitor.program(.post, path, [("code", code)])
        #expect(done.status == 200)
    }
}
