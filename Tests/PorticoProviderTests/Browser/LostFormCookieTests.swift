import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

/// A page whose form cookie is gone, as after the browser was closed, or was replaced, as by another tab
/// that was opened at the same time: the browser says that a page of ours sent the form.
@Suite("Forms whose cookie is lost do nothing, and their page is shown again (decision 0104)")
struct LostFormCookieTests {
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

    @Test("An account's sign-in is shown with the name that was typed", arguments: [false, true])
    func accountSignIn(isReplaced: Bool) async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        // The browser is known to keep cookies.
        _ = try await browser.signIn("alice", TestFlow.request())
        try await leave(browser)
        let page = try await browser.get(Self.devices)
        try await lose(browser, isReplaced: isReplaced)
        let before = try await server.remains()
        #expect(try await browser.submit(page, TestRealm.login()).status == 403)
        let again = try await browser.submit(page, TestRealm.login(), headers: Self.ours)
        #expect(again.status == 403 && again.formAction == "/realms/test/account/sign-in")
        #expect(again.userName == "alice")
        #expect(!again.text.contains(TestRealm.passwords["alice"] ?? "-"))
        #expect(try await server.remains() == before)
        #expect(try await browser.submit(again, TestRealm.login()).location == Self.devices)
    }

    @Test("A page of the account is shown as it is now", arguments: [false, true])
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
        #expect(again.formAction == Self.devices)
        #expect(try await server.remains() == before)
        _ = try await browser.post(Self.devices, again.formProof + end, headers: Self.ours)
        #expect(try await server.remains().liveSessions == before.liveSessions - 1)
    }

    @Test("Signing out asks again", arguments: [false, true])
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

    @Test("A forgotten password keeps the address, and mails nothing before it is sent again")
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
        "A new password is chosen once its page was sent again, and not before",
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

    @Test("So is the page for the code that the link shows elsewhere", arguments: [false, true])
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
