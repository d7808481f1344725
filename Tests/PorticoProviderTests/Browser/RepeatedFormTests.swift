import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// What two clicks do: the second form goes out with the cookies of the first.
@Suite("Forms of many steps that are sent twice (decision 0104)") struct RepeatedFormTests {
    private func twin(_ browser: TestBrowser, _ server: ProviderUnderTest) -> TestBrowser {
        let twin = browser.copy()
        return twin
    }

    @Test("decision 0104: a code of the second step that is sent twice is one sign-in, and goes on")
    func secondStep() async throws {
        let scene = try await SecondStepScene()
        let server = scene.server
        let browser = TestBrowser(server)
        let page = try await scene.asked(browser)
        let early = twin(browser, server)
        let form = [("code", scene.code)]
        let first = expectCode(try await browser.submit(page, form))
        let after = try await server.remains()
        let second = expectCode(try await early.submit(page, form))
        #expect(first != second)
        #expect(try await server.remains() == after)
        // Elsewhere the code is spent, and so is the page.
        let thief = TestBrowser(server)
        _ = try await thief.authorize(TestFlow.request())
        #expect(try await thief.submit(page, form).status == 403)
        expectAsked(try await thief.submit(try await scene.asked(thief), form))
    }

    @Test(
        "decision 0104: a registration that is sent twice makes one account, and goes on",
        arguments: [false, true]
    )
    func registration(_ sendsMail: Bool) async throws {
        let scene = try await RegistrationScene(sendsMail: sendsMail)
        let server = scene.server
        let before = try await scene.count()
        let page = try await scene.browser.authorize(RegistrationScene.request)
        let early = twin(scene.browser, server)
        var form = RegistrationScene.form
        if !sendsMail { form.removeAll { $0.0 == "email" } }
        var asked = page
        if sendsMail {
            asked = try await scene.browser.submit(page, form)
            scene.expectCodeAsked(asked)
            form = [("action", "confirm"), ("code", try await server.mailedCode())]
        }
        let first = expectCode(try await scene.browser.submit(asked, form))
        let second = expectCode(try await early.submit(asked, form))
        #expect(first != second)
        #expect(try await scene.count() == before + 1)
    }

    @Test("decision 0104: a code that is sent twice leads to a demanded password both times")
    func demandedPassword() async throws {
        let scene = try await SecondStepScene { new in
            new.people[0].person.requiredActions = [RequiredAction.updatePassword]
        }
        let browser = TestBrowser(scene.server)
        let page = try await scene.asked(browser)
        let early = twin(browser, scene.server)
        for sender in [browser, early] {
            let answer = try await sender.submit(page, [("code", scene.code)])
            #expect(answer.status == 303)
            expectPage(try await sender.get(try #require(answer.location)), "new-password")
        }
        #expect(try await scene.server.remains().sessions == 0)
    }

    @Test("decision 0104: two tabs of the account both open by one code of the second step")
    func accountTabs() async throws {
        let scene = try await SecondStepScene()
        let browser = TestBrowser(scene.server)
        let paths = ["/realms/test/account/apps", "/realms/test/account/password"]
        let alice = TestRealm.login()
        var pages: [Reply] = []
        for path in paths {
            pages.append(try await browser.submit(try await browser.get(path), alice))
        }
        for (page, path) in zip(pages, paths) {
            expectAsked(page)
            #expect(try await browser.submit(page, [("code", scene.code)]).location == path)
        }
        #expect(try await scene.server.remains().sessions == 1)
    }

    @Test("decision 0081: a tab that is asked for a proof of now goes on by none of before")
    func olderTab() async throws {
        let scene = try await SecondStepScene()
        let browser = TestBrowser(scene.server)
        let path = "/realms/test/account/password"
        let alice = TestRealm.login()
        expectCode(try await browser.submit(try await scene.asked(browser), [("code", scene.code)]))
        scene.server.clock.advance(by: 301)
        let page = try await browser.get(path)
        #expect(page.formAction == "/realms/test/account/sign-in")
        let asked = try await browser.submit(page, alice)
        expectAsked(asked)
        #expect(try await browser.submit(asked, [("code", scene.code)]).location == path)
    }

    @Test("decision 0104: a form for a new account that is sent twice mails one good code")
    func registrationCode() async throws {
        let scene = try await RegistrationScene()
        let server = scene.server
        let page = try await scene.browser.authorize(RegistrationScene.request)
        let early = twin(scene.browser, server)
        let asked = try await scene.browser.submit(page, RegistrationScene.form)
        let again = try await early.submit(page, RegistrationScene.form)
        scene.expectCodeAsked(asked)
        scene.expectCodeAsked(again, in: early)
        #expect(try await server.mails().count == 1)
        // So does the button for a new code; on the page that follows it is another form.
        let resend = [("action", "resend")]
        let second = try await scene.browser.submit(again, resend)
        #expect(try await early.submit(again, resend).text == second.text)
        #expect(try await server.mails().count == 2)
        server.clock.advance(by: 1)
        let third = try await scene.browser.submit(second, resend)
        #expect(try await server.mails().count == 3)
        expectCode(try await scene.confirm(third))
    }

    @Test("decision 0104: a wish for a link that is sent twice mails one, which is good")
    func resetLink() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser(sendsMail: true)
        let page = try await browser.get(ResetWalk.path)
        let early = twin(browser, server)
        let form = [("email", "alice@example.com"), ("action", "send")]
        let sent = try await browser.submit(page, form)
        #expect(sent.status == 200)
        #expect(try await early.submit(page, form).text == sent.text)
        #expect(try await server.mails().count == 1)
        // Whichever answer the browser took, the link leads to the page in it.
        let link = try await server.link()
        for one in [browser, early] {
            #expect(try await one.get(link).text.contains(#"name="password""#))
        }
        // Another address, or the same one later, is another wish.
        let other = [("email", "bob@example.com"), ("action", "send")]
        _ = try await browser.submit(page, other)
        #expect(try await server.mails().count == 2)
        server.clock.advance(by: 60)
        #expect(try await browser.submit(page, form).status == 200)
        #expect(try await server.mails().count == 3)
    }

    @Test("decision 0104: a wish for a code that is sent twice mails one, to its own person only")
    func confirmationCode() async throws {
        let server = try await ProviderUnderTest(sendsMail: true) { new in
            new.realm.confirmsEmail = true
            for index in new.people.indices { new.people[index].person.isEmailVerified = false }
        }
        let browser = TestBrowser(server)
        let asked = try await browser.signIn("alice", TestFlow.request())
        let form = [("action", "send")]
        let page = try await browser.submit(asked, form)
        #expect(try await browser.submit(asked, form).text == page.text)
        #expect(try await server.mails().count == 1)
        let code = try await server.mailedCode()
        // Without the session it is no answer of alice's.
        let out = TestBrowser(server)
        out.cookies = browser.cookies.filter { !$0.key.contains("session") }
        let refused = try await out.submit(asked, form)
        #expect(refused.status == 403 && !refused.text.contains("a…@example.com"))
        expectCode(try await browser.submit(page, [("action", "confirm"), ("code", code)]))
    }

    private func codes(_ page: Reply) -> [String] {
        page.text.matches(of: /[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}/).map { String($0.0) }
    }

    private func setsMade(_ server: ProviderUnderTest) async throws -> Int {
        try await server.mails().count { $0.draft.message == .recoveryCodesMade }
    }

    @Test("decision 0104: recovery codes that are asked for twice are one set, and both show it")
    func recoveryCodes() async throws {
        let make = [("action", "codes")]
        for _ in 1...5 {
            let server = try await ProviderUnderTest(sendsMail: true)
            let (browser, page) = try await SecondFactorAccountTests.signedIn(server)
            let setup = try await browser.press(page, [("action", "add")])
            let code = SecondFactorAccountTests.code(
                try SecondFactorAccountTests.app(setup),
                server
            )
            let done = try await browser.press(setup, [("action", "confirm"), ("code", code)])
            let replies = try await atOnce(1...4) { _ in try await browser.press(done, make) }
            let made = codes(try #require(replies.first))
            #expect(made.count == 12)
            for reply in replies { #expect(codes(reply) == made) }
            #expect(try await setsMade(server) == 1)
            #expect(server.log.matches(of: /event=second_factor\.codes_made/).count == 1)
            // What the screen shows is what counts.
            let elsewhere = TestBrowser(server)
            let asked = try await elsewhere.signIn("alice", TestFlow.request())
            expectCode(try await elsewhere.press(asked, [("code", made[3])]))
            // Reload later: no other set, and not this one again.
            server.clock.advance(by: 61)
            let late = try await browser.press(done, make)
            #expect(codes(late).isEmpty && late.text.contains("11 left"))
            #expect(try await setsMade(server) == 1)
        }
    }

    @Test("decision 0104: recovery codes are shown again to their session, while they are the ones")
    func recoveryCodesOver() async throws {
        let make = [("action", "codes")]
        let server = try await ProviderUnderTest(sendsMail: true)
        let (browser, page) = try await SecondFactorAccountTests.signedIn(server)
        let setup = try await browser.press(page, [("action", "add")])
        let code = SecondFactorAccountTests.code(try SecondFactorAccountTests.app(setup), server)
        let done = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        let first = codes(try await browser.press(done, make))
        let list = try await browser.get("/realms/test/account/second-factor")
        let second = codes(try await browser.press(list, make))
        #expect(first.count == 12 && second.count == 12 && first != second)
        // The first set is dead by now: it is not shown as if it were good.
        #expect(codes(try await browser.press(done, make)).isEmpty)
        #expect(codes(try await browser.press(list, make)) == second)
        #expect(try await setsMade(server) == 2)
        // The next session in this browser is shown none, even of the same person.
        try await browser.signOut()
        #expect(codes(try await browser.press(list, make)).isEmpty)
        let asked = try await browser.signIn("alice", TestFlow.request())
        expectCode(try await browser.press(asked, [("code", second[0])]))
        let again = try await browser.press(list, make)
        #expect(codes(again).isEmpty && again.location == nil)
        #expect(try await setsMade(server) == 2)
    }

    @Test("decision 0104: a new password that is sent twice is chosen once, and both say so")
    func newPassword() async throws {
        let walk = ResetWalk(try await ProviderUnderTest(sendsMail: true))
        let page = try await walk.open()
        let early = twin(walk.browser, walk.server)
        let form = [("password", ResetWalk.password)]
        for browser in [walk.browser, early] {
            let done = try await browser.submit(page, form)
            #expect(done.status == 200)
            #expect(done.text.contains("<title>Your password has been changed"))
        }
        let notices = try await walk.server.mails().filter { $0.draft.message == .passwordChanged }
        #expect(notices.count == 1)
        expectCode(try await TestBrowser(walk.server).signIn("alice", password: ResetWalk.password))
    }
}
