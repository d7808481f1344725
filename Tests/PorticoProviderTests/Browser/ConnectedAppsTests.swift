import HTTPTypes
import PorticoStores
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Connected apps (WEB-A11Y-18)") struct ConnectedAppsTests {
    private static let path = "/realms/test/account/apps"

    /// The page, with the form of the app of that name.
    private func remove(_ name: String, _ page: Reply, _ browser: TestBrowser) async throws
        -> Reply
    {
        // A form carries its id, and its button the name.
        let forms = page.text.split(separator: "<form ").dropFirst().map { part in
            part[..<(part.firstRange(of: "</form>")?.lowerBound ?? part.endIndex)]
        }
        let form = try #require(forms.first { $0.contains(">\(name)<") })
        let id = try #require(form.firstMatch(of: /name="id" value="([^"]*)"/)).1
        let proof = page.formProof
        return try await browser.post(
            Self.path,
            proof + [("id", String(id)), ("action", "remove")]
        )
    }

    /// Whether the page offers to remove the app of that name.
    private func offers(_ name: String, _ page: Reply) -> Bool {
        page.text.contains(">\(name)</bdi></button>")
    }

    /// The tokens of an app over the browser's session.
    private func tokens(_ server: ProviderUnderTest, _ browser: TestBrowser, _ scope: String)
        async throws -> Reply
    {
        let request = TestFlow.request("native1", scope: scope)
        return try await server.redeem(expectCode(try await browser.authorize(request)))
    }

    private func signedIn(_ server: ProviderUnderTest) async throws -> TestBrowser {
        let browser = TestBrowser(server)
        _ = try await browser.submit(browser.get(Self.path), TestRealm.login())
        return browser
    }

    @Test("Without a session the Provider's own sign-in comes first, and then the page")
    func signIn() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let account = try await browser.get("/realms/test/account")
        #expect(account.status == 303)
        #expect(account.location?.contains("signed-in?page=overview") == true)
        let form = try await browser.get(Self.path)
        #expect(form.status == 200)
        #expect(form.formAction == "/realms/test/account/sign-in")
        let wrong = try await browser.submit(form, [("username", "alice"), ("password", "no")])
        #expect(wrong.text.contains("is incorrect"))
        #expect(wrong.text.contains(#"value="alice""#))
        #expect(try await server.remains() == Remains())
        let done = try await browser.submit(wrong, TestRealm.login())
        #expect(done.status == 303)
        #expect(done.location == Self.path)
        let page = try await browser.get(Self.path)
        #expect(page.status == 200)
        #expect(page.text.contains("Connected apps"))
        #expect(page.text.contains("alice@example.com"))
        #expect(page.text.contains("No connected apps"))
        // The session is the Provider's: apps use it.
        expectCode(try await browser.authorize(TestFlow.request()))
        #expect(try await server.remains().liveSessions == 1)
        let out = TestBrowser(server)
        let start = try await out.submit(try await out.get(Self.path), [("action", "cancel")])
        #expect(start.location == "/realms/test")
    }

    @Test("WEB-BRUTE-1: guesses at the account's sign-in count like those anywhere else")
    func guessing() async throws {
        let server = try await ProviderUnderTest()
        for number in 1...6 {
            let browser = TestBrowser(server)
            let form = try await browser.get(Self.path)
            let guess = [("username", "alice"), ("password", "wrong")]
            #expect(try await browser.submit(form, guess).status == (number < 6 ? 200 : 429))
        }
        let browser = TestBrowser(server)
        #expect(try await browser.signIn("alice", TestFlow.request()).status == 429)
    }

    @Test("WEB-A11Y-18, WCAG 3.3.4: what was allowed is told, and taken back with every token")
    func remove() async throws {
        let server = try await ProviderUnderTest()
        let browser = try await signedIn(server)
        let asked = try await browser.authorize(TestFlow.request("third", scope: "openid email"))
        let code = expectCode(try await browser.submit(asked, [("action", "allow")]), of: "third")
        let third = try await server.redeem(code, "third")
        let access = try third.accessToken
        let own = try await tokens(server, browser, "openid offline_access")
        server.clock.advance(by: 120)
        let page = try await browser.get(Self.path)
        for words in [
            "See your email address", "Keep this access", "Allowed", "Last used 2 minutes ago",
        ] {
            #expect(page.text.contains(words), "\(words)")
        }
        #expect(offers("Third", page) && offers("Native1", page))
        let removed = try await remove("Third", page, browser)
        #expect(removed.status == 200)
        #expect(removed.text.contains(#"role="status""#))
        #expect(!offers("Third", removed) && offers("Native1", removed))
        #expect(try await server.userInfo(access).status == 401)
        #expect(try await server.refresh(third.refreshToken, "third").error == "invalid_grant")
        #expect(try await server.remains().consents == 0)
        // It asks again, and the others stay.
        expectPage(try await browser.authorize(TestFlow.request("third")), "consent")
        let offline = try own.refreshToken
        #expect(try await server.refresh(offline).status == 200)
        _ = try await remove("Native1", removed, browser)
        #expect(try await server.refresh(offline).error == "invalid_grant")
        #expect(server.log.contains("event=consent.removed "))
    }

    @Test("A code that the removed app has not redeemed is worth nothing; one from later is")
    func code() async throws {
        let server = try await ProviderUnderTest()
        let browser = try await signedIn(server)
        _ = try await tokens(server, browser, "openid")
        let request = TestFlow.request("native1", scope: "openid offline_access")
        let code = expectCode(try await browser.authorize(request))
        let others = expectCode(try await browser.authorize(TestFlow.request("web1")), of: "web1")
        _ = try await remove("Native1", try await browser.get(Self.path), browser)
        #expect(try await server.redeem(code).error == "invalid_grant")
        #expect(!offers("Native1", try await browser.get(Self.path)))
        #expect(try await server.redeem(others, "web1").status == 200)
        server.clock.advance(by: 1)
        let later = expectCode(try await browser.authorize(request))
        #expect(try await server.redeem(later).status == 200)
    }

    @Test("An offline grant is told, and removed, when its session is long over")
    func offline() async throws {
        let server = try await ProviderUnderTest()
        let tokens = try await server.tokens(scope: "openid offline_access")
        server.clock.advance(by: 86_400 * 3)
        try await server.database.sessions.purge(before: server.clock.seconds - 86_400)
        let browser = try await signedIn(server)
        let page = try await browser.get(Self.path)
        #expect(page.text.contains("Last used 3 days ago"))
        #expect(try await remove("Native1", page, browser).text.contains("No connected apps"))
        #expect(try await server.refresh(tokens.refreshToken).error == "invalid_grant")
    }

    @Test("No one sees or removes another person's apps")
    func others() async throws {
        let server = try await ProviderUnderTest()
        let bobs = try await server.tokens("bob", scope: "openid offline_access")
        let browser = try await signedIn(server)
        #expect(try await !browser.get(Self.path).text.contains("Native1"))
        let own = try await tokens(server, browser, "openid")
        let removed = try await remove("Native1", try await browser.get(Self.path), browser)
        #expect(removed.text.contains("No connected apps"))
        #expect(try await server.userInfo(try own.accessToken).status == 401)
        #expect(try await server.refresh(bobs.refreshToken).status == 200)
    }

    @Test("WEB-CSRF-1, WEB-CSRF-5: no other site removes an app or signs a person in")
    func forged() async throws {
        let server = try await ProviderUnderTest()
        let browser = try await signedIn(server)
        let access = try #require(
            try await tokens(server, browser, "openid").json.string("access_token")
        )
        let page = try await browser.get(Self.path)
        let id = page.hiddenFields.first { $0.name == "id" }?.value ?? ""
        let fields = [("id", id), ("action", "remove")]
        #expect(try await browser.submit(page, fields + [("csrf", "")]).status == 403)
        let cross = try await browser.submit(page, fields, headers: [.fetchSite: "cross-site"])
        #expect(cross.status == 403)
        _ = try await browser.get(Self.path + "?id=\(id)&action=remove")
        // The page of a session before: its form does nothing in the next one, and is shown as it is now.
        _ = try await browser.signIn("bob", TestFlow.again)
        #expect(try await browser.submit(page, fields).status == 200)
        #expect(try await server.userInfo(access).status == 401, "bob's sign-in ended it")
        let fresh = TestBrowser(server)
        let form = try await fresh.get(Self.path)
        #expect(try await fresh.submit(form, TestRealm.login() + [("csrf", "x")]).status == 403)
        let forged = try await fresh.submit(
            form,
            TestRealm.login(),
            headers: [.fetchSite: "cross-site"]
        )
        #expect(forged.status == 403)
        let blocked = TestBrowser(server)
        #expect(
            try await blocked.submit(form, TestRealm.login()).text.contains("Cookies are blocked")
        )
        // Without a session a removal is a sign-in first.
        #expect(
            try await TestBrowser(server).post(Self.path, fields).formAction
                == "/realms/test/account/sign-in"
        )
    }
}
