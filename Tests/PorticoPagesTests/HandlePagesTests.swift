import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Pages: sign in with an internet handle") struct HandlePagesTests {
    private static let form = PageForm(action: "/oauth/again", request: "r", csrf: "c")

    private func markup(_ page: any Page, _ language: Language = .english) throws -> Markup {
        let frame = PageFrame(realm: "Demo")
        return try Markup(page: PageRenderer().html(page, in: language, frame: frame))
    }

    private static let problems: [HandleProblem] = [
        .unreadable, .notFound(handle: "alice.example.com"),
        .hostUnreachable(host: "pds.example.com"), .hostWithoutSignIn(host: "pds.example.com"),
        .oneWay, .otherAccount(handle: "alice.example.com"), .notFinished, .denied, .expired,
        .tooManyTries(seconds: 12), .busy,
    ]

    @Test("SEED-TIJS-1: one field, sent by GET to /login with what the request carries on")
    func field() throws {
        let page = try markup(
            HandlePage(
                handle: "alice.example.com",
                fields: [PageField("mobile", "true"), PageField("state", "a&b=\"c\"")],
                app: "Notes",
                otherMethods: PageLink(path: "/login")
            )
        )
        let forms = page.all("form")
        #expect(forms.map { $0.attributes["method"] } == ["get"])
        #expect(forms.map { $0.attributes["action"] } == ["/login"])
        let field = try #require(page.element(id: "handle")).attributes
        #expect(field["name"] == "handle" && field["value"] == "alice.example.com")
        #expect(field["type"] == "text" && field["autocomplete"] == "username")
        #expect(field["autocapitalize"] == "none" && field["spellcheck"] == "false")
        #expect(field["inputmode"] == "url" && field["dir"] == "ltr")
        #expect(field["autofocus"] != nil && field["required"] != nil)
        let hidden = page.all("input").filter { $0.attributes["type"] == "hidden" }.map {
            "\($0.attributes["name"] ?? "")=\($0.attributes["value"] ?? "")"
        }
        #expect(hidden == ["mobile=true", "state=a&b=\"c\"", "ask=host"])
        // A named button would be one more parameter.
        let buttons = page.all("button")
        #expect(buttons.map(\.text) == ["Continue"])
        #expect(buttons.allSatisfy { $0.attributes["name"] == nil })
        #expect(
            page.all("main").flatMap { $0.all("a") }.map { $0.attributes["href"] } == ["/login"]
        )
    }

    @Test("what may be meant is proposed by a button, and what was typed stays")
    func proposals() throws {
        let page = try markup(
            HandlePage(
                handle: "alice",
                proposals: ["alice.bsky.social", "alice.example.com"],
                fields: [PageField("app", "notes")]
            )
        )
        #expect(page.all("h1").map(\.text) == ["Did you mean alice.bsky.social?"])
        let forms = page.all("form")
        #expect(forms.count == 2 && forms.allSatisfy { $0.attributes["action"] == "/login" })
        let buttons = try #require(forms.first).all("button")
        #expect(buttons.map { $0.attributes["name"] } == ["handle", "handle"])
        #expect(
            buttons.map { $0.attributes["value"] } == ["alice.bsky.social", "alice.example.com"]
        )
        // Of two values with one name the server would refuse both.
        #expect(forms.first?.all("input").map { $0.attributes["name"] } == ["app", "ask"])
        #expect(page.element(id: "handle")?.attributes["value"] == "alice")
        #expect(page.all("script").count <= 1 && page.all("meta").count == 4)
    }

    @Test("each problem has words of its own and the field to go on with", arguments: problems)
    func problem(problem: HandleProblem) throws {
        for language in Language.allCases {
            let page = try markup(
                HandlePage(handle: "alice.example.com", problem: problem),
                language
            )
            let summary = try #require(page.all.first { $0.attributes["role"] == "alert" })
            let others = try Self.problems.filter { $0 != problem }.map {
                try markup(HandlePage(problem: $0), language).all.first {
                    $0.attributes["role"] == "alert"
                }?.text
            }
            #expect(!others.contains(summary.text))
            let field = try #require(page.element(id: "handle")).attributes
            #expect(field["value"] == "alice.example.com" && field["autofocus"] == nil)
            // The field is only wrong where something else has to be typed.
            let isWrong =
                switch problem {
                case .unreadable, .notFound, .oneWay: true
                default: false
                }
            #expect((field["aria-invalid"] != nil) == isWrong)
            #expect(page.all("button").count == 1)
        }
    }

    @Test("handles, DIDs and hosts are read from left to right in every language")
    func direction() throws {
        let (handle, host) = ("alice.example.com", "pds.example.com")
        let pages: [any Page] =
            Self.problems.map { HandlePage(proposals: [handle], problem: $0) } + [
                HandlePage(proposals: [handle]),
                HandleHostPage(host: host, account: handle, proceed: PageLink(path: "/login")),
                HandleAgainPage(host: host, first: "a.\(host)", account: handle, form: Self.form),
                ConsentPage(
                    client: host,
                    origin: .document(clientID: "https://\(host)/client.json"),
                    account: PageAccount(name: nil, userName: "ann"),
                    scopes: ["atproto", "repo:com.example.note"],
                    unknown: ["com.example.other"],
                    form: Self.form
                ),
            ]
        for language in Language.allCases {
            for page in pages {
                let main = try #require(try markup(page, language).all("main").first)
                for element in main.all {
                    for case .text(let text) in element.children
                    where text.contains("example.com") || text.contains("com.example") {
                        #expect(element.name == "bdi" && element.attributes["dir"] == "ltr")
                    }
                }
            }
        }
        let page = try markup(HandlePage(problem: .notFound(handle: "moc.\u{202E}elpmaxe")))
        #expect(!page.text.contains("\u{202E}") && page.text.contains("moc.elpmaxe"))
    }

    @Test("the host is named before the person leaves, and a link leads on")
    func host() throws {
        let page = try markup(
            HandleHostPage(
                host: "pds.example.com",
                account: "did:web:alice.example.com",
                proceed: PageLink(path: "/login?handle=alice.example.com"),
                otherHandle: PageLink(path: "/mobile-auth")
            )
        )
        #expect(page.all("h1").map(\.text) == ["Continue at pds.example.com"])
        let main = try #require(page.all("main").first)
        #expect(main.text.contains("did:web:alice.example.com"))
        #expect(main.all("form").isEmpty)
        #expect(
            main.all("a").map { $0.attributes["href"] }
                == ["/login?handle=alice.example.com", "/mobile-auth"]
        )
    }

    @Test("to sign in at the account's own host is asked, and done by POST")
    func again() throws {
        let page = try markup(
            HandleAgainPage(
                host: "b.example.com",
                first: "a.example.com",
                account: "alice.example.com",
                form: Self.form
            )
        )
        #expect(page.all("h1").map(\.text) == ["Your account is at b.example.com"])
        let form = try #require(page.all("form").first)
        #expect(form.attributes["method"] == "post" && form.attributes["action"] == "/oauth/again")
        #expect(form.all("button").map { $0.attributes["value"] } == ["continue", "cancel"])
        #expect(page.text.contains("a.example.com"))
    }

    @Test("the button says what it takes, in words of ours, and is no smaller than the others")
    func button() throws {
        let method = SignInMethod(name: "atproto", label: .handle, action: "/mobile-auth")
        let page = try markup(ChooseMethodPage(mode: .signIn, methods: [method]))
        let button = try #require(page.all("button").first)
        #expect(button.text == "Continue with your internet handle")
        #expect(button.attributes["formaction"] == "/mobile-auth")
        #expect(button.attributes["class"] == "button second way")
    }

    @Test("people read of their internet handle, and of no protocol")
    func named() throws {
        let account = PageAccount(name: nil, userName: "ann")
        let dashboard = DashboardPage(account: account, signedInWith: .handle, form: Self.form)
        let signedOut = BackendSignedOutPage(outcome: .here, stillAt: [.handle])
        let overview = AccountOverviewPage(
            account: account,
            methods: [.handle],
            devices: 1,
            now: 0,
            form: Self.form
        )
        let pages: [any Page] = [dashboard, signedOut, overview]
        for language in Language.allCases {
            for page in pages {
                #expect(try !markup(page, language).text.contains("AT Protocol"))
            }
        }
        let signedIn = try markup(dashboard).text
        #expect(signedIn.contains("You signed in with your internet handle."))
        // No one knows whether the host has signed them out.
        let told = try markup(signedOut).text
        #expect(told.contains("You may still be signed in at your host"))
        #expect(!told.contains("You’re still signed in"))
    }

    @Test("the example is a handle as most people here have one")
    func example() throws {
        let page = HandlePage(problem: .unreadable, domain: "people.example.org")
        let text = try markup(page).text
        #expect(text.contains("ann.people.example.org"))
        #expect(!text.contains("ann.bsky.social"))
    }

    @Test("a client for development goes by no name where its permissions stand")
    func development() throws {
        let page = ConsentPage(
            client: "localhost",
            origin: .unnamedAppOnThisDevice,
            account: PageAccount(name: nil, userName: "ann"),
            scopes: ["atproto"],
            form: Self.form
        )
        let title = try markup(page).element(id: "grants-title")
        #expect(title?.text == "This app will be able to")
    }

    @Test("an account without a DID is told so, with another account as the way on")
    func withoutDID() throws {
        let page = try markup(
            AccountWithoutDIDPage(
                client: "reader.example.com",
                account: PageAccount(name: nil, userName: "ann"),
                form: Self.form
            )
        )
        #expect(page.all("title").map(\.text) == ["Error: This account has no DID yet – Demo"])
        #expect(page.all("button").map { $0.attributes["value"] } == ["switch", "cancel"])
    }
}

@Suite("Page: signed in, in a window of a web app") struct HandlePopupTests {
    private static func html(_ did: String, _ handle: String) throws -> String {
        let page = HandlePopupPage(
            did: did,
            handle: handle,
            nonce: "AbCdEfGhIjKlMnOpQrStUv",
            proceed: PageLink(path: "/dashboard")
        )
        return try PageRenderer().html(page, in: .english, frame: PageFrame(realm: "Demo"))
    }

    @Test("SEED-TIJS-6: one script with a nonce, which holds nothing foreign and no wildcard")
    func script() throws {
        let page = try Markup(page: Self.html("did:plc:abc", "alice.example.com"))
        let script = try #require(page.all("script").first)
        #expect(page.all("script").count == 1)
        #expect(script.attributes == ["nonce": "AbCdEfGhIjKlMnOpQrStUv"])
        #expect(script.text.contains("postMessage(result, location.origin)"))
        #expect(!script.text.contains("\"*\"") && !script.text.contains("'*'"))
        let hostile = try Markup(page: Self.html("</script><script>1", "\";alert(1);\""))
        #expect(hostile.all("script").map(\.text) == [script.text])
        // Without scripts: where to go on.
        let main = try #require(page.all("main").first)
        #expect(main.all("a").map { $0.attributes["href"] } == ["/dashboard"])
        #expect(main.text.contains("You can close this window."))
    }

    /// Shows the page under the policy that `PageHeaderTests` reads, and an app's page at `/app`, which
    /// keeps the messages that it gets.
    private static func server(_ html: String) throws -> LocalServer {
        let policy = "default-src 'none'; script-src 'nonce-AbCdEfGhIjKlMnOpQrStUv'"
        return try LocalServer { head in
            let type = "Content-Type: text/html; charset=utf-8"
            guard head.hasPrefix("GET /popup ") else {
                return LocalServer.reply(
                    "200 OK",
                    [type],
                    """
                    <!doctype html><title>app</title><script>
                    var told = [];
                    addEventListener("message", function (event) {
                      told.push([event.origin, JSON.stringify(event.data)]);
                    });
                    </script>
                    """
                )
            }
            return LocalServer.reply("200 OK", [type, "Content-Security-Policy: \(policy)"], html)
        }
    }

    @Test(
        "SEED-TIJS-6: the app's own page is told and reads it in the storage, then the window closes; another origin's page hears nothing",
        .enabled(if: BrowserKind.chromium.isThere, "needs a WebDriver server: TEST_WEBDRIVER")
    )
    func told() async throws {
        let handle = "\"</script>'\u{2028}alice"
        let html = try Self.html("did:plc:abc", handle)
        let (own, other) = (try Self.server(html), try Self.server(html))
        let origin = "http://127.0.0.1:\(own.port)"
        try await Browser.use { browser in
            try await browser.open("http://127.0.0.1:\(other.port)/app")
            try await browser.run("window.popup = open(arguments[0])", [.string("\(origin)/popup")])
            try await Self.waitUntilClosed(browser)
            #expect(try await browser.run("return told.length") == 0)

            try await browser.open("\(origin)/app")
            try await browser.run("localStorage.clear(); window.popup = open('/popup')")
            try await Self.waitUntilClosed(browser)
            let told = try await browser.run(
                "return told.concat([['', localStorage.getItem('pwa-oauth-result')]])"
            )
            let messages = try #require(told.array).map { $0.strings ?? [] }
            #expect(messages.map(\.first) == [origin, ""])
            #expect(messages.first?.last == messages.last?.last)
            let text = try #require(messages.last?.last)
            let result = try JSONObject(parsing: Array(text.utf8))
            #expect(result.string("type") == "oauth-callback" && result.bool("success") == true)
            #expect(result.string("did") == "did:plc:abc" && result.string("handle") == handle)
            #expect(result["timestamp"] != nil && result.count == 5)
        }
    }

    private static func waitUntilClosed(_ browser: Browser) async throws {
        try await waitUntil("the window closes") {
            try await browser.run("return window.popup.closed") == true
        }
        // One more turn, in which a message that was sent arrives.
        try await browser.run("return 0")
    }
}
