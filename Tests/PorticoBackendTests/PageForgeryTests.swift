import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("What other sites can do in a person's browser: nothing") struct PageForgeryTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    /// Every form of a page of ours, with what it would do.
    private static let forms: [(path: String, fields: [(String, String)])] = [
        ("/onboarding", [("action", "save"), ("name", "Eve")]),
        ("/logout", [("action", "everywhere")]),
        ("/account/details", [("action", "save"), ("name", "Eve")]),
        ("/account/email", [("action", "confirm"), ("code", "000000")]),
        ("/account/ways", [("way", "facebook")]),
        ("/account/devices", [("action", "end-others")]),
        ("/account/delete", [("action", "delete"), ("sure", "1")]),
        ("/account/confirm", [("action", "code")]),
        ("/account/confirm/code", [("action", "resend")]),
    ]

    /// The hidden fields of the form that leads to `path`, as this browser is shown them.
    private static func hidden(_ visitor: TestVisitor, _ path: String) async throws
        -> [(String, String)]
    {
        let page = try await visitor.open(path)
        let form = HTMLForm.all(in: page.reply.text).first { $0.action == path }
        return try #require(form?.hidden, "\(path)")
    }

    private static func post(
        _ visitor: TestVisitor,
        _ path: String,
        _ fields: [(String, String)],
        from origin: String = "https://app.example.com/account"
    ) async throws -> Reply {
        try await visitor.request(path, .post, fields, from: origin)
    }

    @Test(
        "WEB-CSRF-1: no form does anything without its token, or with that of another form, session or browser",
        arguments: forms.indices
    )
    func token(_ index: Int) async throws {
        let (path, fields) = Self.forms[index]
        _ = try await visitor.signIn("google", as: .ben)
        let other = try await server.signedIn("google", as: .ben)
        let foreign = try await Self.hidden(other, path)
        let elsewhere = try await Self.hidden(
            visitor,
            path == "/account/devices" ? "/account/details" : "/account/devices"
        )
        for forged in [[], [("csrf", "")], [("csrf", "A")], foreign, elsewhere] {
            let reply = try await Self.post(visitor, path, fields + forged)
            #expect(reply.status == 403)
            #expect(reply.headers[values: .setCookie].isEmpty)
        }
        // Before a later session in the same browser it is worth nothing either.
        let former = try await Self.hidden(visitor, path)
        server.clock.advance(by: 1)
        _ = try await visitor.signIn("google", as: .ben)
        let outdated = try await Self.post(visitor, path, fields + former)
        #expect(outdated.status == 403)
        // It says why, and leads to the page as it is now (docs/decisions/0104).
        #expect(outdated.text.contains("href=\"\(path)"))
        #expect(try await visitor.session().status == 200)
        #expect(try await other.session().status == 200)
        #expect(try await server.accounts().first?.name == "Ben Sample")
        // The right one is taken.
        let right = try await Self.hidden(visitor, path)
        #expect(try await Self.post(visitor, path, fields + right).status != 403)
    }

    @Test(
        "WEB-CSRF-3: a form of another site's is refused, its token right or not",
        arguments: forms.indices
    )
    func crossSite(_ index: Int) async throws {
        let (path, fields) = Self.forms[index]
        _ = try await visitor.signIn("google", as: .ben)
        // Another device, which the page of devices has a form for.
        _ = try await TestVisitor(server).signIn("google", as: .ben)
        let right = try await Self.hidden(visitor, path)
        for site in ["cross-site", "same-site"] {
            var headers: HTTPFields = [
                .cookie: visitor.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            ]
            headers[.fetchSite] = site
            let reply = try await server.post(path, fields + right, headers: headers)
            #expect(reply.status == 403, "\(site)")
        }
        #expect(try await visitor.session().status == 200)
        #expect(try await server.accounts().first?.name == "Ben Sample")
    }

    @Test("WEB-CSRF-1: what a person decides about an account with their address needs its form")
    func decision() async throws {
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let found = try await visitor.signIn("keycloak", as: .ann)
        #expect(found.path == "/login/account")
        for fields in [[("action", "separate")], [("action", "separate"), ("csrf", "A")]] {
            #expect(try await Self.post(visitor, "/login/account", fields).status == 403)
        }
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        let code = try #require(try await server.mailedCode())
        let forged = [("action", "confirm"), ("code", code)]
        #expect(try await Self.post(visitor, "/login/code", forged).status == 403)
        #expect(try await server.accounts().count == 1)
        let done = try await visitor.submit(asked, [("action", "confirm"), ("code", code)])
        #expect(done.path == "/dashboard")
    }

    @Test(
        "WEB-CSRF-3, WEB-CSRF-4: what changes an account needs the header, and no other site's request has its way with it",
        arguments: [
            (HTTPRequest.Method.delete, "/v1/account"), (.delete, "/v1/account/unlink/google"),
            (.post, "/v1/account/link/facebook"), (.post, "/v1/account/email"),
            (.post, "/v1/account/email/confirm"), (.post, "/v1/account/reauthentication"),
            (.post, "/v1/account/reauthentication/confirm"),
            (.post, "/v1/auth/logout?everywhere=true"),
            (.delete, "/v1/account/sessions/00000000-0000-0000-0000-000000000000"),
        ]
    )
    func programs(_ method: HTTPRequest.Method, _ path: String) async throws {
        _ = try await visitor.signIn("google", as: .ben)
        let cookie = try #require(visitor.cookies["__Host-session"])
        let session: HTTPFields = [.cookie: "__Host-session=\(cookie)"]
        for (header, site) in [
            (nil, nil), (nil, "cross-site"), ("1", "cross-site"), ("1", "same-site"), ("0", nil),
            (nil, "none"),
        ] as [(String?, String?)] {
            var headers = session
            headers[.portico] = header
            headers[.fetchSite] = site
            headers[.contentType] = "application/x-www-form-urlencoded"
            let reply = try await server.send(
                method,
                path,
                headers: headers,
                body: Array("email=eve%40example.org&code=000000".utf8)
            )
            #expect(reply.status == 403, "\(header ?? "-") \(site ?? "-")")
            #expect(reply.json.string("error") == "forbidden")
        }
        #expect(try await visitor.session().status == 200)
        #expect(try await server.mailedCode() == nil)
    }

    @Test(
        "WEB-CSRF-4: what a simple form can send as text reaches no JSON endpoint: 415",
        arguments: [
            "/v1/auth/token", "/v1/auth/refresh", "/v1/auth/google/native",
            "/v1/auth/apple/notifications", "/v1/account/email", "/v1/account/email/confirm",
            "/v1/account/reauthentication/confirm",
        ]
    )
    func contentType(_ path: String) async throws {
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        let cookie = try #require(visitor.cookies["__Host-session"])
        for type in ["text/plain", "multipart/form-data; boundary=x", "application/jsonp", nil] {
            var headers: HTTPFields = [.cookie: "__Host-session=\(cookie)"]
            headers[.portico] = "1"
            headers[.contentType] = type
            let body = #"{"email":"eve@example.org","code":"x","grant_type":"authorization_code"}"#
            let reply = try await server.send(.post, path, headers: headers, body: Array(body.utf8))
            #expect(reply.status == 415, "\(type ?? "none")")
            #expect(reply.json.string("error") == "unsupported_media_type")
        }
    }

    @Test("OIDCRPL-6-3, WEB-CSRF-5: GET signs no one out and changes nothing")
    func get() async throws {
        _ = try await visitor.signIn("google", as: .ben)
        #expect(try await visitor.request("/v1/auth/logout").status == 405)
        for path in [
            "/logout", "/logout?action=everywhere", "/account/delete?sure=1&action=delete",
        ] {
            #expect(try await visitor.request(path).status == 200)
        }
        for path in ["/v1/account/unlink/google", "/v1/account/link/facebook"] {
            #expect(try await visitor.request(path).status == 405)
        }
        #expect(try await visitor.session().status == 200)
        // The form of that page does: the session is over at the server, its cookie gone.
        let kept = visitor.cookies
        let page = try await visitor.open("/logout")
        let done = try await visitor.submit(page, to: "/logout", [("action", "here")])
        #expect(done.reply.status == 200)
        #expect(
            done.reply.headers[values: .setCookie].contains {
                $0.hasPrefix("__Host-session=;") && $0.contains("Max-Age=0")
                    && $0.contains("; Path=/") && $0.contains("; Secure")
            }
        )
        visitor.cookies = kept
        #expect(try await visitor.session().status == 401)
    }
}

/// What two clicks do: the second form goes out with the cookies of the first.
@Suite("Forms of the backend's pages that are sent twice") struct RepeatedPageFormTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    private func twin(_ visitor: TestVisitor) -> TestVisitor {
        let twin = TestVisitor(server)
        twin.cookies = visitor.cookies
        return twin
    }

    @Test("decision 0104: a code and the addition it proves, each sent twice, go on both times")
    func addition() async throws {
        _ = try await visitor.signIn("google", as: .ann)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let found = try await visitor.signIn("keycloak", as: .ann)
        #expect(found.path == "/login/account")
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        #expect(asked.path.hasPrefix("/account/confirm/code?for=adding"))
        var early = twin(visitor)
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

        early = twin(visitor)
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
        _ typed: [(String, String)] = []
    ) async throws -> TestVisitor.Visited {
        server.clock.advance(by: 1)
        let early = twin(visitor)
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
        let welcome = try await visitor.signIn("facebook", as: .paul)
        let typed = [("name", "Paul"), ("email", "paul@example.net")]
        var page = try await twice("save", on: welcome, visitor, typed)
        // On the page that follows it is another wish.
        for _ in 1...2 { page = try await twice("resend", on: page, visitor) }
        let code = ("code", try #require(try await server.mailedCode()))
        let done = try await visitor.press("confirm", on: page, [code])
        #expect(done.path == "/account/details?saved=1")
        #expect(try await server.user(of: visitor).string("email") == "paul@example.net")
    }

    @Test("decision 0104: a wish for a proof that is sent twice mails one, to its own person only")
    func proofCode() async throws {
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let path = "/account/confirm?for=changing-email&return_to=/account/details"
        let asked = try await visitor.open(path)
        let first = try await twice("code", on: asked, visitor)
        let page = try await twice("resend", on: first, visitor)
        #expect(page.reply.text.contains("…@example"))
        // The same form without the session.
        let out = twin(visitor)
        out.cookies["__Host-session"] = nil
        let mails = try await server.database.outbox.latest(limit: 100).count
        let refused = try await out.press("resend", on: first)
        #expect(!refused.reply.text.contains("…@example"))
        #expect(try await server.database.outbox.latest(limit: 100).count == mails)
        let code = ("code", try #require(try await server.mailedCode()))
        let details = try await visitor.press("confirm", on: page, [code])
        #expect(details.path == "/account/details")
        let typed = [("name", "Ben"), ("email", "new@example.net")]
        let sent = try await twice("save", on: details, visitor, typed)
        #expect(sent.path.hasPrefix("/account/email"))
    }

    @Test("decision 0104: the answer to a proof is given again to its own session, while it lives")
    func proofOver() async throws {
        let name = "__Host-session"
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        server.clock.advance(by: 601)
        let path = "/account/confirm?for=changing-email&return_to=/account/details"
        let page = try await visitor.press("code", on: try await visitor.open(path))
        let early = twin(visitor)
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
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let found = try await visitor.signIn("facebook", as: .ann)
        let first = try await twice("mailbox", on: found, visitor)
        #expect(first.path == "/login/code")
        let page = try await twice("resend", on: first, visitor)
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
