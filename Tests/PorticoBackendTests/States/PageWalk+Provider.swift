import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStandIns
import PorticoStores
import PorticoTestSupport

/// The Provider's pages about signing out, and when something does not work.
extension PageWalk {
    static let provider: [PageWalk] = signingOut + expired + refused

    private static let signingOut = [
        signOut(SignOutPage.self, "asked by a client", "?client_id=web1") { _, page in page },
        signOut(SignOutPage.self, "asked by an unknown client") { _, page in page },
        signOut(
            SignOutPage.self,
            "refused, and still signed in",
            "?client_id=web1&post_logout_redirect_uri=https://elsewhere.example"
        ) { _, page in page },
        PageWalk(SignOutPage.self, "asked by a client, elsewhere") { walker in
            let server = try await ProviderUnderTest()
            let hint = try await server.tokens("alice", "web1").json.string("id_token") ?? ""
            return try await walker.browser(server)
                .get(ProviderUnderTest.path("logout?id_token_hint=" + hint), headers: asPage)
        },
        signOut(SignedOutPage.self, "signed out") { browser, page in
            try await browser.submit(page, [("action", "sign-out")])
        },
        signOut(SignedOutPage.self, "stayed", "?" + signInReturn) { browser, page in
            try await browser.submit(page, [("action", "stay")])
        },
        PageWalk(SignedOutPage.self, "was not signed in") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.get(ProviderUnderTest.path("logout"), headers: asPage)
        },
        PageWalk(SignedOutPage.self, "was not signed in, link back") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.get(
                ProviderUnderTest.path("logout?" + signInReturn),
                headers: asPage
            )
        },
    ]

    private static let asPage: HTTPFields = [.accept: "text/html"]
    private static let signInReturn =
        "client_id=web1&post_logout_redirect_uri=https://app.example.com/bye"

    /// - Parameter walk: From the page that asks a person who is signed in.
    private static func signOut(
        _ page: any Page.Type,
        _ state: String,
        _ query: String = "",
        _ walk: @escaping @Sendable (TestBrowser, Reply) async throws -> Reply
    ) -> PageWalk {
        PageWalk(page, state) { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            _ = try await browser.signIn("alice", TestFlow.request())
            let asked = try await browser.get(ProviderUnderTest.path("logout") + query)
            return try await walk(browser, asked)
        }
    }

    private static let alice = [
        ("username", "alice"), ("password", TestRealm.passwords["alice"] ?? ""),
    ]

    private static let expired = [
        PageWalk(ExpiredPage.self, "took too long") { walker in
            let server = try await ProviderUnderTest()
            let browser = walker.browser(server)
            let page = try await browser.authorize(TestFlow.request())
            server.clock.advance(by: 1801)
            browser.cookies = [:]
            return try await browser.submit(page, alice)
        },
        PageWalk(ExpiredPage.self, "answered before") { walker in
            let server = try await BackendUnderTest.withHandles()
            let visitor = walker.visitor(server)
            let back = try await visitor.approved("ann.example.com", TestApp().start)
            _ = try await visitor.request(back)
            return try await visitor.request(back)
        },
        PageWalk(ExpiredPage.self, "out of date") { walker in
            let server = try await BackendUnderTest()
            let visitor = try await walker.registered("google", as: .ann, at: server)
            let page = try await visitor.open("/account/details")
            server.clock.advance(by: 1)
            _ = try await visitor.signIn("google", as: .ann)
            return try await visitor.press("save", on: page).reply
        },
        PageWalk(ExpiredPage.self, "unmatched, no way on") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            let page = try await browser.authorize(TestFlow.request())
            return try await browser.submit(page, alice + [("request", "nothing")])
        },
        PageWalk(ExpiredPage.self, "unmatched") { walker in
            let server = try await ProviderUnderTest()
            let page = try await walker.browser(server).authorize(TestFlow.request())
            let other = walker.browser(server)
            _ = try await other.authorize(TestFlow.request())
            return try await other.submit(page, alice)
        },
        PageWalk(CookiesBlockedPage.self, "way on") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            let page = try await browser.authorize(TestFlow.request())
            browser.cookies = [:]
            return try await browser.submit(page, alice)
        },
    ]

    private static let refused = [
        PageWalk(ErrorPage.self, "request not understood") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.get(ProviderUnderTest.path("logout?state=a&state=b"))
        },
        PageWalk(ErrorPage.self, "unknown client") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.authorize(
                TestFlow.request("native1", [("client_id", "nobody")])
            )
        },
        PageWalk(ErrorPage.self, "unknown redirect") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.authorize(
                TestFlow.request("native1", [("redirect_uri", "https://elsewhere.example/cb")])
            )
        },
        PageWalk(ErrorPage.self, "account blocked") { walker in
            let server = try await ProviderUnderTest { realm in
                for index in realm.people.indices { realm.people[index].person.isEnabled = false }
            }
            return try await walker.browser(server).signIn("alice", TestFlow.request())
        },
        submitted("not allowed", [("csrf", "forged")]),
        submitted("too large", [("padding", String(repeating: "x", count: 1_000_000))]),
        submitted("busy", failing: StoreBusy()),
        submitted("server error", failing: Walker.WrongWay(page: "of the test's making")),
    ]

    /// Alice's sign-in, with something wrong about it.
    private static func submitted(
        _ state: String,
        _ fields: [(String, String)] = [],
        failing error: (any Error)? = nil
    ) -> PageWalk {
        PageWalk(ErrorPage.self, state) { walker in
            let server = try await ProviderUnderTest()
            let browser = walker.browser(server)
            let page = try await browser.authorize(TestFlow.request())
            server.database.refuseWrites(error)
            return try await browser.submit(page, alice + fields)
        }
    }
}

/// The account pages of a realm on which second factors are set up.
extension PageWalk {
    static let secondFactors: [PageWalk] =
        [
            list("none") { visit in visit.page },
            PageWalk(SecondFactorsPage.self, "demanded") { walker in
                try await demanded(walker).page
            },
            PageWalk(AppAddedPage.self, "added") { walker in
                let visit = try await Visit(walker, try await ProviderUnderTest())
                return try await visit.added(visit.page)
            },
            list("added") { visit in
                let one = try await visit.added(visit.page)
                _ = try await visit.browser.press(one, [("action", "codes")])
                return try await visit.added(try await visit.browser.get(Visit.path))
            },
            PageWalk(SecondFactorsPage.self, "added, on the way to an app") { walker in
                let visit = try await demanded(walker, withCodes: true)
                return try await visit.added(visit.page)
            },
            list("two apps and codes") { visit in
                let one = try await visit.added(visit.page)
                let two = try await visit.added(one)
                let shown = try await visit.browser.press(two, [("action", "codes")])
                let code = shown.text.firstMatch(of: /[2-9A-Z]{4}(-[2-9A-Z]{4}){2}/)?.0 ?? ""
                let other = TestBrowser(visit.server)
                let asked = try await other.signIn("alice", TestFlow.request())
                _ = try await other.press(asked, [("code", String(code))])
                return try await visit.browser.get(Visit.path)
            },
            list("removed") { visit in
                _ = try await visit.added(visit.page)
                let page = try await visit.browser.get(Visit.path)
                let id = page.hiddenFields.first { $0.name == "id" }?.value ?? ""
                return try await visit.browser.press(page, [("action", "remove"), ("id", id)])
            },
            PageWalk(SecondFactorsPage.self, "codes alone") { walker in
                let made = RecoveryCodes.make(.system)
                let server = try await ProviderUnderTest { new in
                    new.people[0].add(.recoveryCodes, made.parameters, made.secret, 0x3FF)
                }
                return try await Visit(walker, server, code: made.codes[10]).page
            },
            PageWalk(SecondFactorsPage.self, "full") { walker in
                let secret = SecretText(#"{"value":"d9TWI6sTaqt0CNLc7qrE"}"#)
                let server = try await ProviderUnderTest { new in
                    for _ in 1...10 { new.people[0].add(.totp, [:], secret, 0) }
                }
                let app = OneTimePassword([:], secret: secret)
                let code = app?.code(at: server.clock.seconds / 30) ?? ""
                let visit = try await Visit(walker, server, code: code)
                return try await visit.added(visit.page)
            },
            setUp("asked", nil), setUp("missing", ""), setUp("wrong code", "12345"),
            PageWalk(RecoveryCodesPage.self, "made") { walker in
                let visit = try await Visit(walker, try await ProviderUnderTest())
                let page = try await visit.added(visit.page)
                return try await visit.browser.press(page, [("action", "codes")])
            },
            PageWalk(RecoveryCodesPage.self, "made again") { walker in
                let visit = try await Visit(walker, try await ProviderUnderTest())
                let page = try await visit.added(visit.page)
                _ = try await visit.browser.press(page, [("action", "codes")])
                let list = try await visit.browser.get(Visit.path)
                return try await visit.browser.press(list, [("action", "codes")])
            },
        ]

    /// Alice on the page.
    private struct Visit {
        static let path = "/realms/test/account/second-factor"

        let server: ProviderUnderTest
        let browser: TestBrowser
        var page: Reply

        init(_ server: ProviderUnderTest, _ browser: TestBrowser, _ page: Reply) {
            self.server = server
            self.browser = browser
            self.page = page
        }

        init(_ walker: Walker, _ server: ProviderUnderTest, code: String? = nil) async throws {
            let browser = walker.browser(server)
            let form = try await browser.get(Self.path)
            let password = TestRealm.passwords["alice"] ?? ""
            let asked = try await browser.press(
                form,
                [("username", "alice"), ("password", password)]
            )
            if let code { _ = try await browser.press(asked, [("code", code)]) }
            self.init(server, browser, try await browser.get(Self.path))
        }

        /// Adds an app.
        func added(_ page: Reply) async throws -> Reply {
            let setup = try await browser.press(page, [("action", "add")])
            let key = setup.text.firstMatch(of: /otpauth:[^"]*secret=([A-Z2-7]{32})/)?.1 ?? ""
            let app = OneTimePassword(
                key: Base32.decode(String(key)) ?? [],
                digest: .sha1,
                digits: 6,
                period: 30
            )
            let code = app?.code(at: server.clock.seconds / 30) ?? ""
            return try await browser.press(setup, [("action", "confirm"), ("code", code)])
        }
    }

    private static func list(
        _ state: String,
        _ walk: @escaping @Sendable (Visit) async throws -> Reply
    ) -> PageWalk {
        PageWalk(SecondFactorsPage.self, state) { walker in
            try await walk(Visit(walker, try await ProviderUnderTest()))
        }
    }

    private static func setUp(_ state: String, _ typed: String?) -> PageWalk {
        PageWalk(AuthenticatorSetupPage.self, state) { walker in
            let visit = try await Visit(walker, try await ProviderUnderTest())
            let page = try await visit.browser.press(visit.page, [("action", "add")])
            guard let typed else { return page }
            return try await visit.browser.press(
                page,
                [("action", "confirm"), ("code", typed), ("others", "1")]
            )
        }
    }

    /// She comes from an app, and must add one first.
    private static func demanded(_ walker: Walker, withCodes: Bool = false) async throws -> Visit {
        let made = RecoveryCodes.make(.system)
        let server = try await ProviderUnderTest { new in
            new.people[0].person.requiredActions = [RequiredAction.configureTOTP]
            guard withCodes else { return }
            new.people[0].add(.recoveryCodes, made.parameters, made.secret, 0)
        }
        let browser = walker.browser(server)
        var reply = try await browser.signIn("alice", TestFlow.request())
        if withCodes { reply = try await browser.press(reply, [("code", made.codes[0])]) }
        return Visit(server, browser, try await browser.get(reply.location ?? "/"))
    }
}

extension NewPerson {
    fileprivate mutating func add(
        _ kind: Credential.Kind,
        _ parameters: JSONObject,
        _ secret: SecretText,
        _ used: Int64
    ) {
        let id = UniqueID(random: .system).text
        credentials.append(
            Credential(
                id: id,
                personID: person.id,
                kind: kind,
                label: "",
                createdAt: 1_800_000_000_000,
                priority: 0,
                parameters: parameters,
                sealedSecret: CredentialSeal(ring: TestRealm.ring)
                    .seal(secret, of: id, random: .system),
                used: used
            )
        )
    }
}

extension TestBrowser {
    /// Sends a form of a page that has several, with the first of each hidden field.
    fileprivate func press(_ page: Reply, _ fields: [(String, String)]) async throws -> Reply {
        var sent = fields
        for (name, value) in page.hiddenFields where !sent.contains(where: { $0.0 == name }) {
            sent.append((name, value))
        }
        return try await post(page.formAction ?? "/no-form", sent)
    }
}

/// The Provider's page that asks for a second factor.
extension PageWalk {
    static let secondStep: [PageWalk] =
        [
            step("app") { _, page, _ in page },
            step("app, no recovery codes", [.totp]) { _, page, _ in page },
            step("app, code missing") { browser, page, _ in
                try await browser.submit(page, [("code", "")])
            },
            step("app, wrong code") { browser, page, _ in
                try await browser.submit(page, [("code", "12345")])
            },
            step("app, used code") { browser, page, codes in
                _ = try await browser.submit(page, [("code", codes.app)])
                let again = try await browser.signIn(
                    "alice",
                    TestFlow.request("native1", [("prompt", "login")])
                )
                return try await browser.submit(again, [("code", codes.app)])
            },
            step("must wait") { browser, page, _ in
                for _ in 1...5 { _ = try await browser.submit(page, [("code", "12345")]) }
                return try await browser.submit(page, [("code", "12345")])
            },
            step("recovery code") { browser, page, _ in
                try await browser.submit(page, [("action", "recovery")])
            },
            step("recovery code, no app", [.recoveryCodes]) { _, page, _ in page },
            recovery("recovery code missing") { _ in "" },
            recovery("wrong recovery code") { _ in "ABCD EFGH" },
            step("used recovery code") { browser, page, codes in
                _ = try await browser.submit(page, [("code", codes.paper)])
                let again = try await browser.signIn(
                    "alice",
                    TestFlow.request("native1", [("prompt", "login")])
                )
                let other = try await browser.submit(again, [("action", "recovery")])
                return try await browser.submit(other, [("code", codes.paper)])
            },
            PageWalk(SignInPage.self, "took too long") { walker in
                let (browser, page, _, clock) = try await asked(walker, [.totp])
                clock.advance(by: 601)
                return try await browser.submit(page, [("code", "12345")])
            },
        ]

    private struct Codes: Sendable {
        let app: String
        let paper: String
    }

    /// - Parameter walk: From the page that asks for the code.
    private static func step(
        _ state: String,
        _ kinds: [Credential.Kind] = [.totp, .recoveryCodes],
        _ walk: @escaping @Sendable (TestBrowser, Reply, Codes) async throws -> Reply
    ) -> PageWalk {
        PageWalk(SecondStepPage.self, state) { walker in
            let (browser, page, codes, _) = try await asked(walker, kinds)
            return try await walk(browser, page, codes)
        }
    }

    private static func recovery(
        _ state: String,
        _ typed: @escaping @Sendable (Codes) -> String
    ) -> PageWalk {
        step(state) { browser, page, codes in
            let other = try await browser.submit(page, [("action", "recovery")])
            return try await browser.submit(other, [("code", typed(codes))])
        }
    }

    private static func asked(_ walker: Walker, _ kinds: [Credential.Kind]) async throws
        -> (TestBrowser, Reply, Codes, StoppedClock)
    {
        let made = RecoveryCodes.make(.system)
        let secret = SecretText(#"{"value":"d9TWI6sTaqt0CNLc7qrE"}"#)
        let seal = CredentialSeal(ring: TestRealm.ring)
        let server = try await ProviderUnderTest { new in
            for kind in kinds {
                let isApp = kind == .totp
                let id = UniqueID(random: .system).text
                new.people[0].credentials.append(
                    Credential(
                        id: id,
                        personID: new.people[0].person.id,
                        kind: kind,
                        label: "",
                        createdAt: 0,
                        priority: 0,
                        parameters: isApp ? [:] : made.parameters,
                        sealedSecret: seal.seal(
                            isApp ? secret : made.secret,
                            of: id,
                            random: .system
                        )
                    )
                )
            }
        }
        let browser = walker.browser(server)
        let page = try await browser.signIn("alice", TestFlow.request())
        let app = OneTimePassword([:], secret: secret)?.code(at: server.clock.seconds / 30)
        return (browser, page, Codes(app: app ?? "", paper: made.codes[0]), server.clock)
    }
}
