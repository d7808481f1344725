import HTTPTypes
import PorticoBackend
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// The welcome of a new person.
extension PageWalk {
    static let welcomes = [
        welcome("e-mail confirmed") { try await $0.registered(at: $1).open("/onboarding") },
        PageWalk(WelcomePage.self, "terms") { walker in
            var identity = BackendUnderTest.identity
            identity.terms = "https://example.com/terms"
            let server = try await BackendUnderTest(identity: identity)
            return try await walker.visitor(server).signIn().reply
        },
        welcome("e-mail unverified") { try await $0.visitor($1).signIn("facebook") },
        welcome("e-mail missing") { try await $0.visitor($1).signIn("facebook", as: .paul) },
        welcome("relay") { walker, server in
            let visitor = walker.visitor(server)
            let asked = try await visitor.signIn("apple", as: .rea)
            return try await visitor.press("create", on: asked)
        },
        welcome("name missing") { walker, server in
            let person = StandInPerson.nameless(hidingEmail: true)
            server.standIns.setPeople([person], at: .apple)
            let visitor = walker.visitor(server)
            let asked = try await visitor.signIn("apple", as: person)
            return try await visitor.press("create", on: asked)
        },
        welcome("nothing given") { walker, server in
            let visitor = walker.visitor(server)
            let page = try await visitor.signIn("facebook", as: .paul)
            return try await visitor.press("save", on: page, [("name", ""), ("email", "")])
        },
        welcome("e-mail wrong") { walker, server in
            let visitor = walker.visitor(server)
            let page = try await visitor.signIn("facebook", as: .paul)
            let typed = [("name", "Paul"), ("email", "paul@")]
            return try await visitor.press("save", on: page, typed)
        },
    ]

    private static func welcome(
        _ state: String,
        _ walk: @escaping @Sendable (Walker, BackendUnderTest) async throws -> TestVisitor.Visited
    ) -> PageWalk {
        PageWalk(WelcomePage.self, state) { walker in
            try await walk(walker, try await BackendUnderTest()).reply
        }
    }

    /// A proven person without an account, with the address of an existing one.
    static let joining = [
        PageWalk(RelayPage.self, "asked") { walker in
            try await walker.visitor(try await BackendUnderTest()).signIn("apple", as: .rea).reply
        },
        PageWalk(FoundAccountPage.self, "one method") { walker in
            try await walker.found("apple", at: try await BackendUnderTest()).1.reply
        },
        PageWalk(FoundAccountPage.self, "several methods, no new accounts") { walker in
            let database = try TestDatabase.inMemory()
            let server = try await BackendUnderTest(
                database: database,
                rules: AccountRules(linking: .ask)
            )
            let owner = try await walker.withTwoWays(at: server)
            _ = try await owner.add("keycloak", as: .ann)
            let closed = try await BackendUnderTest(
                database: database,
                rules: AccountRules(isSignUpOpen: false)
            )
            return try await walker.visitor(closed).signIn("apple").reply
        },
        PageWalk(FoundAccountPage.self, "stopped") { walker in
            let (visitor, found) = try await walker.found(at: try await BackendUnderTest())
            let google = try await visitor.press(("way", "google"), on: found)
            return try await visitor.submit(google, [("cancel", "1")]).reply
        },
        PageWalk(FoundAccountPage.self, "mailbox only") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered(at: server)
            try await server.setUp("google") { $0.isEnabled = false }
            return try await walker.visitor(server).signIn("facebook").reply
        },
        PageWalk(FoundAccountPage.self, "second of its provider") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered(at: server)
            var other = StandInPerson.ann
            other.id = "annie"
            server.standIns.setPeople([other], at: .google)
            return try await walker.visitor(server).signIn("google", as: other).reply
        },
        PageWalk(FoundAccountPage.self, "not asked again") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered("keycloak", at: server)
            server.leaveSession()
            let visitor = walker.visitor(server)
            let found = try await visitor.signIn("facebook")
            return try await visitor.press(("way", "keycloak"), on: found).reply
        },
        PageWalk(FoundAccountPage.self, "address not proven") { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered("facebook", at: server)
            return try await walker.visitor(server).signIn("google").reply
        },
        PageWalk(AddMethodPage.self, "asked") { walker in
            let server = try await BackendUnderTest()
            let (visitor, found) = try await walker.found("apple", at: server)
            let google = try await visitor.press(("way", "google"), on: found)
            let unproven = try await visitor.choose(.ann, at: google, "google")
            return try await visitor.proveByCode(unproven).reply
        },
        PageWalk(EmailCodePage.self, "for an account that was found") { walker in
            let (visitor, found) = try await walker.found(at: try await BackendUnderTest())
            return try await visitor.press("mailbox", on: found).reply
        },
    ]

    /// A code that was mailed, for an address that the account is to have.
    private static let codes = [
        code("asked") { _, _, page in page },
        code("sent again") { _, visitor, page in try await visitor.press("resend", on: page) },
        code("missing") { _, visitor, page in
            try await visitor.press("confirm", on: page, [("code", "")])
        },
        code("wrong") { server, visitor, page in
            try await guessed(1, server, visitor, page)
        },
        code("wrong, last try") { server, visitor, page in
            try await guessed(4, server, visitor, page)
        },
        code("too many") { server, visitor, page in
            try await guessed(5, server, visitor, page)
        },
        code("expired") { server, visitor, page in
            server.clock.advance(by: 601)
            let code = ("code", try await server.mailedCode() ?? "")
            return try await visitor.press("confirm", on: page, [code])
        },
        code("used") { server, visitor, page in
            let code = ("code", try await server.mailedCode() ?? "")
            _ = try await visitor.press("confirm", on: page, [code])
            // The very same form again is answered as before, for a minute.
            server.clock.advance(by: 61)
            return try await visitor.press("confirm", on: page, [code])
        },
    ]

    private static func code(
        _ state: String,
        _ walk:
            @escaping @Sendable (BackendUnderTest, TestVisitor, TestVisitor.Visited) async throws
            -> TestVisitor.Visited
    ) -> PageWalk {
        PageWalk(EmailCodePage.self, state) { walker in
            let server = try await BackendUnderTest()
            let visitor = walker.visitor(server)
            let welcome = try await visitor.signIn("facebook")
            let typed = [("name", "Ann"), ("email", "ann@example.com")]
            let page = try await visitor.press("save", on: welcome, typed)
            return try await walk(server, visitor, page).reply
        }
    }

    private static func guessed(
        _ times: Int,
        _ server: BackendUnderTest,
        _ visitor: TestVisitor,
        _ page: TestVisitor.Visited
    ) async throws -> TestVisitor.Visited {
        var page = page
        for _ in 0..<times {
            let code = try await server.mailedCode() ?? ""
            let guess = ("code", BackendUnderTest.otherCode(than: code))
            page = try await visitor.press("confirm", on: page, [guess])
        }
        return page
    }

    /// What a signed-in person must prove, or is refused.
    static let linking: [PageWalk] =
        codes + [
            taken("other account", "apple", .ann, by: .ann),
            taken("generic", "keycloak", .ann, by: .ann),
            PageWalk(IdentityTakenPage.self, "second of a provider") { walker in
                let visitor = try await walker.registered(at: try await BackendUnderTest())
                // A page from before Google was added: its button is still there.
                let page = try await visitor.open("/account/ways")
                let google = try await visitor.submit(page, [("way", "google")])
                return try await visitor.choose(.ben, at: google, "google").reply
            },
            confirm("adding") { visitor in
                let page = try await visitor.open("/account/ways")
                return try await visitor.press(("way", "apple"), on: page)
            },
            confirm("removing") { visitor in
                try await visitor.press("remove", on: try await visitor.open("/account/ways"))
            },
            confirm("changingEmail") { visitor in
                let page = try await visitor.open("/account/details")
                let typed = [("name", "Ann"), ("email", "new@example.com")]
                return try await visitor.press("save", on: page, typed)
            },
            confirm("deleting") { visitor in
                let page = try await visitor.open("/account/delete")
                return try await visitor.press("delete", on: page, [("sure", "1")])
            },
            confirm("downloading") { try await $0.open("/account/data") },
            confirm("other") { try await $0.open("/account/confirm") },
            PageWalk(ConfirmItsYouPage.self, "mailbox only") { walker in
                // Google cannot be made to ask.
                let visitor = walker.visitor(try await BackendUnderTest())
                _ = try await visitor.signIn("google")
                return try await visitor.open("/account/confirm").reply
            },
            PageWalk(ConfirmItsYouPage.self, "not asked again") { walker in
                let server = try await BackendUnderTest()
                let visitor = try await walker.registered("keycloak", at: server)
                server.clock.advance(by: 601)
                server.leaveSession()
                let page = try await visitor.open("/account/ways")
                let asked = try await visitor.press(("way", "apple"), on: page)
                return try await visitor.press(("way", "keycloak"), on: asked).reply
            },
            PageWalk(ConfirmItsYouPage.self, "internet handle") { walker in
                let server = try await BackendUnderTest.withHandles()
                let visitor = walker.visitor(server)
                _ = try await visitor.byHandle()
                server.clock.advance(by: 601)
                return try await visitor.open("/account/confirm").reply
            },
            PageWalk(ConfirmItsYouPage.self, "no method") { walker in
                let server = try await BackendUnderTest()
                let visitor = try await walker.registered("facebook", as: .paul, at: server)
                server.clock.advance(by: 601)
                try await server.setUp("facebook") { $0.isEnabled = false }
                return try await visitor.open("/account/confirm").reply
            },
        ]

    /// The identity that is added is that of another account.
    private static func taken(
        _ state: String,
        _ provider: String,
        _ owner: StandInPerson,
        by person: StandInPerson
    ) -> PageWalk {
        PageWalk(IdentityTakenPage.self, state) { walker in
            let server = try await BackendUnderTest()
            _ = try await walker.registered(provider, as: owner, at: server)
            let other = try await walker.registered("google", as: .ben, at: server)
            return try await other.add(provider, as: person).reply
        }
    }

    /// Asked by a person whose proof is more than ten minutes old.
    private static func confirm(
        _ state: String,
        _ walk: @escaping @Sendable (TestVisitor) async throws -> TestVisitor.Visited
    ) -> PageWalk {
        PageWalk(ConfirmItsYouPage.self, state) { walker in
            let server = try await BackendUnderTest()
            let visitor = try await walker.registered(at: server)
            _ = try await visitor.add("keycloak", as: .ann)
            server.clock.advance(by: 601)
            return try await walk(visitor).reply
        }
    }
}

/// The choice of a sign-in method.
extension PageWalk {
    static let choosing = [
        PageWalk(ChooseMethodPage.self, "sign in") { walker in
            let visitor = try await walker.registered("facebook", at: try await BackendUnderTest())
            _ = try await visitor.press("here", on: try await visitor.open("/logout"))
            return try await visitor.open("/login?return_to=/orders&remember=1").reply
        },
        PageWalk(ChooseMethodPage.self, "sign in for an app") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open(FormEncoding.appending(TestApp().start, to: "/login"))
                .reply
        },
        PageWalk(ChooseMethodPage.self, "sign up") { walker in
            try await walker.visitor(try await BackendUnderTest()).open("/signup").reply
        },
        PageWalk(ChooseMethodPage.self, "sign up for an app") { walker in
            let visitor = walker.visitor(try await BackendUnderTest())
            return try await visitor.open(FormEncoding.appending(TestApp().start, to: "/signup"))
                .reply
        },
        PageWalk(ChooseMethodPage.self, "not responding") { walker in
            let server = try await BackendUnderTest()
            server.standIns.configure(.google) { $0.isDown = true }
            let visitor = walker.visitor(server)
            _ = try await visitor.open("/v1/auth/google")
            return try await visitor.open("/login").reply
        },
        PageWalk(ChooseMethodPage.self, "no methods") { walker in
            let server = try await BackendUnderTest()
            try await server.setUp("google", "facebook", "apple", "keycloak") {
                $0.isEnabled = false
            }
            return try await walker.visitor(server).open("/login").reply
        },
    ]

    /// What a sign-in that failed says at the choice (docs/decisions/0028).
    static let problems: [PageWalk] = failed + refusedAccounts + contract

    private static let failed = [
        problem("cancelled") { server, visitor in
            let page = try await visitor.open("/v1/auth/google")
            return try await visitor.submit(page, [("cancel", "1")])
        },
        problem("took too long") { server, visitor in
            let page = try await visitor.open("/v1/auth/google")
            server.clock.advance(by: 601)
            return try await visitor.choose(.ann, at: page, "google")
        },
        problem("unmatched") { server, visitor in
            let state = try await visitor.request("/v1/auth/facebook").redirected["state"] ?? ""
            return try await visitor.open("/v1/auth/google/callback?code=x&state=\(state)")
        },
        problem("not answering") { server, visitor in
            server.standIns.configure(.google) { $0.failing = [.token] }
            return try await visitor.signIn("google")
        },
        problem("misconfigured") { server, visitor in
            server.standIns.configure(.openID) {
                $0.tokenAnswer = .refused(status: 401, code: "invalid_client")
            }
            return try await visitor.signIn("keycloak")
        },
        problem("sign in again") { server, visitor in
            server.standIns.configure(.openID) { $0.authorizationError = "login_required" }
            return try await visitor.open("/v1/auth/keycloak")
        },
        problem("not asked again") { server, visitor in
            server.leaveSession()
            return try await visitor.open("/v1/auth/keycloak?prompt=login")
        },
        problem("failed") { server, visitor in
            server.standIns.configure(.google) { $0.idToken = [.wrongNonce] }
            return try await visitor.signIn("google")
        },
    ]

    private static let refusedAccounts = [
        problem("organisation denies") { server, visitor in
            try await server.setUp("google") { $0.settings["hostedDomains"] = ["example.org"] }
            return try await visitor.signIn("google")
        },
        PageWalk(ChooseMethodPage.self, "sign-up closed") { walker in
            let server = try await BackendUnderTest(rules: AccountRules(isSignUpOpen: false))
            return try await walker.visitor(server).signIn("google").reply
        },
        problem("account blocked") { server, visitor in
            _ = try await TestVisitor(server).signIn("google")
            for account in try await server.accounts() {
                _ = try await server.database.block(
                    account.id,
                    true,
                    at: server.clock.seconds
                )
            }
            return try await visitor.signIn("google")
        },
        problem("link required") { server, visitor in
            var second = StandInPerson.ann
            second.id = "second"
            server.standIns.setPeople([.ann, second], at: .google)
            _ = try await TestVisitor(server).signIn("google", as: .ann)
            let found = try await visitor.signIn("google", as: second)
            // As a page of before the account had this provider: this one no longer offers it.
            let asked = try await visitor.submit(found, [("action", "mailbox")], form: 0)
            let code = ("code", try await server.mailedCode() ?? "")
            return try await visitor.press("confirm", on: asked, [code])
        },
    ]

    /// As docs/openapi.yaml writes it, for a front end of the team's own: no provider is named.
    private static let contract = [
        problem("a provider is not answering") { _, visitor in
            try await visitor.open("/login?error=authentication_failed&reason=provider_unreachable")
        },
        problem("failed for no known reason") { _, visitor in
            try await visitor.open("/login?error=authentication_failed&reason=invalid_id_token")
        },
        problem("e-mail unverified") { _, visitor in
            try await visitor.open("/login?error=email_unverified")
        },
    ]

    private static func problem(
        _ state: String,
        _ walk:
            @escaping @Sendable (BackendUnderTest, TestVisitor) async throws -> TestVisitor.Visited
    ) -> PageWalk {
        PageWalk(ChooseMethodPage.self, state) { walker in
            let server = try await BackendUnderTest()
            return try await walk(server, walker.visitor(server)).reply
        }
    }
}
