import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// What two clicks do: the second form goes out with the cookies of the first.
@Suite("Forms of the backend's pages that are sent twice") struct RepeatedPageFormTests {
    private func twin(_ visitor: TestVisitor, _ server: BackendUnderTest) -> TestVisitor {
        let twin = TestVisitor(server)
        twin.cookies = visitor.cookies
        return twin
    }

    @Test(
        "decision 0104: a code and the addition that it proves, each sent twice, go on both times"
    )
    func addition() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ann)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let found = try await visitor.signIn("keycloak", as: .ann)
        #expect(found.path == "/login/account")
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        #expect(asked.path.hasPrefix("/account/confirm/code?for=adding"))
        var early = twin(visitor, server)
        let code = ("code", try #require(try await server.mailedCode()))
        let form = [("action", "confirm"), code]
        let again = try await visitor.submit(asked, form)
        #expect(again.path == "/login/account")
        let stranger = TestVisitor(server)
        _ = try await stranger.open("/login")
        #expect(try await stranger.submit(asked, form).reply.status == 403)
        #expect(stranger.cookies["__Host-session"] == nil)
        #expect(try await early.submit(asked, form).path == "/login/account")
        #expect(early.cookies["__Host-session"] == visitor.cookies["__Host-session"])

        early = twin(visitor, server)
        for browser in [visitor, early] {
            let added = try await browser.submit(again, [("action", "add")])
            #expect(added.reply.status == 200, "\(added.path)")
            let providers = try await server.user(of: browser).strings("providers")
            #expect(providers == ["google", "keycloak"])
        }
    }

    /// Both of two clicks go on, and one mail goes out.
    private func twice(
        _ action: String,
        on page: TestVisitor.Visited,
        _ visitor: TestVisitor,
        _ server: BackendUnderTest,
        _ typed: [(String, String)] = []
    ) async throws -> TestVisitor.Visited {
        server.clock.advance(by: 1)
        let early = twin(visitor, server)
        let before = try await server.database.outbox.latest(limit: 100).count
        let first = try await visitor.press(action, on: page, typed)
        let again = try await early.press(action, on: page, typed)
        #expect(first.reply.status == 200 && again.reply.status == 200, "\(action)")
        #expect(first.path == again.path)
        let after = try await server.database.outbox.latest(limit: 100).count
        #expect(after == before + 1, "\(action) on \(page.path)")
        return first
    }

    @Test("decision 0104: a wish for a code that is sent twice mails one, which is good")
    func welcomeCode() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        let welcome = try await visitor.signIn("facebook", as: .paul)
        let typed = [("name", "Paul"), ("email", "paul@example.net")]
        var page = try await twice("save", on: welcome, visitor, server, typed)
        // On the page that follows it is another wish.
        for _ in 1...2 { page = try await twice("resend", on: page, visitor, server) }
        let code = ("code", try #require(try await server.mailedCode()))
        let done = try await visitor.press("confirm", on: page, [code])
        #expect(done.path == "/account/details?saved=1")
        #expect(try await server.user(of: visitor).string("email") == "paul@example.net")
    }

    @Test("decision 0104: a wish for a proof that is sent twice mails one, to its own person only")
    func proofCode() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let path = "/account/confirm?for=changing-email&return_to=/account/details"
        let asked = try await visitor.open(path)
        let first = try await twice("code", on: asked, visitor, server)
        let page = try await twice("resend", on: first, visitor, server)
        #expect(page.reply.text.contains("…@example"))
        // The same form without the session.
        let out = twin(visitor, server)
        out.cookies["__Host-session"] = nil
        let mails = try await server.database.outbox.latest(limit: 100).count
        let refused = try await out.press("resend", on: first)
        #expect(!refused.reply.text.contains("…@example"))
        #expect(try await server.database.outbox.latest(limit: 100).count == mails)
        let code = ("code", try #require(try await server.mailedCode()))
        let details = try await visitor.press("confirm", on: page, [code])
        #expect(details.path == "/account/details")
        let typed = [("name", "Ben"), ("email", "new@example.net")]
        let sent = try await twice("save", on: details, visitor, server, typed)
        #expect(sent.path.hasPrefix("/account/email"))
    }

    @Test("decision 0104: the answer to a proof is given again to its own session, while it lives")
    func proofOver() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        let name = "__Host-session"
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let path = "/account/confirm?for=changing-email&return_to=/account/details"
        let page = try await visitor.press("code", on: try await visitor.open(path))
        let early = twin(visitor, server)
        let code = ("code", try #require(try await server.mailedCode()))
        let done = try await visitor.press("confirm", on: page, [code])
        #expect(done.path == "/account/details")
        let session = visitor.cookies[name]
        for browser in [visitor, early] {
            let again = try await browser.press("confirm", on: page, [code])
            #expect(again.path == "/account/details" && browser.cookies[name] == session)
        }
        // After the sign-out it brings no cookie, and leads nowhere.
        #expect(try await visitor.program(.post, "/v1/auth/logout").status == 200)
        #expect(visitor.cookies[name] == nil)
        let form = try #require(
            HTMLForm.all(in: page.reply.text).first { form in
                form.buttons.contains { $0.value == "confirm" }
            }
        )
        let fields = form.hidden + [code, ("action", "confirm")]
        for browser in [visitor, early] {
            let over = try await browser.request(form.action, .post, fields, from: page.url)
            let cookies = over.headers[values: .setCookie]
            #expect(!cookies.contains { $0.hasPrefix(name) && !$0.contains("Max-Age=0") })
            #expect(over.location?.hasPrefix("/account/details") != true)
        }
        // The next person in this browser stays who they are.
        _ = try await visitor.signIn("google", as: .layla)
        let next = visitor.cookies[name]
        let other = try await visitor.press("confirm", on: page, [code])
        #expect(other.reply.status == 403)
        #expect(next != nil && next != session && visitor.cookies[name] == next)
        let email = try await server.user(of: visitor).string("email")
        #expect(email != nil && email != "ben@example.org")
    }

    @Test("decision 0104: a wish to join by mailbox that is sent twice mails one code")
    func mailboxCode() async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        let found = try await visitor.signIn("facebook", as: .ann)
        let first = try await twice("mailbox", on: found, visitor, server)
        #expect(first.path == "/login/code")
        let page = try await twice("resend", on: first, visitor, server)
        let code = ("code", try #require(try await server.mailedCode()))
        let done = try await visitor.press("confirm", on: page, [code])
        #expect(done.path == "/dashboard")
        #expect(try await server.accounts().count == 1)
    }

    @Test(
        "decision 0104: a form whose cookie is lost or replaced does nothing, and keeps what was typed",
        arguments: [false, true]
    )
    func lostCookie(isReplaced: Bool) async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        let details = try await visitor.open("/account/details")
        let devices = try await visitor.open("/account/devices")
        for name in visitor.cookies.keys where name.contains("visit") {
            visitor.cookies[name] = nil
        }
        if isReplaced { _ = try await visitor.open("/account/ways") }
        let typed = [("name", "Ben the Typed")]
        let shown = try await visitor.press("save", on: details, typed)
        #expect(shown.reply.status == 403)
        #expect(shown.reply.text.contains("value=\"Ben the Typed\""))
        #expect(try await server.accounts().first?.name == "Ben Sample")
        let saved = try await visitor.press("save", on: shown, typed)
        #expect(saved.path == "/account/details?saved=1")
        #expect(try await server.accounts().first?.name == "Ben the Typed")
        // Where nothing is typed the page is a click away.
        let fields = devices.reply.formProof + [("action", "end-others")]
        let outdated = try await visitor.open(
            "/account/devices",
            method: .post,
            form: fields,
            from: devices.url
        )
        #expect(outdated.reply.status == 403)
        #expect(outdated.reply.text.contains("href=\"/account/devices"))
    }
}
