import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// What comes before the host: the page, what is typed, and hosts that do not answer.
@Suite struct HandleStartTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest.withHandles()
        visitor = TestVisitor(server)
    }

    @Test("The page that asks: what is no handle is 400, with the field and what was asked with")
    func unreadable() async throws {
        for typed in ["", "a b.example.com", "did:key:z6Mk", "http://pds.example.com"] {
            let reply = try await TestVisitor(server).begin(typed, [("redirect", "/reports")])
            #expect(reply.status == 400)
            let form = try #require(HTMLForm.all(in: reply.text).last)
            #expect(form.action == "/login")
            #expect(form.hidden.contains { $0 == ("redirect", "/reports") })
            let json = try await server.json(
                FormEncoding.appending([("handle", typed)], to: "/login")
            )
            #expect(json.refusal == "400 invalid_request")
        }
        #expect(try await TestVisitor(server).request("/login?mobile=true").status == 400)
        #expect(server.hosts.looked.isEmpty)
        #expect(server.hosts.asked.isEmpty)
    }

    @Test(
        "The page that asks: a change of meaning is proposed, and never sent",
        arguments: ["ann@example.com", "ann"]
    )
    func proposed(_ typed: String) async throws {
        let server = try await BackendUnderTest.withHandles(["defaultDomain": "example.com"])
        let reply = try await TestVisitor(server).begin(typed)
        #expect(reply.status == 400)
        let buttons = HTMLForm.all(in: reply.text).flatMap(\.buttons)
        #expect(buttons.contains { $0.name == "handle" && $0.value == "ann.example.com" })
        #expect(reply.text.contains("ann.example.com"))
        #expect(server.hosts.looked.isEmpty)
    }

    @Test("ATP-ID-1: the bare name of a host, which is no handle, is proposed as an address")
    func bareHost() async throws {
        let page = try await visitor.open("/mobile-auth?redirect=/reports")
        let asked = try await visitor.submit(page, [("handle", "pds.example.com")], form: 0)
        #expect(asked.reply.status == 400 && server.hosts.asked.isEmpty)
        let form = try #require(
            HTMLForm.all(in: asked.reply.text).first { form in
                form.buttons.contains { $0.value == "https://pds.example.com" }
            }
        )
        #expect(form.hidden.contains { $0 == ("redirect", "/reports") })
        let json = try await server.json("/login?handle=pds.example.com")
        #expect(json.refusal == "404 handle_not_found")
    }

    @Test("The page that asks: no such handle, a host away, one without sign-in are told apart")
    func faults() async throws {
        func answer(_ handle: String) async throws -> (Int, String?) {
            let page = try await visitor.begin(handle)
            let json = try await server.json(
                FormEncoding.appending([("handle", handle)], to: "/login")
            )
            #expect(json.status == page.status)
            #expect(page.headers[values: .setCookie].allSatisfy { !$0.contains("attempt") })
            return (page.status, json.json.string("error"))
        }
        #expect(try await answer("nobody.example.com") == (404, "handle_not_found"))
        server.hosts.setAway("pds.example.com")
        #expect(try await answer("ann.example.com") == (503, "host_unreachable"))
        server.hosts.setIssuer(of: "other.example.com", nil)
        #expect(try await answer("bob.example.com") == (502, "provider_error"))
        server.hosts.setAway("plc.directory")
        #expect(try await answer(TestHosts.Person.cat.did) == (503, "host_unreachable"))
        #expect(server.hosts.asked.isEmpty)
    }

    @Test("The page that asks: a domain that does not exist was mistyped, and no one is to wait")
    func noSuchHost() async throws {
        server.hosts.setUnknown("mistyped.example.com")
        server.hosts.setAway("away.example.com")
        let page = try await visitor.begin("mistyped.example.com")
        #expect(page.status == 404 && page.headers[.retryAfter] == nil)
        #expect(page.text.contains("We can’t find"))
        let json = try await server.json("/login?handle=mistyped.example.com")
        #expect(json.status == 404 && json.headers[.retryAfter] == nil)
        #expect(json.json.string("error") == "handle_not_found")
        let away = try await visitor.begin("away.example.com")
        #expect(away.status == 503 && away.headers[.retryAfter] != nil)
        #expect(!away.text.contains("We can’t find"))
        #expect(server.hosts.asked.isEmpty)
    }

    @Test("Attack G02: a handle whose account has another one is refused")
    func oneWay() async throws {
        server.hosts.unconfirm(.ann)
        #expect(try await TestVisitor(server).begin("ann.example.com").status == 404)
        #expect(server.hosts.asked.isEmpty)
    }

    @Test(
        "Attack G12: a server that refuses us, fails or asks for nonces without end",
        arguments: [
            (TestHosts.Fault.refusesClient, 502), (.serverError, 503), (.endlessNonce, 502),
            (.nothingPushed, 502), (.withoutNonce, 302),
        ]
    )
    func servers(_ fault: TestHosts.Fault, _ status: Int) async throws {
        server.hosts.set(fault)
        let reply = try await TestVisitor(server).begin("ann.example.com")
        #expect(reply.status == status)
        #expect(server.hosts.asked.count <= 2)
        let began = reply.headers[values: .setCookie].contains { $0.contains("attempt") }
        #expect(began == (status == 302))
    }

    @Test("The page that asks: from our own page the host's name is shown before the person leaves")
    func host() async throws {
        let page = try await visitor.open("/mobile-auth?platform=web&return_to=%2Freports")
        let shown = try await visitor.submit(page, [("handle", "ann.example.com")], form: 0)
        #expect(shown.reply.status == 200)
        #expect(shown.reply.text.contains("pds.example.com"))
        #expect(server.hosts.asked.isEmpty)
        let path = try shown.reply.loginLink()
        #expect(!path.contains("ask="))
        let begun = try await visitor.request(path, from: shown.url)
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(back.location == "/reports")
    }

    @Test(
        "WEB-CSRF-2: another site begins no sign-in: the host's page is shown, the session stays",
        arguments: ["web", "mobile", "pwa"],
        [HTTPRequest.Method.get, .post]
    )
    func otherSite(_ form: String, _ method: HTTPRequest.Method) async throws {
        _ = try await visitor.byHandle(.ann)
        server.hosts.forgetRequests()
        var query = [(name: "handle", value: "bob.example.com")]
        if form == "mobile" { query += TestApp().start }
        if form == "pwa" { query.append((name: "pwa", value: "true")) }
        let cookies = visitor.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        for site in ["cross-site", "same-site", "none", nil, "same-origin"] as [String?] {
            var headers: HTTPFields = [.accept: "text/html", .cookie: cookies]
            headers[.fetchSite] = site
            let reply =
                method == .get
                ? try await server.send(
                    .get,
                    FormEncoding.appending(query, to: "/login"),
                    headers: headers
                )
                : try await server.post(
                    "/login",
                    query.map { ($0.name, $0.value) },
                    headers: headers
                )
            let began = reply.headers[values: .setCookie].contains { $0.contains("attempt") }
            // A link of a mail may be another person's, and what says nothing may be one; apps open such
            // links themselves.
            let isLink = (site == "none" || site == nil) && form != "mobile"
            if site?.hasSuffix("-site") == true || isLink {
                #expect(reply.status == 200 && !began)
                #expect(reply.text.contains("other.example.com"))
                #expect(reply.text.contains("/login?handle=bob.example.com"))
                #expect(server.hosts.asked.isEmpty)
            } else {
                #expect(reply.status == (method == .get ? 302 : 303) && began)
                #expect(reply.location?.hasPrefix("https://other.example.com/") == true)
            }
        }
        #expect(try await server.user(of: visitor).string("name") == "ann.example.com")
    }

    @Test("decision 0067: what another site loads unseen asks no host, and counts for no one")
    func unseen() async throws {
        let server = try await BackendUnderTest(limits: SignInLimits(), handles: [:])
        func ask(_ site: String, _ mode: String, _ place: String) async throws -> Reply {
            var headers: HTTPFields = [.accept: "text/html"]
            headers[.fetchSite] = site
            headers[.fetchMode] = mode
            headers[.fetchDestination] = place
            let path = "/login?handle=ann.example.com&ask=host"
            return try await server.send(.get, path, headers: headers)
        }
        for (mode, place) in [
            ("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("cors", "empty"),
        ] {
            for _ in 1...6 {
                let reply = try await ask("cross-site", mode, place)
                #expect(reply.status == 403, "\(place)")
            }
        }
        #expect(server.hosts.looked.isEmpty)
        // Pages that other sites open are seen, and count, but not for the person's own.
        for number in 1...61 {
            let reply = try await ask("cross-site", "navigate", "document")
            #expect(reply.status == (number < 61 ? 200 : 429))
        }
        #expect(try await ask("same-origin", "navigate", "document").status == 200)
        #expect(try await ask("same-origin", "cors", "empty").status == 200)
    }

    @Test(
        "WEB-CSRF-2: another site begins no sign-in by asking for JSON, and no one is asked",
        arguments: ["same-site", "cross-site"],
        [HTTPRequest.Method.get, .post]
    )
    func otherSiteJSON(_ site: String, _ method: HTTPRequest.Method) async throws {
        func begin(from site: String) async throws -> Reply {
            var headers: HTTPFields = [.accept: "application/json"]
            headers[.fetchSite] = site
            return method == .get
                ? try await server.send(.get, "/login?handle=bob.example.com", headers: headers)
                : try await server.post("/login", [("handle", "bob.example.com")], headers: headers)
        }
        let refused = try await begin(from: site)
        #expect(refused.refusal == "403 forbidden")
        #expect(refused.headers[values: .setCookie].isEmpty)
        #expect(server.hosts.asked.isEmpty && server.hosts.looked.isEmpty)
        let begun = try await begin(from: "same-origin")
        #expect(begun.status == 200 && begun.json.string("authorizationUrl") != nil)
    }

    @Test(
        "WEB-CSRF-2: a way back is no sign-in, however it is spelled: no page of ours leads to one",
        arguments: [
            "/login?handle=bob.example.com", "/login/?handle=bob.example.com",
            "/lo%67in?handle=bob.example.com", "/login;x=1?handle=bob.example.com",
            "/login%3Fhandle=bob.example.com",
            "/login?mobile=true&app=moved&handle=bob.example.com",
            "/mobile-auth?handle=bob.example.com", "/v1/auth/atproto?handle=bob.example.com",
            "/v1/%61uth/google?login_hint=bob.example.com", "/logout?of=bob.example.com",
            "/oauth/callback?state=bob.example.com",
        ]
    )
    func wayBack(_ path: String) async throws {
        #expect(LocalPath.asked(path) == .root)
        _ = try await visitor.byHandle(.ann)
        for start in ["/login", "/onboarding", "/login?handle=ann.example.com&pwa=true"] {
            let page = try await visitor.request(
                FormEncoding.appending([("return_to", path)], to: start),
                from: "https://evil.example.com/"
            )
            #expect(page.status == 200)
            #expect(!page.text.contains("bob.example.com"))
        }
        // Nor does the page that is allowed as a way back, and has one of its own.
        let next = FormEncoding.appending([("return_to", path)], to: "/onboarding")
        let later = [("action", "later")]
        let first = try await visitor.open(
            FormEncoding.appending([("return_to", next)], to: "/onboarding")
        )
        let second = try await visitor.submit(first, to: "/onboarding", later)
        #expect(second.path == next)
        #expect(!second.reply.text.contains("bob.example.com"))
        let end = try await visitor.submit(second, to: "/onboarding", later)
        #expect(end.path == "/dashboard")
    }

    @Test("WEB-CSRF-2: pages that only go on with what waits, and other names, are kept")
    func otherWaysBack() {
        for path in [
            "/orders/", "/login/account", "/login/code", "/logins?handle=x", "/v1/authors", "/v1",
            "/oauth/callbacks", "/orders/login?handle=x", "/orders?next=/login?handle=x",
        ] {
            #expect(LocalPath.asked(path).text == path)
        }
    }

    @Test("/v1/auth/atproto: it leads to the page, with what it was asked with")
    func provider() async throws {
        let web = try await visitor.request("/v1/auth/atproto?return_to=%2Freports&remember=1")
        #expect(web.status == 303)
        #expect(web.location?.hasPrefix("/mobile-auth?") == true)
        #expect(web.redirected == ["return_to": "/reports", "remember": "1", "platform": "web"])
        let app = TestApp()
        let start = FormEncoding.appending(app.start, to: "/v1/auth/atproto")
        let page = try await visitor.open(start)
        let hidden = HTMLForm.all(in: page.reply.text).last?.hidden ?? []
        for field in [
            ("mobile", "true"), ("app", "notes"), ("state", app.state),
            ("code_challenge", app.verifier.challenge.text),
        ] {
            #expect(hidden.contains { $0 == field })
        }
        // Its button is among the others.
        let choice = try await visitor.open("/login")
        let actions = HTMLForm.all(in: choice.reply.text).flatMap(\.buttons).compactMap(\.action)
        #expect(actions.last == "/v1/auth/atproto")
    }

    @Test("/mobile-auth: the bare page is for the app that takes it so, otherwise for the browser")
    func bare() async throws {
        for (apps, isApp) in [([Client.moved], true), ([.moved, .notes], true), ([.notes], false)] {
            let server = try await BackendUnderTest.withHandles(apps: apps)
            let page = try await TestVisitor(server).open("/mobile-auth")
            #expect(page.reply.status == 200)
            let hidden = HTMLForm.all(in: page.reply.text).last?.hidden ?? []
            #expect(hidden.contains { $0.0 == "mobile" } == isApp)
        }
        #expect(try await TestVisitor(server).open("/mobile-auth?app=evil").reply.status == 400)
    }

    @Test("/login: five starts a minute in each browser, and sixty for each address")
    func limit() async throws {
        let server = try await BackendUnderTest(limits: SignInLimits(), handles: [:])
        let ask = [(name: "ask", value: "host")]
        for number in 1...12 {
            let visitor = TestVisitor(server)
            for _ in 0..<5 {
                #expect(try await visitor.begin("ann.example.com", ask).status == 200)
                #expect(try await visitor.begin("ann.example.com").status == 302, "\(number)")
            }
            #expect(try await visitor.begin("ann.example.com", ask).status == 429)
            let reply = try await visitor.begin("ann.example.com")
            #expect(reply.status == 429)
            #expect(reply.headers[.retryAfter] != nil)
        }
        #expect(try await TestVisitor(server).begin("ann.example.com").status == 429)
        let other = TestVisitor(server, from: "192.0.2.2")
        #expect(try await other.begin("ann.example.com").status == 302)
    }

    @Test("/login: how people mistype counts for nothing; who must wait keeps what was typed")
    func mistyped() async throws {
        let server = try await BackendUnderTest(limits: SignInLimits(), handles: [:])
        let app = TestApp()
        for ask in [[(name: "ask", value: "host")], []] {
            let visitor = TestVisitor(server)
            for typed in ["a b.example.com", "ann", "", "did:key:z6Mk", "ann@example", "x y"] {
                let reply = try await visitor.begin(typed, ask + app.start)
                #expect(reply.status == 400, "\(typed)")
            }
            for _ in 0..<5 {
                let begun = try await visitor.begin("ann.example.com", ask + app.start)
                #expect(begun.status == (ask.isEmpty ? 302 : 200))
            }
            let reply = try await visitor.begin("bob.example.com", ask + app.start)
            #expect(reply.status == 429 && reply.headers[.retryAfter] != nil)
            #expect(reply.text.contains("Too many tries"))
            let form = try #require(HTMLForm.all(in: reply.text).last)
            #expect(form.action == "/login")
            #expect(reply.text.contains("value=\"bob.example.com\""))
            for field in [("mobile", "true"), ("app", "notes"), ("state", app.state)] {
                #expect(form.hidden.contains { $0 == field })
            }
        }
        let visitor = TestVisitor(server)
        for _ in 0..<5 { _ = try await visitor.begin("ann.example.com") }
        let program = try await visitor.request(
            "/login?handle=bob.example.com",
            .get,
            [],
            from: "https://\(BackendUnderTest.host)/",
            [.accept: "application/json"]
        )
        #expect(program.refusal == "429 rate_limited")
    }

    @Test("Decision 0027: an attempt begun with the longest handle fits beside others")
    func room() async throws {
        for _ in 0..<7 {
            let begun = try await visitor.begin("ann.example.com", TestApp().start)
            #expect(begun.status == 302)
        }
        let kept = visitor.cookies.filter { $0.key.hasPrefix("__Host-attempt") }
        #expect(kept.count == AttemptCookies.most)
        #expect(kept.values.allSatisfy { $0.utf8.count < 1600 })
        let bytes = visitor.cookies.map { $0.key.utf8.count + $0.value.utf8.count + 3 }
        #expect(bytes.reduce(0, +) <= AttemptCookies.room + 200)
    }

    @Test("/mobile-auth: without the provider there are no such addresses")
    func absent() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        for path in ["/mobile-auth", "/oauth/callback", "/oauth-client-metadata.json"] {
            #expect(try await visitor.request(path).status == 404)
        }
        #expect(try await visitor.request("/login?handle=ann.example.com").status == 200)
        let choice = try await visitor.open("/login")
        #expect(!choice.reply.text.contains("atproto"))
    }
}

/// By the transport that the program has; only the names of the DNS are made up.
@Suite("Signing in at hosts that lead to this machine") struct GuardedHandleTests {
    private static let typed = [
        "ann.example.com", "did:web:ann.example.com", "https://ann.example.com",
    ]
    private static let mapped4 = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]

    @Test(
        "WEB-SSRF-1, attack G17: handles, DIDs and hosts whose names lead inside are refused",
        arguments: typed,
        [.loopback4, .loopback6, [10, 0, 0, 1], [169, 254, 169, 254], mapped4] as [[UInt8]]
    )
    func inner(_ typed: String, _ address: [UInt8]) async throws {
        try await refused(typed, address)
    }

    @Test(
        "WEB-SSRF-1, attack G17: where such a name leads to this machine, no one connects to it",
        .enabled("\(Victims.needs443)") { await Victims.areAt443() },
        arguments: typed,
        [.loopback4, mapped4] as [[UInt8]]
    )
    func untouched(_ typed: String, _ address: [UInt8]) async throws {
        let victims = try await Victims()
        defer { victims.stop() }
        try #require(victims.areAt443)
        try await refused(typed, address)
        #expect(victims.isUntouched)
    }

    private func refused(_ typed: String, _ address: [UInt8]) async throws {
        // A second look would find a public address: there is none.
        let names = ScriptedNames([address], [[93, 184, 216, 34]])
        let server = try await HostedBackend(
            strangers: GuardedTransport(longest: HandleDirectory.longest, resolver: names)
        )
        let reply = try await server.send(
            .get,
            FormEncoding.appending([("handle", typed)], to: "/login"),
            [.accept: "application/json"]
        )
        #expect(reply.status == 503, "\(reply.status) \(reply.text)")
        #expect(reply.json.string("error") == "host_unreachable")
        #expect(reply.location == nil && reply.headers[.setCookie] == nil)
        #expect(names.questions == ["ann.example.com"])
    }
}
