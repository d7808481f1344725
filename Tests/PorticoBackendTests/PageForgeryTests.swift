import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("What other sites can do in a person's browser: nothing") struct PageForgeryTests {
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        let other = TestVisitor(server)
        _ = try await other.signIn("google", as: .ben)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let visitor = TestVisitor(server)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
