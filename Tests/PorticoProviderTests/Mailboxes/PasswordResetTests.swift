import Foundation
import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A forgotten password (WEB-PW-7)") struct PasswordResetTests {
    private let server: ProviderUnderTest
    private let walk: ResetWalk

    init() async throws {
        server = try await ProviderUnderTest(sendsMail: true)
        walk = ResetWalk(server)
    }

    private let old = TestRealm.passwords["alice"] ?? ""

    @Test("WEB-PW-7: from the sign-in page by mail to a new password, and back to the app")
    func whole() async throws {
        let sent = try await walk.ask()
        expectPage(sent, "reset-credentials")
        #expect(sent.text.contains("alice@example.com"))
        let mail = try #require(try await server.mails().first)
        #expect(mail.draft.to == "alice@example.com")
        let text = try server.text(of: mail)
        #expect(text.subject == "Choose a new password for Test")
        #expect(text.lines.last == "Test")
        let link = try await server.link()
        #expect(link.hasPrefix("/realms/test/login-actions/new-password?key="))
        // Opening it, however often, consumes nothing and changes nothing.
        var page = try await walk.browser.get(link)
        page = try await walk.browser.get(link)
        expectPage(page, "new-password")
        #expect(page.text.contains("signed out everywhere else"))
        expectCode(try await TestBrowser(server).signIn("alice", password: old))
        let done = try await walk.browser.submit(page, [("password", ResetWalk.password)])
        #expect(done.status == 200)
        #expect(done.text.contains("<title>Your password has been changed – Test</title>"))
        // The same request goes on, with the new password.
        let again = try await walk.browser.get(ResetWalk.restart(done))
        let form = [("username", "alice"), ("password", ResetWalk.password)]
        expectCode(try await walk.browser.submit(again, form))
        expectPage(try await TestBrowser(server).signIn("alice", password: old), "authenticate")
    }

    @Test("WEB-PW-7, WEB-SESS-6: a new password ends every session and token, and is mailed about")
    func endsSessions() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let device = TestBrowser(server)
        let tokens = try await server.tokens(scope: "openid offline_access", browser: device)
        let access = try tokens.accessToken
        #expect(try await server.userInfo(access).status == 200)
        let walk = ResetWalk(server)
        let page = try await walk.open()
        // Nothing has ended yet.
        #expect(try await server.userInfo(access).status == 200)
        _ = try await walk.browser.submit(page, [("password", ResetWalk.password)])
        #expect(try await server.userInfo(access).status == 401)
        #expect(try await server.refresh(tokens.refreshToken).error == "invalid_grant")
        expectPage(try await device.authorize(TestFlow.request()), "authenticate")
        let notices = try await server.mails().filter { $0.draft.message == .passwordChanged }
        #expect(notices.count == 1)
        let notice = try #require(notices.first)
        #expect(notice.draft.to == "alice@example.com")
        #expect(try server.text(of: notice).subject == "Your password was changed")
        let log = server.log
        #expect(log.contains("password.reset_asked"))
        #expect(log.contains("event=password.reset "))
    }

    @Test("WEB-PW-7: a link works once")
    func once() async throws {
        let page = try await walk.open()
        let link = try await server.link()
        #expect(try await walk.browser.submit(page, [("password", "short")]).status == 200)
        let done = try await walk.browser.submit(page, [("password", ResetWalk.password)])
        #expect(done.status == 200)
        let mails = try await server.mails().count
        let second = try await walk.browser.submit(page, [("password", "another river runs")])
        #expect(second.status == 400)
        #expect(second.text.contains("This link has already been used"))
        let reopened = try await walk.browser.get(link)
        #expect(reopened.status == 400)
        #expect(reopened.text.contains("This link has already been used"))
        expectCode(try await TestBrowser(server).signIn("alice", password: ResetWalk.password))
        #expect(try await server.mails().count == mails)
    }

    @Test("WEB-PW-7: a link works for half an hour")
    func late() async throws {
        let page = try await walk.open()
        let link = try await server.link()
        server.clock.advance(by: 1799)
        expectPage(try await walk.browser.get(link), "new-password")
        server.clock.advance(by: 1)
        for late in [
            try await walk.browser.get(link),
            try await walk.browser.submit(page, [("password", ResetWalk.password)]),
        ] {
            #expect(late.status == 400)
            #expect(late.text.contains("This link has expired"))
        }
        expectCode(try await TestBrowser(server).signIn("alice", password: old))
        // The page leads to another one.
        let again = try await walk.browser.get(link)
        expectPage(try await walk.browser.get(ResetWalk.forgot(again)), "reset-credentials")
    }

    @Test("WEB-PW-7: a newer link takes the place of an older one")
    func replaced() async throws {
        let page = try await walk.open()
        let first = try await server.link()
        server.clock.advance(by: 5)
        _ = try await walk.ask()
        let second = try await server.link()
        #expect(second != first)
        for old in [
            try await walk.browser.get(first),
            try await walk.browser.submit(page, [("password", ResetWalk.password)]),
        ] {
            #expect(old.status == 400)
            #expect(old.text.contains("until a newer one is sent"))
        }
        expectCode(try await TestBrowser(server).signIn("alice", password: old))
        expectPage(try await walk.browser.get(second), "new-password")
    }

    @Test(
        "WEB-PW-4, WEB-PW-5: a new password follows the policy, and a refused one changes nothing",
        arguments: [
            ("", "Enter a new password"), ("short", "at least 8 characters"),
            ("password123", "easy to guess"), ("alice2026", "made of your name"),
            (String(repeating: "x", count: 1025), "This one is too long"),
        ]
    )
    func policy(_ password: String, _ words: String) async throws {
        let refused = try await walk.browser.submit(walk.open(), [("password", password)])
        expectPage(refused, "new-password")
        #expect(refused.text.contains("<title>Error: "))
        #expect(refused.text.contains(words))
        #expect(password.isEmpty || !refused.text.contains(">\(password)<"))
        expectCode(try await TestBrowser(server).signIn("alice", password: old))
        let done = try await walk.browser.submit(refused, [("password", ResetWalk.password)])
        #expect(done.text.contains("has been changed"))
    }

    @Test("A mailbox that was proven is a verified address")
    func verifies() async throws {
        let server = try await ProviderUnderTest(sendsMail: true) {
            $0.people[0].person.isEmailVerified = false
        }
        let walk = ResetWalk(server)
        _ = try await walk.browser.submit(walk.open(), [("password", ResetWalk.password)])
        let code = expectCode(try await walk.browser.signIn("alice", password: ResetWalk.password))
        let info = try await server.userInfo(try server.redeem(code).accessToken)
        #expect(info.json["email_verified"] == true)
    }

    @Test("What is not an address is asked for again, with what was typed")
    func notAnAddress() async throws {
        let again = try await walk.ask("alice")
        expectPage(again, "reset-credentials")
        #expect(again.text.contains("<title>Error: "))
        #expect(again.text.contains(#"value="alice""#))
        #expect(try await server.mails().isEmpty)
    }

    @Test("WEB-A11Y-19: an address from the sign-in form is not asked for again")
    func addressKept() async throws {
        let (_, browser) = try await ProviderUnderTest.withBrowser(sendsMail: true)
        let page = try await browser.authorize(TestFlow.request())
        let form = [("username", "Ann@Example.com"), ("password", "wrong password")]
        let failed = try await browser.submit(page, form)
        let link = ResetWalk.forgot(failed)
        // No one reads it in the address bar or in a log.
        #expect(!link.contains("@") && !link.contains("%40"))
        #expect(try await browser.get(link).text.contains(#"value="ann@example.com""#))
        let hint = TestFlow.request("native1", [("login_hint", "bob@example.com")])
        let hinted = try await browser.get(ResetWalk.forgot(try await browser.authorize(hint)))
        #expect(hinted.text.contains(#"value="bob@example.com""#))
    }

    @Test("Cancelling leads back to the same request, or to the realm's first page")
    func cancel() async throws {
        let page = try await walk.browser.authorize(TestFlow.request())
        let form = try await walk.browser.get(ResetWalk.forgot(page))
        let back = try await walk.browser.submit(form, [("action", "cancel")])
        #expect(back.status == 303)
        expectPage(try await walk.browser.get(try #require(back.location)), "authenticate")
        let bare = try await walk.browser.get(ResetWalk.path)
        let start = try await walk.browser.submit(bare, [("action", "cancel")])
        #expect(start.location == "/realms/test")
        #expect(try await server.mails().isEmpty)
    }

    @Test("The pages and the mail speak the language that the app asked for")
    func language() async throws {
        let sent = try await walk.ask(
            "alice@example.com",
            TestFlow.request("native1", [("ui_locales", "de")])
        )
        #expect(sent.text.contains(#"<html lang="de""#))
        let mail = try #require(try await server.mails().first)
        #expect(try server.text(of: mail).subject == "Neues Passwort für Test wählen")
        let page = try await walk.browser.get(try await server.link())
        #expect(page.text.contains(#"<html lang="de""#))
        let done = try await walk.browser.submit(page, [("password", ResetWalk.password)])
        #expect(done.text.contains("Ihr Passwort wurde geändert"))
    }

    @Test("Where the realm does not allow it, or no mail can be sent, it is nowhere")
    func notOffered() async throws {
        let without = try await ProviderUnderTest(sendsMail: false)
        let closed = try await ProviderUnderTest(sendsMail: true) {
            $0.realm.allowsPasswordReset = false
        }
        for server in [without, closed] {
            let browser = TestBrowser(server)
            let page = try await browser.authorize(TestFlow.request())
            expectPage(page, "authenticate")
            #expect(!page.text.contains("reset-credentials"))
            let form = [("email", "alice@example.com"), ("action", "send")]
            for reply in [
                try await browser.get(ResetWalk.path),
                try await browser.post(ResetWalk.path, form),
                try await browser.get("/realms/test/login-actions/new-password?key=x"),
                try await browser.post("/realms/test/login-actions/new-password", form),
            ] {
                #expect(reply.status == 404)
            }
            #expect(try await server.mails().isEmpty)
        }
    }

    @Test("WEB-CRYPT-2: the link is not in the database, where its hash is, nor is the code")
    func stored() async throws {
        let database = try TestDatabase.inFile()
        let server = try await ProviderUnderTest(database: database, sendsMail: true)
        let walk = ResetWalk(server)
        _ = try await walk.ask()
        let link = try await server.link()
        let key = try #require(link.split(separator: "=").last.map(String.init))
        #expect(try await TestBrowser(server).get(link).status == 200)
        let file = try #require(database.file)
        var kept = try Data(contentsOf: URL(filePath: file))
        kept += try Data(contentsOf: URL(filePath: file + "-wal"))
        #expect(kept.range(of: Data("alice@example.com".utf8)) != nil)
        for cookie in walk.browser.cookies.values + [key] {
            #expect(cookie.utf8.count == 43)
            #expect(kept.range(of: Data(cookie.utf8)) == nil)
            let bytes = try #require(Base64URL.decode(cookie))
            #expect(kept.range(of: Data(bytes)) == nil)
        }
    }

    @Test("WEB-CRYPT-2: of a code that another browser showed nothing is kept to try out")
    func keptCode() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        _ = try await ResetWalk(server).ask()
        let other = TestBrowser(server, from: "198.51.100.9")
        let opened = try await other.get(try await server.link())
        let shown = try await other.submit(opened, [("action", "show-code")])
        let code = ResetWalk.code(shown).filter(\.isNumber)
        let kept = try server.database.keptResetCodes()
        #expect(kept.count == 1)
        #expect(code.count == 6 && kept[0].hash.count == 32)
        #expect(!kept[0].isPlain(code))
    }
}

/// A person who has forgotten their password, in one browser.
struct ResetWalk {
    let server: ProviderUnderTest
    let browser: TestBrowser
    static let path = "/realms/test/login-actions/reset-credentials"
    static let password = "a river runs backwards"

    init(_ server: ProviderUnderTest, from address: String = "192.0.2.1") {
        self.server = server
        browser = TestBrowser(server, from: address)
    }

    /// Asks for a link, as from the sign-in page of an app.
    func ask(
        _ email: String = "alice@example.com",
        _ request: [(String, String)] = TestFlow.request()
    ) async throws -> Reply {
        let form = try await browser.get(Self.forgot(browser.authorize(request)))
        return try await browser.submit(form, [("email", email), ("action", "send")])
    }

    /// Asks for a link and opens it in the same browser.
    func open() async throws -> Reply {
        _ = try await ask()
        return try await browser.get(try await server.link())
    }

    /// The link on the sign-in page.
    static func forgot(_ page: Reply) -> String {
        let link = page.text.firstMatch(of: /href="([^"]*reset-credentials[^"]*)"/)?.1 ?? ""
        return String(link).replacing("&amp;", with: "&")
    }

    /// Where a page's one button of that kind leads.
    static func restart(_ page: Reply) -> String {
        String(page.text.firstMatch(of: /href="([^"]*restart[^"]*)"/)?.1 ?? "")
    }

    /// The code that a page of the other browser shows.
    static func code(_ page: Reply) -> String {
        String(
            page.text.firstMatch(of: /<bdi dir="ltr" class="whole">([0-9]{3} [0-9]{3})<\/bdi>/)?.1
                ?? ""
        )
    }
}

extension TestBrowser {
    /// Signs in with a password.
    func signIn(_ name: String, password: String) async throws -> Reply {
        let page = try await authorize(TestFlow.again)
        return try await submit(page, [("username", name), ("password", password)])
    }
}
