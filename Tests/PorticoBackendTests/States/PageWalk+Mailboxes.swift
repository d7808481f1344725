import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

/// The Provider's pages that go with mails, and the apps that a person has allowed.
extension PageWalk {
    static let mailboxes = [confirming] + forgotten + chosen + ended + asked

    private static let confirming = PageWalk(ConfirmEmailPage.self, "asked") { walker in
        let server = try await ProviderUnderTest(sendsMail: true) { new in
            new.realm.confirmsEmail = true
            new.people[0].person.isEmailVerified = false
        }
        return try await walker.browser(server).signIn("alice", TestFlow.request())
    }

    /// A person who does not know their password.
    private struct Forgetful {
        let server: ProviderUnderTest
        let browser: TestBrowser
        let other: TestBrowser

        init(_ walker: Walker) async throws {
            server = try await ProviderUnderTest(sendsMail: true)
            browser = walker.browser(server)
            other = walker.browser(server)
        }

        func asking(_ changes: [(String, String)] = []) async throws -> Reply {
            let page = try await browser.authorize(TestFlow.request("native1", changes))
            let link = page.text.firstMatch(of: /href="([^"]*reset-credentials[^"]*)"/)?.1 ?? ""
            return try await browser.get(String(link).replacing("&amp;", with: "&"))
        }

        func sent(_ email: String = "alice@example.com") async throws -> Reply {
            try await browser.submit(asking(), [("email", email), ("action", "send")])
        }

        func choosing() async throws -> Reply {
            _ = try await sent()
            return try await browser.get(try await server.link())
        }

        func saved(_ password: String) async throws -> Reply {
            try await browser.submit(choosing(), [("password", password)])
        }

        func coded(_ code: String, on page: Reply) async throws -> Reply {
            try await browser.submit(page, [("code", code), ("action", "confirm")])
        }
    }

    private static func forgetful(
        _ page: any Page.Type,
        _ state: String,
        _ walk: @escaping @Sendable (Forgetful) async throws -> Reply
    ) -> PageWalk {
        PageWalk(page, state) { walker in try await walk(Forgetful(walker)) }
    }

    private static let forgotten = [
        forgetful(SignInPage.self, "password can be replaced") {
            try await $0.browser.authorize(TestFlow.request())
        },
        forgetful(ForgotPasswordPage.self, "asked") { try await $0.asking() },
        forgetful(ForgotPasswordPage.self, "e-mail known") {
            try await $0.asking([("login_hint", "alice@example.com")])
        },
        forgetful(ForgotPasswordPage.self, "e-mail missing") { try await $0.sent("alice") },
        forgetful(ForgotPasswordPage.self, "sent") { try await $0.sent() },
        forgetful(ForgotPasswordPage.self, "code missing") {
            try await $0.coded("", on: $0.sent())
        },
        forgetful(ForgotPasswordPage.self, "wrong code") {
            try await $0.coded("000000", on: $0.sent())
        },
        forgetful(ForgotPasswordPage.self, "too many codes") { somebody in
            var page = try await somebody.sent()
            for _ in 1...5 { page = try await somebody.coded("000000", on: page) }
            return page
        },
    ]

    private static let chosen = [
        forgetful(NewPasswordPage.self, "asked") { try await $0.choosing() },
        forgetful(NewPasswordPage.self, "missing") { try await $0.saved("") },
        forgetful(NewPasswordPage.self, "too short") { try await $0.saved("short") },
        forgetful(NewPasswordPage.self, "too long") {
            try await $0.saved(String(repeating: "long ", count: 300))
        },
        forgetful(NewPasswordPage.self, "too common") { try await $0.saved("password123") },
        forgetful(NewPasswordPage.self, "name in it") { try await $0.saved("alice2026") },
        PageWalk(NewPasswordPage.self, "demanded") { try await anotherPassword($0).page },
        PageWalk(NewPasswordPage.self, "the same") { walker in
            let (browser, page) = try await anotherPassword(walker)
            let password = TestRealm.passwords["alice"] ?? ""
            return try await browser.submit(page, [("password", password)])
        },
        forgetful(CodeForOtherBrowserPage.self, "asked") { somebody in
            _ = try await somebody.sent()
            return try await somebody.other.get(try await somebody.server.link())
        },
        forgetful(CodeForOtherBrowserPage.self, "code") { somebody in
            _ = try await somebody.sent()
            let page = try await somebody.other.get(try await somebody.server.link())
            return try await somebody.other.submit(page, [("action", "show-code")])
        },
    ]

    private static let ended = [
        forgetful(PasswordLinkPage.self, "done") { try await $0.saved("a river runs backwards") },
        forgetful(PasswordLinkPage.self, "used") { somebody in
            let page = try await somebody.choosing()
            let link = try await somebody.server.link()
            _ = try await somebody.browser.submit(page, [("password", "a river runs backwards")])
            return try await somebody.browser.get(link)
        },
        forgetful(PasswordLinkPage.self, "expired") { somebody in
            _ = try await somebody.sent()
            let link = try await somebody.server.link()
            somebody.server.clock.advance(by: 1800)
            return try await somebody.browser.get(link)
        },
    ]

    /// What an administrator asks for by a link.
    private static let asked = [
        mailed(ActionLinkPage.self, "asked", isSignedIn: true) { _, page in page },
        mailed(ActionLinkPage.self, "confirmed", isSignedIn: true) { browser, page in
            try await browser.submit(page, [("action", "confirm")])
        },
        mailed(NewPasswordPage.self, "to confirm an address") { _, page in page },
        mailed(NewPasswordPage.self, "by a mailed link", RequiredAction.updatePassword) { $1 },
        mailed(ActionLinkPage.self, "app demanded", RequiredAction.configureTOTP) { $1 },
        mailed(ActionLinkPage.self, "app to be set up", RequiredAction.configureTOTP) {
            try await $0.submit($1, [("action", "confirm")])
        },
        PageWalk(ActionLinkPage.self, "over") { walker in
            let server = try await ProviderUnderTest(sendsMail: true)
            let link = try await mailedLink(server, RequiredAction.verifyEmail)
            server.clock.advance(by: 600)
            return try await walker.browser(server).get(link)
        },
        PageWalk(NewPasswordPage.self, "in the account") { try await inTheAccount($0).page },
        PageWalk(ChangedPasswordPage.self, "changed") { walker in
            let (browser, page) = try await inTheAccount(walker)
            return try await browser.submit(
                page,
                [("password", "a river runs backwards"), ("action", "save")]
            )
        },
    ]

    /// A person who must choose another password.
    private static func anotherPassword(_ walker: Walker) async throws -> (
        browser: TestBrowser, page: Reply
    ) {
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.updatePassword]
        }
        let browser = walker.browser(server)
        let reply = try await browser.signIn("alice", TestFlow.request())
        return (browser, try await browser.get(try #require(reply.location)))
    }

    private static func inTheAccount(_ walker: Walker) async throws -> (
        browser: TestBrowser, page: Reply
    ) {
        let browser = walker.browser(try await ProviderUnderTest())
        let form = try await browser.get("/realms/test/account/password")
        let password = TestRealm.passwords["alice"] ?? ""
        _ = try await browser.submit(form, [("username", "alice"), ("password", password)])
        return (browser, try await browser.get("/realms/test/account/password"))
    }

    private static func mailed(
        _ page: any Page.Type,
        _ state: String,
        _ action: String = RequiredAction.verifyEmail,
        isSignedIn: Bool = false,
        _ walk: @escaping @Sendable (TestBrowser, Reply) async throws -> Reply
    ) -> PageWalk {
        PageWalk(page, state) { walker in
            let server = try await ProviderUnderTest(sendsMail: true) { new in
                new.people[0].person.isEmailVerified = false
            }
            let browser = walker.browser(server)
            if isSignedIn { _ = try await browser.signIn("alice", TestFlow.request()) }
            return try await walk(browser, browser.get(try await mailedLink(server, action)))
        }
    }

    private static func mailedLink(_ server: ProviderUnderTest, _ action: String) async throws
        -> String
    {
        let moment = Moment(now: server.clock.now, random: .system)
        let realm = try #require(server.provider.realms.realm(named: "test"))
        let alice = try #require(
            try await server.database.people.credentials(
                realmID: realm.id,
                login: "alice",
                byEmail: false
            )
        )
        let link = ActionLink(
            person: PersonLink(
                id: moment.id(),
                realmID: realm.id,
                personID: alice.person.id,
                email: alice.person.email ?? "",
                epoch: alice.epoch,
                actions: [action],
                expiresAt: moment.seconds + 600
            ),
            back: nil
        )
        let outcome = try await server.provider.actionLinks.send(
            link,
            to: alice.person,
            in: realm,
            by: "root",
            at: moment
        )
        #expect(outcome == .sent)
        return try await server.link()
    }

    static let apps = [
        PageWalk(ConnectedAppsPage.self, "two apps") { try await twoApps($0).page },
        PageWalk(ConnectedAppsPage.self, "removed") { walker in
            let (browser, page, third) = try await twoApps(walker)
            let proof = page.formProof
            return try await browser.post(
                "/realms/test/account/apps",
                proof + [("id", third), ("action", "remove")]
            )
        },
        PageWalk(ConnectedAppsPage.self, "none") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            let form = try await browser.get("/realms/test/account/apps")
            let password = TestRealm.passwords["alice"] ?? ""
            _ = try await browser.submit(form, [("username", "alice"), ("password", password)])
            return try await browser.get("/realms/test/account/apps")
        },
    ]

    /// One app that keeps its access, and one that was allowed some and has not used it.
    private static func twoApps(_ walker: Walker) async throws -> (
        browser: TestBrowser, page: Reply, third: String
    ) {
        let server = try await ProviderUnderTest()
        let browser = walker.browser(server)
        _ = try await server.tokens(scope: "openid profile email offline_access", browser: browser)
        let asked = try await browser.authorize(TestFlow.request("third", scope: "openid"))
        _ = try await browser.submit(asked, [("action", "allow")])
        server.clock.advance(by: 1200)
        let clients = try await server.database.realms.snapshot().clients
        let third = clients.first { $0.clientID == "third" }?.id ?? ""
        return (browser, try await browser.get("/realms/test/account/apps"), third)
    }
}

/// The Provider's pages on which people make an account.
extension PageWalk {
    static let registering: [PageWalk] = [
        PageWalk(SignInPage.self, "an account can be made") { walker in
            let server = try await open(.username)
            return try await walker.browser(server).authorize(TestFlow.request())
        },
        PageWalk(ErrorPage.self, "registration closed") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.get(ProviderUnderTest.path("registrations"))
        },
        PageWalk(NewPasswordPage.self, "can be cancelled") { walker in
            let server = try await ProviderUnderTest { new in
                for index in new.clients.indices { new.clients[index].becomeImported() }
            }
            return try await walker.browser(server).signIn(
                "alice",
                TestFlow.request("native1", scope: "openid", [("kc_action", "UPDATE_PASSWORD")])
            )
        },
        asked("fresh") { _, page in page },
        asked("the address is the username", .email) { _, page in page },
        asked("no address", sendsMail: false) { _, page in page },
        asked("everything missing") { browser, page in
            try await browser.submit(page, [("action", "create")])
        },
        asked("everything wrong") { browser, page in
            let long = String(repeating: "n", count: 201)
            return try await browser.submit(
                page,
                filled([
                    ("given_name", long), ("family_name", long), ("email", "x"),
                    ("username", "a b"), ("password", "short"),
                ])
            )
        },
        asked("username taken") { browser, page in
            try await browser.submit(page, filled([("username", "alice")]))
        },
        PageWalk(RegistrationPage.self, "address taken") { walker in
            let server = try await open(.username)
            var pages: [(TestBrowser, Reply, String)] = []
            for name in ["cora", "dora"] {
                let browser = walker.browser(server)
                let page = try await browser.submit(
                    try await browser.authorize(request),
                    filled([("username", name)])
                )
                pages.append((browser, page, try await server.mailedCode()))
                server.clock.advance(by: 1)
            }
            var reply: Reply?
            for (browser, page, code) in pages {
                reply = try await browser.submit(page, [("action", "confirm"), ("code", code)])
            }
            guard let reply else { throw Walker.WrongWay(page: "address taken") }
            return reply
        },
        asked("must wait") { browser, page in
            for _ in 1...30 {
                _ = try await browser.submit(page, filled([("username", "alice")]))
            }
            return try await browser.submit(page, filled([("username", "alice")]))
        },
        PageWalk(RegistrationPage.self, "busy") { walker in
            let full = PasswordHashing(threads: 1, mostWaiting: -1, random: .system)
            let server = try await open(.username, hashing: full)
            let browser = walker.browser(server)
            let page = try await browser.authorize(request)
            let reply = try await browser.submit(page, filled([]))
            await full.shutDown()
            return reply
        },
    ]

    private static let request = TestFlow.request("native1", [("prompt", "create")])

    private static func filled(_ changes: [(String, String)]) -> [(String, String)] {
        TestFlow.change(
            [
                ("given_name", "Cora"), ("family_name", "Sample"), ("email", "cora@example.com"),
                ("username", "cora"), ("password", "seven rivers run to sea"),
                ("action", "create"),
            ],
            changes
        )
    }

    private static func open(
        _ registration: Realm.Registration,
        hashing: PasswordHashing = TestRealm.hashing,
        sendsMail: Bool = true
    ) async throws -> ProviderUnderTest {
        try await ProviderUnderTest(hashing: hashing, sendsMail: sendsMail) { new in
            new.realm.registration = registration
            new.realm.allowsPasswordReset = false
        }
    }

    /// - Parameter walk: From the page for a new account.
    private static func asked(
        _ state: String,
        _ registration: Realm.Registration = .username,
        sendsMail: Bool = true,
        _ walk: @escaping @Sendable (TestBrowser, Reply) async throws -> Reply
    ) -> PageWalk {
        PageWalk(RegistrationPage.self, state) { walker in
            let server = try await open(registration, sendsMail: sendsMail)
            let browser = walker.browser(server)
            return try await walk(browser, try await browser.authorize(request))
        }
    }
}
