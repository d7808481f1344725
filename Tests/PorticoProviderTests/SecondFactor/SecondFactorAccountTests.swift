import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("A person's own second factors") struct SecondFactorAccountTests {
    private let server: ProviderUnderTest

    init() async throws {
        server = try await ProviderUnderTest()
    }

    private static let path = "/realms/test/account/second-factor"

    /// Alice on the page, signed in just now by her password alone.
    static func signedIn(_ server: ProviderUnderTest) async throws -> (TestBrowser, Reply) {
        let browser = TestBrowser(server)
        #expect(try await browser.press(browser.get(path), TestRealm.login()).location == path)
        return (browser, try await browser.get(path))
    }

    /// The app that took the key on the page.
    static func app(_ page: Reply) throws -> OneTimePassword {
        let key = try #require(
            page.text.firstMatch(of: /otpauth:[^"]*secret=([A-Z2-7]{32})/).map { String($0.1) }
        )
        let bytes = try #require(Base32.decode(key))
        return try #require(OneTimePassword(key: bytes, digest: .sha1, digits: 6, period: 30))
    }

    static func code(_ app: OneTimePassword, _ server: ProviderUnderTest) -> String {
        app.code(at: server.clock.seconds / 30)
    }

    private static func factors(_ server: ProviderUnderTest) async throws -> [Credential] {
        let alice = try await server.person().person
        return try await server.database.people.secondFactors(of: alice.id, realmID: alice.realmID)
    }

    /// Alice adds an app.
    private static func enrolled(_ server: ProviderUnderTest) async throws -> (
        TestBrowser, Reply, OneTimePassword
    ) {
        let (browser, page) = try await signedIn(server)
        let setup = try await browser.press(page, [("action", "add")])
        let app = try app(setup)
        let done = try await browser.press(
            setup,
            [("action", "confirm"), ("code", code(app, server))]
        )
        #expect(done.text.contains("has been added"))
        return (browser, done, app)
    }

    @Test("decision 0050: an app is added once a code shows that it has the key")
    func added() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let (browser, page) = try await Self.signedIn(server)
        #expect(page.text.contains("Set up an authenticator app"))
        let setup = try await browser.press(page, [("action", "add")])
        let app = try Self.app(setup)
        #expect(setup.text.contains("otpauth://totp/Test:alice?secret="))
        for (typed, told) in [("", "Enter the code"), ("000000", "Incorrect code")] {
            let again = try await browser.press(setup, [("action", "confirm"), ("code", typed)])
            #expect(again.text.contains(told))
            #expect(try Self.app(again).code(at: 1) == app.code(at: 1), "the same key")
        }
        #expect(try await Self.factors(server).isEmpty)
        let code = Self.code(app, server)
        let done = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        #expect(done.text.contains("has been added"))
        let kept = try #require(try await Self.factors(server).first)
        #expect(kept.kind == .totp)
        #expect(kept.used == server.clock.seconds / 30)
        #expect(server.log.contains("event=second_factor.added"))
        let mail = try #require(try await server.mails().first)
        #expect(mail.draft.message == .secondFactorAdded)
        #expect(mail.draft.to == "alice@example.com")
        // Sent twice, it is one app.
        _ = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        #expect(try await Self.factors(server).count == 1)
        #expect(try await server.mails().count == 1)
        // The code that confirmed it signs no one in.
        let other = TestBrowser(server)
        let asked = try await other.signIn("alice", TestFlow.request())
        expectAsked(asked)
        #expect(try await other.press(asked, [("code", code)]).text.contains("already been used"))
        server.clock.advance(by: 30)
        expectCode(try await other.press(asked, [("code", Self.code(app, server))]))
    }

    @Test("decision 0050: the key is in no address, and kept sealed")
    func secret() async throws {
        let (browser, page) = try await Self.signedIn(server)
        let setup = try await browser.press(page, [("action", "add")])
        #expect(setup.headers[.cacheControl] == "no-store")
        let key = try #require(
            setup.text.firstMatch(of: /secret=([A-Z2-7]{32})/).map { String($0.1) }
        )
        let code = Self.code(try Self.app(setup), server)
        _ = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        let kept = try #require(try await Self.factors(server).first)
        #expect(!kept.sealedSecret.contains(key))
        #expect(!String(decoding: kept.parameters.serialized(), as: UTF8.self).contains(key))
        #expect(!server.log.contains(key))
    }

    @Test("decision 0050: a setup is for its session, and for ten minutes")
    func bound() async throws {
        let (mine, page) = try await Self.signedIn(server)
        let setup = try await mine.press(page, [("action", "add")])
        let app = try Self.app(setup)
        let sealed = setup.hiddenFields.first { $0.name == "setup" }?.value ?? ""
        let (other, theirs) = try await Self.signedIn(server)
        func confirm(_ browser: TestBrowser, _ page: Reply) async throws {
            let code = Self.code(app, server)
            let fields = [("action", "confirm"), ("setup", sealed), ("code", code)]
            _ = try await browser.press(page, fields)
        }
        try await confirm(other, theirs)
        #expect(try await Self.factors(server).isEmpty)
        server.clock.advance(by: 601)
        try await confirm(mine, setup)
        #expect(try await Self.factors(server).isEmpty)
    }

    @Test(
        "WEB-SESS-8: a change needs a sign-in of the last five minutes",
        arguments: ["add", "codes", "remove"]
    )
    func fresh(_ action: String) async throws {
        let (browser, page, app) = try await Self.enrolled(server)
        let id = try #require(try await Self.factors(server).first).id
        server.clock.advance(by: 301)
        let asked = try await browser.press(page, [("action", action), ("id", id)])
        #expect(asked.text.contains(#"name="password""#))
        #expect(try await Self.factors(server).map(\.id) == [id])
        // The password alone is not enough any more.
        let second = try await browser.press(
            asked,
            [("username", "alice@example.com"), TestRealm.login()[1]]
        )
        expectAsked(second)
        let done = try await browser.press(second, [("code", Self.code(app, server))])
        #expect(done.location == Self.path)
        let again = try await browser.get(Self.path)
        let reply = try await browser.press(again, [("action", action), ("id", id)])
        #expect(!reply.text.contains(#"name="password""#))
        #expect(reply.status == 200)
    }

    @Test(
        "decision 0081: a session begun by the password alone changes nothing once there is an app",
        arguments: ["add", "codes", "remove", "confirm"]
    )
    func weaker(_ action: String) async throws {
        // Somebody who knows the password, seconds ago, with a setup of their own begun.
        let (thief, theirs) = try await Self.signedIn(server)
        let setup = try await thief.press(theirs, [("action", "add")])
        let own = try Self.app(setup)
        let (_, _, app) = try await Self.enrolled(server)
        let id = try #require(try await Self.factors(server).first).id
        let page = action == "confirm" ? setup : theirs
        let code = Self.code(own, server)
        let sent = [("action", action), ("id", id), ("code", code)]
        let asked = try await thief.press(page, sent)
        #expect(asked.text.contains(#"name="password""#))
        #expect(!asked.text.contains("otpauth:"))
        #expect(try await Self.factors(server).map(\.id) == [id])
        let second = try await thief.press(
            asked,
            [("username", "alice@example.com"), TestRealm.login()[1]]
        )
        expectAsked(second)
        // Its owner goes on.
        server.clock.advance(by: 30)
        let done = try await thief.press(second, [("code", Self.code(app, server))])
        #expect(done.location == Self.path)
        let again = try await thief.press(
            try await thief.get(Self.path),
            [("action", action), ("id", id)]
        )
        #expect(!again.text.contains(#"name="password""#))
    }

    @Test(
        "decision 0081: with an app a person signs out everywhere else, unless they untick it",
        arguments: [true, false]
    )
    func endsOthers(isTicked: Bool) async throws {
        let (other, _) = try await Self.signedIn(server)
        let (browser, page) = try await Self.signedIn(server)
        let setup = try await browser.press(page, [("action", "add")])
        let box = try #require(
            setup.text.firstMatch(of: /<input[^>]*name="others"[^>]*>/).map { String($0.0) }
        )
        #expect(box.contains("checked") && box.contains(#"value="1""#))
        let code = Self.code(try Self.app(setup), server)
        let sent = [("action", "confirm"), ("code", code)]
        let done = try await browser.press(setup, sent + (isTicked ? [("others", "1")] : []))
        #expect(done.text.contains("has been added"))
        #expect(try await !other.get(Self.path).text.contains(#"name="password""#) != isTicked)
        #expect(server.log.contains("event=sign_out.elsewhere") == isTicked)
        // This browser's session is one with a code now.
        #expect(!(try await browser.get(Self.path)).text.contains(#"name="password""#))
        expectCode(try await browser.authorize(TestFlow.request()))
    }

    @Test("A request that waits is not lost where the person has to sign in again")
    func waits() async throws {
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP]
        }
        let browser = TestBrowser(server)
        let sent = try await browser.signIn("alice", TestFlow.request())
        let page = try await browser.get(try #require(sent.location))
        server.clock.advance(by: 301)
        let asked = try await browser.press(page, [("action", "add")])
        #expect(asked.text.contains(#"name="password""#))
        let back = try await browser.press(
            asked,
            [("username", "alice@example.com"), TestRealm.login()[1]]
        )
        let list = try await browser.get(try #require(back.location))
        let setup = try await browser.press(list, [("action", "add")])
        let code = Self.code(try Self.app(setup), server)
        let done = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        expectCode(try await browser.get(ResetWalk.restart(done).replacing("&amp;", with: "&")))
    }

    @Test("After an app, recovery codes are the next step, by hand, printer or file")
    func nextStep() async throws {
        let (browser, done, _) = try await Self.enrolled(ProviderUnderTest())
        #expect(done.text.contains("Save your recovery codes"))
        #expect(done.text.contains(#"value="codes""#))
        let codes = try await browser.press(done, [("action", "codes")])
        #expect(codes.text.contains(#"<ul class="codes" id="codes" dir="ltr">"#))
        // Whose they are stands beside them, and only the next ones replace any.
        #expect(codes.text.contains("alice@example.com"))
        let next = try await browser.press(browser.get(Self.path), [("action", "codes")])
        let told = [codes, next].map { $0.text.contains("Any you had before no longer work") }
        #expect(told == [false, true])
        for button in ["copy", "print", "save"] {
            #expect(codes.text.contains(#"type="button" value="\#(button)""#))
        }
        // One script, by its hash, which is not that of the pages around.
        let script = try #require(
            codes.text.firstMatch(of: /<script>((?s:.*?))<\/script>/).map { String($0.1) }
        )
        let policy = try #require(codes.headers[.contentSecurityPolicy])
        #expect(policy.contains("script-src \(InlineSource.hash(of: script));"))
        #expect(script.contains("createObjectURL") && !done.text.contains("createObjectURL"))
        let others = try #require(done.headers[.contentSecurityPolicy])
        #expect(!others.contains(InlineSource.hash(of: script)))
    }

    @Test("The key is a QR code, too, with the address that apps open", arguments: [false, true])
    func qrCode(_ isLong: Bool) async throws {
        let server = try await ProviderUnderTest { new in
            if isLong { new.realm.displayName = String(repeating: "\u{0646}\u{0645} ", count: 40) }
        }
        let (browser, page) = try await Self.signedIn(server)
        let setup = try await browser.press(page, [("action", "add")])
        let link = try #require(
            setup.text.firstMatch(of: /href="(otpauth:[^"]*)"/).map { String($0.1) }
        ).replacing("&amp;", with: "&")
        let code = try #require(QRCode(link))
        let side = code.size + 8
        #expect(setup.text.contains("viewBox=\"0 0 \(side) \(side)\""))
        #expect(side < 100, "a phone reads it")
        let svg = try #require(
            setup.text.firstMatch(of: /<svg(?s:.*?)<\/svg>/).map { String($0.0) }
        )
        #expect(svg.contains("role=\"img\"") && !svg.contains("style="))
    }

    @Test("decision 0050: recovery codes are shown once, and new ones replace them")
    func codes() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let (browser, page, _) = try await Self.enrolled(server)
        func made(_ page: Reply) async throws -> [String] {
            let shown = try await browser.press(page, [("action", "codes")])
            return shown.text.matches(of: /[2-9A-Z]{4}-[2-9A-Z]{4}-[2-9A-Z]{4}/)
                .map { String($0.0) }
        }
        let first = try await made(page)
        try #require(first.count == 12)
        let list = try await browser.get(Self.path)
        #expect(list.text.contains("12 left"))
        #expect(!list.text.contains(first[0]))
        let second = try await made(list)
        try #require(second.count == 12)
        #expect(try await Self.factors(server).count == 2)
        #expect(try await server.mails().count { $0.draft.message == .recoveryCodesMade } == 2)
        #expect(server.log.matches(of: /event=second_factor\.codes_made/).count == 2)
        let other = TestBrowser(server)
        let asked = try await other.signIn("alice", TestFlow.request())
        expectAsked(try await other.press(asked, [("code", first[3])]))
        expectCode(try await other.press(asked, [("code", second[3])]))
        #expect(try await browser.get(Self.path).text.contains("11 left"))
    }

    @Test("decision 0050: there are no recovery codes without an app")
    func codesAlone() async throws {
        let (browser, page) = try await Self.signedIn(server)
        _ = try await browser.press(page, [("action", "codes")])
        #expect(try await Self.factors(server).isEmpty)
    }

    @Test("decision 0050: with the last app the recovery codes go, and the password is enough")
    func removed() async throws {
        let server = try await ProviderUnderTest(sendsMail: true)
        let (browser, page, _) = try await Self.enrolled(server)
        _ = try await browser.press(page, [("action", "codes")])
        let list = try await browser.get(Self.path)
        for wrong in ["", "x", String(repeating: "a", count: 5000), UniqueID(random: .system).text]
        {
            _ = try await browser.press(list, [("action", "remove"), ("id", wrong)])
        }
        #expect(try await Self.factors(server).count == 2)
        #expect(!server.log.contains("event=second_factor.removed"))
        let id = try #require(try await Self.factors(server).first { $0.kind == .totp }).id
        let done = try await browser.press(list, [("action", "remove"), ("id", id)])
        #expect(done.text.contains("has been removed"))
        #expect(try await Self.factors(server).isEmpty)
        #expect(try await server.mails().contains { $0.draft.message == .secondFactorRemoved })
        #expect(server.log.contains("event=second_factor.removed "))
        expectCode(try await TestBrowser(server).signIn("alice", TestFlow.request()))
    }

    @Test("decision 0050: no one removes another person's")
    func others() async throws {
        _ = try await Self.enrolled(server)
        let id = try #require(try await Self.factors(server).first).id
        let browser = TestBrowser(server)
        _ = try await browser.press(browser.get(Self.path), TestRealm.login("bob"))
        _ = try await browser.press(browser.get(Self.path), [("action", "remove"), ("id", id)])
        #expect(try await Self.factors(server).map(\.id) == [id])
    }

    @Test("decision 0050: ten apps are enough")
    func full() async throws {
        let (browser, page, _) = try await Self.enrolled(server)
        for _ in 2...11 {
            let setup = try await browser.press(page, [("action", "add")])
            let code = Self.code(try Self.app(setup), server)
            _ = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        }
        #expect(try await Self.factors(server).count == 10)
    }

    @Test("RFC 6749 §10.12: a change needs the form of this browser and session")
    func forged() async throws {
        let (browser, page, _) = try await Self.enrolled(server)
        let id = try #require(try await Self.factors(server).first).id
        let reply = try await browser.press(
            page,
            [("action", "remove"), ("id", id), ("csrf", "x")]
        )
        #expect(reply.status == 403)
        #expect(try await Self.factors(server).count == 1)
    }

    @Test("decision 0050: CONFIGURE_TOTP leads to the page first, then on to the app")
    func demanded() async throws {
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP, "OTHER"]
        }
        let browser = TestBrowser(server)
        let reply = try await browser.signIn("alice", TestFlow.request())
        let location = try #require(reply.location)
        #expect(location.hasPrefix(Self.path + "?request="))
        // She is signed in, and no app gets anything before.
        expectError(try await browser.authorize(TestFlow.silent), "interaction_required")
        let stays = try await browser.authorize(TestFlow.request())
        #expect(stays.location?.hasPrefix(Self.path + "?request=") == true)
        let page = try await browser.get(location)
        #expect(page.text.contains("Before you continue"))
        #expect(!page.text.contains("login-actions/restart"))
        let setup = try await browser.press(page, [("action", "add")])
        let code = Self.code(try Self.app(setup), server)
        let done = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        let path = try #require(
            done.text.firstMatch(of: /href="([^"]*restart[^"]*)"/).map { String($0.1) }
        )
        expectCode(try await browser.get(path.replacing("&amp;", with: "&")))
        #expect(try await server.person().person.requiredActions == ["OTHER"])
    }

    @Test(
        "decision 0104: an app that waits is not lost where the session has ended meanwhile",
        arguments: [false, true]
    )
    func sessionOver(isSent: Bool) async throws {
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP]
        }
        let browser = TestBrowser(server)
        let sent = try await browser.signIn("alice", TestFlow.request())
        let location = try #require(sent.location)
        let page = try await browser.get(location)
        server.clock.advance(by: 1800 + 300)
        let add = [("action", "add")]
        let over = try await isSent ? browser.press(page, add) : browser.get(location)
        #expect(over.formAction == "/realms/test/account/sign-in")
        let back = try #require(try await browser.press(over, TestRealm.login()).location)
        #expect(back.hasPrefix(Self.path + "?request="))
        let setup = try await browser.press(try await browser.get(back), add)
        let code = Self.code(try Self.app(setup), server)
        let done = try await browser.press(setup, [("action", "confirm"), ("code", code)])
        let path = try #require(
            done.text.firstMatch(of: /href="([^"]*restart[^"]*)"/).map { String($0.1) }
        )
        expectCode(try await browser.get(path.replacing("&amp;", with: "&")))
    }

    @Test("decision 0050: CONFIGURE_TOTP leads there from the account's own sign-in, too")
    func demandedAtAccount() async throws {
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP]
        }
        let browser = TestBrowser(server)
        let page = try await browser.get("/realms/test/account/apps")
        #expect(try await browser.press(page, TestRealm.login()).location == Self.path)
    }
}

extension TestBrowser {
    /// Sends a form of a page that has several, with the first of each hidden field.
    func press(_ page: Reply, _ fields: [(String, String)]) async throws -> Reply {
        var sent = fields
        for (name, value) in page.hiddenFields where !sent.contains(where: { $0.0 == name }) {
            sent.append((name, value))
        }
        return try await post(page.formAction ?? "/no-form", sent)
    }
}
