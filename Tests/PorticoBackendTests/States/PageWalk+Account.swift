import HTTPTypes
import PorticoBackend
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// The account pages.
extension PageWalk {
    static let account: [PageWalk] = overviews + details + devices + departures

    private static let overviews = [
        signedIn(DashboardPage.self, "signed in") { _, visitor in
            try await visitor.open("/dashboard")
        },
        PageWalk(AccountOverviewPage.self, "several methods") { walker in
            let server = try await BackendUnderTest()
            let visitor = try await walker.withTwoWays(at: server)
            _ = try await walker.visitor(server).signIn()
            server.clock.advance(by: 7300)
            return try await visitor.open("/account").reply
        },
        PageWalk(AccountOverviewPage.self, "new") { walker in
            let server = try await BackendUnderTest()
            server.standIns.setPeople([.nameless()], at: .openID)
            let visitor = try await walker.registered("keycloak", as: .nameless(), at: server)
            return try await visitor.open("/account").reply
        },
        signedIn(AccountOverviewPage.self, "no usable method") { server, visitor in
            try await server.setUp("google") { $0.isEnabled = false }
            return try await visitor.open("/account")
        },
    ]

    /// By a person who has registered.
    private static func signedIn(
        _ page: any Page.Type,
        _ state: String,
        with provider: String = "google",
        as person: StandInPerson = .ann,
        _ walk:
            @escaping @Sendable (BackendUnderTest, TestVisitor) async throws -> TestVisitor.Visited
    ) -> PageWalk {
        PageWalk(page, state) { walker in
            let server = try await BackendUnderTest()
            let visitor = try await walker.registered(provider, as: person, at: server)
            return try await walk(server, visitor).reply
        }
    }

    private static let details = [
        signedIn(AccountDetailsPage.self, "confirmed") { _, visitor in
            try await visitor.open("/account/details")
        },
        signedIn(AccountDetailsPage.self, "unconfirmed", with: "facebook") { _, visitor in
            try await visitor.open("/account/details")
        },
        PageWalk(AccountDetailsPage.self, "relay") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            let asked = try await visitor.signIn("apple", as: .rea)
            _ = try await visitor.press("create", on: asked)
            return try await visitor.open("/account/details").reply
        },
        signedIn(AccountDetailsPage.self, "no e-mail", with: "facebook", as: .paul) { _, visitor in
            try await visitor.open("/account/details")
        },
        saved("saved", name: "Anna", email: "ann@example.com"),
        saved("name missing", name: "", email: "ann@example.com"),
        saved("e-mail wrong", name: "Ann", email: "ann@"),
        signedIn(AccountDetailsPage.self, "e-mail missing", with: "facebook") { _, visitor in
            let page = try await visitor.open("/account/details")
            let typed = [("name", "Ann"), ("email", "")]
            return try await visitor.press("confirm-email", on: page, typed)
        },
        PageWalk(AccountDetailsPage.self, "e-mail taken") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered("google", as: .ann, at: server)
            let visitor = walker.visitor(server)
            let found = try await visitor.signIn("facebook", as: .ann)
            _ = try await visitor.press("separate", on: found)
            try await server.proveSessions()
            let page = try await visitor.open("/account/details")
            let typed = [("name", "Ann"), ("email", "ann@example.com")]
            let asked = try await visitor.press("save", on: page, typed)
            let code = ("code", try await server.mailedCode() ?? "")
            return try await visitor.press("confirm", on: asked, [code]).reply
        },
    ]

    private static func saved(_ state: String, name: String, email: String) -> PageWalk {
        signedIn(AccountDetailsPage.self, state) { _, visitor in
            let page = try await visitor.open("/account/details")
            let typed = [("name", name), ("email", email)]
            return try await visitor.press("save", on: page, typed)
        }
    }

    private static let devices = [
        PageWalk(AccountDevicesPage.self, "three devices") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered(at: server)
            server.clock.advance(by: 54_000)
            try await app(of: walker, at: server)
            server.clock.advance(by: 18_000)
            let visitor = walker.visitor(server)
            _ = try await visitor.signIn()
            return try await visitor.open("/account/devices").reply
        },
        signedIn(AccountDevicesPage.self, "only this one") { _, visitor in
            try await visitor.open("/account/devices")
        },
        PageWalk(AccountDevicesPage.self, "ended") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered(at: server)
            server.clock.advance(by: 54_000)
            try await app(of: walker, at: server)
            server.clock.advance(by: 18_000)
            let visitor = walker.visitor(server)
            _ = try await visitor.signIn()
            let page = try await visitor.open("/account/devices")
            // The browser of the beginning; the app stays.
            let form = HTMLForm.all(in: page.reply.text).count - 2
            return try await visitor.submit(page, [("action", "end")], form: form).reply
        },
        PageWalk(AccountDevicesPage.self, "others ended") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered(at: server)
            let visitor = walker.visitor(server)
            _ = try await visitor.signIn()
            let page = try await visitor.open("/account/devices")
            return try await visitor.press("end-others", on: page).reply
        },
        PageWalk(AccountDevicesPage.self, "of a realm") { walker in
            let server = try await ProviderUnderTest()
            // It does not say what it is.
            _ = try await server.tokens()
            server.clock.advance(by: 1200)
            let browser = walker.browser(server, userAgent: "Mozilla/5.0 (Linux) Firefox/140.0")
            let form = try await browser.open("/realms/test/account/devices")
            let password = TestRealm.passwords["alice"] ?? ""
            _ = try await browser.submit(form, [("username", "alice"), ("password", password)])
            return try await browser.get("/realms/test/account/devices")
        },
    ]

    /// Ann signs in to the app.
    private static func app(of walker: Walker, at server: BackendUnderTest) async throws {
        let app = TestApp()
        let handOff = try await walker.visitor(server).signIn("google", as: .ann, app.start)
        // Its https redirect is an address of ours, so that the browser stays here.
        let query = try FormParameters(decoding: handOff.url.drop { $0 != "?" }.dropFirst().utf8)
        let code = query["code"] ?? ""
        guard try await app.redeem(code, at: server).status == 200 else {
            throw Walker.WrongWay(page: handOff.path)
        }
    }

    private static let departures = [
        signedIn(DeleteAccountPage.self, "asked") { _, visitor in
            try await visitor.open("/account/delete")
        },
        signedIn(DeleteAccountPage.self, "Apple", with: "apple") { _, visitor in
            try await visitor.open("/account/delete")
        },
        signedIn(DeleteAccountPage.self, "not sure") { _, visitor in
            try await visitor.press("delete", on: try await visitor.open("/account/delete"))
        },
        signedIn(AccountDeletedPage.self, "done", with: "apple") { _, visitor in
            let page = try await visitor.open("/account/delete")
            return try await visitor.press("delete", on: page, [("sure", "1")])
        },
        signedIn(AccountDeletedPage.self, "Apple left", with: "apple") { server, visitor in
            server.standIns.configure(.apple) { $0.failing = [.revocation] }
            let page = try await visitor.open("/account/delete")
            return try await visitor.press("delete", on: page, [("sure", "1")])
        },
    ]

    /// The sign-in methods of an account.
    static let accountWays = [
        ways("two methods") { try await $0.withTwoWays(at: $1).open("/account/ways") },
        ways("only one") { try await $0.registered(at: $1).open("/account/ways") },
        ways("only one that works") { walker, server in
            let visitor = try await walker.withTwoWays(at: server)
            try await server.setUp("facebook") { $0.isEnabled = false }
            return try await visitor.open("/account/ways")
        },
        ways("nothing to add") { walker, server in
            let visitor = try await walker.withTwoWays(at: server)
            try await server.setUp("apple", "keycloak") { $0.isEnabled = false }
            return try await visitor.open("/account/ways")
        },
        ways("added") { walker, server in
            try await walker.registered(at: server).add("facebook", as: .paul)
        },
        ways("removed") { walker, server in
            let visitor = try await walker.withTwoWays(at: server)
            let page = try await visitor.open("/account/ways")
            return try await visitor.submit(page, [("action", "remove")], form: 1)
        },
        ways("last one refused") { walker, server in
            let visitor = try await walker.withTwoWays(at: server)
            // Two tabs: in each of them another one is removed.
            let page = try await visitor.open("/account/ways")
            _ = try await visitor.submit(page, [("action", "remove")], form: 1)
            return try await visitor.submit(page, [("action", "remove")], form: 0)
        },
        ways("stopped") { walker, server in
            let visitor = try await walker.registered(at: server)
            let page = try await visitor.open("/account/ways")
            let facebook = try await visitor.press(("way", "facebook"), on: page)
            return try await visitor.submit(facebook, [("cancel", "1")])
        },
        ways("not answering") { walker, server in
            let visitor = try await walker.registered(at: server)
            let page = try await visitor.open("/account/ways")
            let facebook = try await visitor.press(("way", "facebook"), on: page)
            server.standIns.configure(.facebook) { $0.failing = [.token] }
            return try await visitor.choose(.paul, at: facebook, "facebook")
        },
    ]

    private static func ways(
        _ state: String,
        _ walk: @escaping @Sendable (Walker, BackendUnderTest) async throws -> TestVisitor.Visited
    ) -> PageWalk {
        PageWalk(SignInMethodsPage.self, state) { walker in
            try await walk(walker, try await BackendUnderTest()).reply
        }
    }
}

/// Going back to an app, going on, signing out.
extension PageWalk {
    static let leaving: [PageWalk] = returns + signOuts

    private static let returns = [
        PageWalk(ReturnToAppPage.self, "ready") { walker in
            let app = TestApp(redirectURI: "com.example.notes:/callback")
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.signIn("google", as: .ann, app.start).reply
        },
        PageWalk(ReturnToAppPage.self, "app not opened") { walker in
            var app = BackendUnderTest.notes
            app.handOff.storeLinks = [
                "https://apps.apple.com/app/id1", "https://play.google.com/store/apps/details?id=1",
            ]
            let visitor = walker.visitor(try await BackendUnderTest(apps: [app]))
            return try await visitor.open("/auth/callback?code=x").reply
        },
        PageWalk(ReturnToAppPage.self, "app not opened, no link") { walker in
            var app = BackendUnderTest.notes
            app.redirectURIs = [RedirectURI("https://app.example.com/auth/callback")]
            let visitor = walker.visitor(try await BackendUnderTest(apps: [app]))
            return try await visitor.open("/auth/callback?code=x").reply
        },
        PageWalk(AlreadySignedInPage.self, "asked") { walker in
            let visitor = try await walker.registered(at: try await BackendUnderTest())
            return try await visitor.open("/login").reply
        },
        PageWalk(AlreadySignedInPage.self, "no name") { walker in
            let server = try await BackendUnderTest()
            server.standIns.setPeople([.nameless()], at: .openID)
            let visitor = try await walker.registered("keycloak", as: .nameless(), at: server)
            return try await visitor.open("/login").reply
        },
    ]

    private static let signOuts = [
        PageWalk(BackendSignOutPage.self, "asked") { walker in
            let visitor = try await walker.registered(at: try await BackendUnderTest())
            return try await visitor.open("/logout").reply
        },
        signedOut("here"),
        signedOut("everywhere"),
        PageWalk(BackendSignedOutPage.self, "was not signed in") { walker in
            try await walker.visitor(try await BackendUnderTest()).open("/logout").reply
        },
    ]

    private static func signedOut(_ action: String) -> PageWalk {
        PageWalk(BackendSignedOutPage.self, action) { walker in
            let visitor = try await walker.registered(at: try await BackendUnderTest())
            return try await visitor.press(action, on: try await visitor.open("/logout")).reply
        }
    }

    /// When something does not work, at the backend.
    static let trouble: [PageWalk] =
        refusals + [
            embedded("ios", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Instagram 350.0"),
            embedded("android", "Mozilla/5.0 (Linux; Android 15; wv) Chrome/130.0"),
            embedded("other", "Mozilla/5.0 (Windows NT 10.0) FBAN/Desktop"),
            help("all known") {
                $0.privacy = "https://example.com/privacy"
                $0.terms = "https://example.com/terms"
            },
            help("a page to ask") { $0.contact = "https://example.com/help" },
            help("no contact") { $0.contact = nil },
        ]

    private static func embedded(_ state: String, _ userAgent: String) -> PageWalk {
        PageWalk(OpenInBrowserPage.self, state) { walker in
            let visitor = walker.visitor(try await BackendUnderTest(), userAgent: userAgent)
            return try await visitor.open("/v1/auth/google").reply
        }
    }

    private static func help(
        _ state: String,
        _ change: @escaping @Sendable (inout ServiceIdentity) -> Void
    ) -> PageWalk {
        PageWalk(HelpPage.self, state) { walker in
            var identity = BackendUnderTest.identity
            change(&identity)
            let server = try await BackendUnderTest(identity: identity)
            return try await walker.visitor(server).open("/help").reply
        }
    }

    private static let refusals = [
        PageWalk(NotAnsweringPage.self, "just now") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.openID) { $0.isDown = true }
            return try await walker.visitor(server).open("/v1/auth/keycloak").reply
        },
        PageWalk(NotAnsweringPage.self, "since a while") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.google) { $0.isDown = true }
            let visitor = walker.visitor(server)
            _ = try await visitor.open("/v1/auth/google")
            server.clock.advance(by: 720)
            return try await visitor.open("/v1/auth/google").reply
        },
        PageWalk(ErrorPage.self, "way on") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open("/v1/auth/google?platform=television").reply
        },
        PageWalk(ErrorPage.self, "provider misconfigured") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.openID) {
                $0.metadata["issuer"] = "https://other.example.com"
            }
            return try await walker.visitor(server).open("/v1/auth/keycloak").reply
        },
        PageWalk(ErrorPage.self, "too many tries") { walker in
            let visitor = walker.visitor(try await BackendUnderTest(limits: .init()))
            for _ in 0..<5 { _ = try await visitor.request("/v1/auth/google") }
            return try await visitor.open("/v1/auth/google").reply
        },
        PageWalk(ErrorPage.self, "not found") { walker in
            try await walker.visitor(try await BackendUnderTest()).open("/v1/auth/nobody").reply
        },
        PageWalk(ErrorPage.self, "method not allowed") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open("/dashboard", method: .put).reply
        },
    ]

    /// What only a demonstration has.
    static let demonstration = [
        PageWalk(OutboxPage.self, "no mail") { walker in
            let server = try await BackendUnderTest(isDemonstration: true)
            return try await walker.visitor(server).open("/_outbox").reply
        },
        PageWalk(OutboxPage.self, "three mails") { walker in
            let server = try await BackendUnderTest(isDemonstration: true)
            let visitor = try await walker.registered(at: server)
            _ = try await visitor.add("facebook", as: .paul)
            _ = try await visitor.add("keycloak", as: .ann)
            _ = try await visitor.add("apple", as: .ann)
            let mails = try await server.database.outbox.latest(limit: 10)
            let ids = mails.map(\.draft.id)
            try await server.database.outbox.markSent(ids[1], at: server.clock.seconds - 100)
            try await server.database.outbox.markFailed(ids[2], dueAt: nil)
            return try await visitor.open("/_outbox").reply
        },
    ]
}
