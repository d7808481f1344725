import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// What the next person at the machine can do by going back and loading a page anew: the browser sends
/// the form with the password again.
@Suite("A form that is sent again after its session") struct ResentFormTests {
    /// How a session ends.
    enum End: CaseIterable, Sendable {
        case signOut, elsewhere, idle
    }

    private func end(_ how: End, _ browser: TestBrowser, _ server: ProviderUnderTest) async throws {
        switch how {
        case .signOut:
            _ = try await browser.submit(browser.get(.endpoint("logout")), [("action", "sign-out")])
        case .elsewhere:
            let other = TestBrowser(server)
            _ = try await other.signIn("alice", TestFlow.request())
            let page = try await other.get("/realms/test/account/devices")
            _ = try await other.press(page, [("action", "end-others")])
        case .idle: server.clock.advance(by: 1800 + 300)
        }
    }

    /// Alice's password, typed on a page of a session that is over, signs no one in.
    private func expectNothing(
        of page: Reply,
        _ browser: TestBrowser,
        _ server: ProviderUnderTest
    ) async throws {
        let before = try await server.remains()
        for headers: HTTPFields in [[:], [.fetchSite: "same-origin"]] {
            let again = try await browser.submit(page, TestRealm.login(), headers: headers)
            #expect(again.status == 403 && again.location == nil)
            #expect(!again.text.contains(TestRealm.passwords["alice"] ?? "-"))
            #expect(try await server.remains() == before)
            #expect(try await !browser.isSignedIn())
        }
    }

    @Test(
        "WEB-SESS-4, decision 0104: a password that is sent again after the session signs no one in",
        arguments: End.allCases
    )
    func password(_ how: End) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request("third"))
        expectPage(try await browser.submit(page, TestRealm.login()), "consent")
        // As long as the session lives, the second click goes on.
        expectPage(try await browser.submit(page, TestRealm.login()), "consent")
        #expect(try await browser.isSignedIn())
        try await end(how, browser, server)
        try await expectNothing(of: page, browser, server)
        // The page begins again, and the person can sign in.
        let shown = try await browser.submit(
            page,
            TestRealm.login(),
            headers: [.fetchSite: "same-origin"]
        )
        expectPage(shown, "authenticate", status: 403)
        #expect(shown.userName == "alice")
        expectPage(try await browser.submit(shown, TestRealm.login()), "consent")
        #expect(try await browser.isSignedIn())
    }

    @Test(
        "WEB-SESS-4, decision 0104: the same of a page of the account, which could change the password",
        arguments: End.allCases
    )
    func account(_ how: End) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let path = "/realms/test/account/password"
        let page = try await browser.get(path)
        for _ in 1...2 {
            #expect(try await browser.submit(page, TestRealm.login()).location == path)
        }
        try await end(how, browser, server)
        try await expectNothing(of: page, browser, server)
    }

    @Test("decision 0104: where another person has signed in since, the password of before is none")
    func otherPerson() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        expectCode(try await browser.submit(page, TestRealm.login()))
        let tab = try await browser.authorize(TestFlow.again)
        expectCode(
            try await browser.submit(
                try await browser.authorize(TestFlow.again),
                TestRealm.login("bob")
            )
        )
        let before = try await server.remains()
        #expect(try await browser.submit(page, TestRealm.login()).status == 403)
        #expect(try await server.remains() == before)
        // What bob had open when he signed in is his, but proves him no second time.
        let shown = try await browser.submit(tab, TestRealm.login("bob"))
        expectPage(shown, "authenticate", status: 403)
        expectCode(try await browser.submit(shown, TestRealm.login("bob")))
    }

    /// What a request asks for that gives its answer to who sits down at an open browser.
    enum Asked: CaseIterable, Sendable {
        case nothing, login, maxAge

        var changes: [(String, String)] {
            switch self {
            case .nothing: []
            case .login: [("prompt", "login")]
            case .maxAge: [("max_age", "60")]
            }
        }
    }

    @Test(
        "decisions 0081 and 0104: a password that is sent again beside its session proves no one anew",
        arguments: Asked.allCases
    )
    func later(_ asked: Asked) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request("native1", asked.changes))
        let start = server.clock.seconds
        let first = try await server.redeem(
            expectCode(try await browser.submit(page, TestRealm.login()))
        )
        let session = try first.claims
        server.clock.advance(by: 310)
        let before = try await server.remains()
        let cookies = browser.cookies
        // Back, Reload: the browser has the form in its history.
        let again = try await browser.submit(page, TestRealm.login())
        #expect(try await server.remains() == before && browser.cookies == cookies)
        var answer = again
        if asked != .nothing {
            expectPage(again, "authenticate", status: 403)
            #expect(!again.text.contains(TestRealm.passwords["alice"] ?? "-"))
            answer = try await browser.submit(again, TestRealm.login())
        }
        let second = try await server.redeem(expectCode(answer))
        let claims = try second.claims
        #expect(claims.string("sid") == session.string("sid"))
        let proven = asked == .nothing ? start : server.clock.seconds
        #expect(claims.int64("auth_time") == proven)
        // The account asks for the password before it is changed, unless it was typed just now.
        let account = try await browser.get("/realms/test/account/password")
        let isAsked = account.formAction == "/realms/test/account/sign-in"
        #expect(isAsked == (asked == .nothing))
        #expect(try await server.person().epoch == 0)
    }

    @Test("decision 0081: a sign-in at the account that is sent again opens no page for a password")
    func laterAtAccount() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let path = "/realms/test/account/password"
        let signIn = "/realms/test/account/sign-in"
        let page = try await browser.get(path)
        #expect(try await browser.submit(page, TestRealm.login()).location == path)
        server.clock.advance(by: 310)
        let before = try await server.remains()
        let cookies = browser.cookies
        let again = try await browser.submit(page, TestRealm.login())
        #expect(again.status == 403 && again.location == nil && again.formAction == signIn)
        #expect(try await server.remains() == before && browser.cookies == cookies)
        #expect(try await browser.get(path).formAction == signIn)
        // Typed anew it counts.
        #expect(try await browser.submit(again, TestRealm.login()).location == path)
        #expect(try await browser.get(path).formAction == path)
    }

    @Test("decision 0081: a password that is sent again leads to no page for a code")
    func laterSecondStep() async throws {
        let scene = try await SecondStepScene()
        let (server, browser) = (scene.server, TestBrowser(scene.server))
        let page = try await browser.authorize(TestFlow.again)
        let step = try await browser.submit(page, TestRealm.login())
        expectAsked(step)
        expectCode(try await browser.submit(step, [("code", scene.code)]))
        server.clock.advance(by: 310)
        let again = try await browser.submit(page, TestRealm.login())
        expectPage(again, "authenticate", status: 403)
        #expect(!again.text.contains(#"name="code""#))
        #expect(try await server.remains().sessions == 1)
    }

    @Test("decision 0104: the second click of a sign-in is as old as the first")
    func secondClick() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let page = try await browser.authorize(TestFlow.request())
        let early = browser.copy()
        let start = server.clock.seconds
        expectCode(try await browser.submit(page, TestRealm.login()))
        server.clock.advance(by: 50)
        let tokens = try await server.redeem(
            expectCode(try await early.submit(page, TestRealm.login()))
        )
        let claims = try tokens.claims
        #expect(claims.int64("auth_time") == start)
        #expect(try await server.remains().sessions == 1)
    }

    @Test("decision 0104: a code of the second step is none after the session")
    func secondStep() async throws {
        let scene = try await SecondStepScene()
        let browser = TestBrowser(scene.server)
        let page = try await scene.asked(browser)
        expectCode(try await browser.submit(page, [("code", scene.code)]))
        try await end(.signOut, browser, scene.server)
        scene.server.clock.advance(by: 60)
        let before = try await scene.server.remains()
        let again = try await browser.submit(page, [("code", scene.code)])
        #expect(again.status == 403 && again.location == nil)
        #expect(try await scene.server.remains() == before)
        #expect(try await !browser.isSignedIn())
    }

    private static let ours: HTTPFields = [.fetchSite: "same-origin"]
    private static let apps = "/realms/test/account/apps"
    private static let devices = "/realms/test/account/devices"

    private func lose(_ browser: TestBrowser, isReplaced: Bool) async throws {
        for name in browser.cookies.keys where name.contains("visit") || name.contains("former") {
            browser.cookies[name] = nil
        }
        if isReplaced { _ = try await browser.get(Self.apps) }
    }

    private func leave(_ browser: TestBrowser) async throws {
        _ = try await browser.submit(browser.get(.endpoint("logout")), [("action", "sign-out")])
    }

    @Test(
        "Without its form cookie an account's sign-in is shown with the name that was typed",
        arguments: [false, true]
    )
    func accountSignIn(isReplaced: Bool) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        // The browser is known to keep cookies.
        _ = try await browser.signIn("alice", TestFlow.request())
        try await leave(browser)
        let page = try await browser.get(Self.apps)
        try await lose(browser, isReplaced: isReplaced)
        let before = try await server.remains()
        #expect(try await browser.submit(page, TestRealm.login()).status == 403)
        let again = try await browser.submit(page, TestRealm.login(), headers: Self.ours)
        #expect(again.status == 403 && again.formAction == "/realms/test/account/sign-in")
        #expect(again.userName == "alice")
        #expect(!again.text.contains(TestRealm.passwords["alice"] ?? "-"))
        #expect(try await server.remains() == before)
        #expect(try await browser.submit(again, TestRealm.login()).location == Self.apps)
    }

    @Test(
        "Without its form cookie a page of the account leads to how it is now",
        arguments: [false, true]
    )
    func devices(isReplaced: Bool) async throws {
        let server = try await ProviderUnderTest()
        let other = TestBrowser(server)
        _ = try await other.signIn("alice", TestFlow.request())
        let browser = TestBrowser(server)
        _ = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.get(Self.devices)
        let end = [("action", "end-others")]
        try await lose(browser, isReplaced: isReplaced)
        let before = try await server.remains()
        let forged = try await browser.post(Self.devices, page.formProof + end)
        #expect(forged.status == 403)
        let again = try await browser.post(Self.devices, page.formProof + end, headers: Self.ours)
        #expect(again.text.contains("href=\"\(Self.devices)"))
        #expect(try await server.remains() == before)
        let now = try await browser.get(Self.devices)
        _ = try await browser.post(Self.devices, now.formProof + end, headers: Self.ours)
        #expect(try await server.remains().liveSessions == before.liveSessions - 1)
    }

    @Test("Without its form cookie signing out asks again", arguments: [false, true])
    func signOut(isReplaced: Bool) async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let page = try await browser.get(.endpoint("logout"))
        try await lose(browser, isReplaced: isReplaced)
        let yes = [("action", "sign-out")]
        #expect(try await browser.submit(page, yes).status == 403)
        let again = try await browser.submit(page, yes, headers: Self.ours)
        #expect(again.formAction == page.formAction && again.status == 200)
        #expect(try await server.remains().liveSessions == 1)
        #expect(try await browser.submit(again, yes, headers: Self.ours).status == 200)
        #expect(try await server.remains().liveSessions == 0)
    }

    @Test("Without its form cookie a forgotten password keeps the address, and mails nothing")
    func forgotten() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser(sendsMail: true)
        let page = try await browser.get(ResetWalk.path)
        try await lose(browser, isReplaced: true)
        let ask = [("email", "alice@example.com"), ("action", "send")]
        let again = try await browser.submit(page, ask, headers: Self.ours)
        expectPage(again, "reset-credentials", status: 403)
        #expect(again.text.contains(#"value="alice@example.com""#))
        #expect(try await server.mails().isEmpty)
        #expect(try await browser.submit(again, ask, headers: Self.ours).status == 200)
        #expect(try await server.mails().count == 1)
    }

    /// On a new phone nothing but the wish for a link shows that the browser keeps cookies.
    @Test(
        "Without its form cookie a new password is chosen once its page was sent again",
        arguments: [false, true]
    )
    func newPassword(isReplaced: Bool) async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let walk = ResetWalk(server)
        let page = try await walk.open()
        try await lose(walk.browser, isReplaced: isReplaced)
        let form = [("password", ResetWalk.password)]
        let again = try await walk.browser.submit(page, form, headers: Self.ours)
        expectPage(again, "new-password", status: 403)
        #expect(!again.text.contains(ResetWalk.password))
        expectCode(try await TestBrowser(server).signIn("alice", TestFlow.request()))
        let done = try await walk.browser.submit(again, form, headers: Self.ours)
        #expect(done.text.contains("Your password has been changed"))
    }

    @Test(
        "Without its form cookie the page for the code of a link is shown again",
        arguments: [false, true]
    )
    func resetCode(isReplaced: Bool) async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let walk = ResetWalk(server)
        let page = try await walk.ask()
        try await lose(walk.browser, isReplaced: isReplaced)
        let form = [("action", "confirm"), ("code", "000000")]
        let again = try await walk.browser.submit(page, form, headers: Self.ours)
        #expect(again.status == 403 && again.formAction == page.formAction)
        #expect(again.text.contains(#"name="code""#))
    }
}
