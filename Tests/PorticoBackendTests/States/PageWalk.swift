import Foundation
import HTTPTypes
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// The way to a page in one of the states of its gallery, at the running services.
struct PageWalk: Sendable, CustomTestStringConvertible {
    let page: String
    let state: String
    /// Ends on the page.
    let walk: @Sendable (Walker) async throws -> Reply

    init(
        _ page: any Page.Type,
        _ state: String,
        _ walk: @escaping @Sendable (Walker) async throws -> Reply
    ) {
        self.page = "\(page)"
        self.state = state
        self.walk = walk
    }

    var key: String { "\(page), \(state)" }
    var testDescription: String { key }

    /// Each state of each page once.
    static let all =
        signingIn + secondStep + registering + secondFactors + provider + mailboxes + apps
        + choosing + problems + handles
        + welcomes
        + joining + linking
        + account
        + accountWays + leaving + trouble + demonstration + realm
}

/// A person who takes a walk, and reads one language.
struct Walker: Sendable {
    let language: Language

    /// In a browser, at the backend.
    func visitor(
        _ server: BackendUnderTest,
        userAgent: String = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    ) -> TestVisitor {
        TestVisitor(server, userAgent: userAgent, speaking: language.tag)
    }

    /// In a browser, at the Provider.
    func browser(_ server: ProviderUnderTest, userAgent: String? = nil) -> TestBrowser {
        TestBrowser(server, userAgent: userAgent, speaking: language.tag)
    }
}

/// What many walks begin with.
extension Walker {
    /// A person who has registered with a provider just now, and has proven who they are.
    func registered(
        _ provider: String = "google",
        as person: StandInPerson = .ann,
        at server: BackendUnderTest
    ) async throws -> TestVisitor {
        let visitor = visitor(server)
        let welcome = try await visitor.signIn(provider, as: person)
        guard welcome.path.hasPrefix("/onboarding") else { throw WrongWay(page: welcome.path) }
        try await server.proveSessions()
        return visitor
    }

    /// Ann with two sign-in methods: Google, and an account at Facebook that tells no address.
    func withTwoWays(at server: BackendUnderTest) async throws -> TestVisitor {
        let visitor = try await registered(at: server)
        _ = try await visitor.add("facebook", as: .paul)
        return visitor
    }

    /// Ann, who has an account, comes with another provider, and is asked.
    func found(_ provider: String = "facebook", at server: BackendUnderTest) async throws -> (
        TestVisitor, TestVisitor.Visited
    ) {
        _ = try await registered(at: server)
        let visitor = visitor(server)
        return (visitor, try await visitor.signIn(provider))
    }

    /// A walk that ended where it should not.
    struct WrongWay: Error {
        let page: String
    }
}

extension TestVisitor {
    /// Adds a sign-in method to the account, up to the page that tells what became of it.
    func add(_ provider: String, as person: StandInPerson) async throws -> Visited {
        let page = try await open("/account/ways")
        return try await choose(person, at: try await press(("way", provider), on: page), provider)
    }

    /// Sends the form that has a button of this name and value, whatever stands in its fields.
    func press(
        _ button: (name: String, value: String),
        on page: Visited,
        _ fields: [(String, String)] = []
    ) async throws -> Visited {
        let forms = HTMLForm.all(in: page.reply.text)
        let index = forms.firstIndex { form in
            form.buttons.contains { $0.name == button.name && $0.value == button.value }
        }
        guard let index else {
            throw Walker.WrongWay(page: "\(page.path) without \(button.value)")
        }
        return try await submit(page, fields + [(button.name, button.value)], form: index)
    }

    /// Presses one of the buttons that are told apart by `action`.
    func press(_ action: String, on page: Visited, _ fields: [(String, String)] = [])
        async throws -> Visited
    {
        try await press(("action", action), on: page, fields)
    }
}

extension BackendUnderTest {
    /// A person has gone from the OpenID provider an hour ago without signing out.
    func leaveSession(of person: StandInPerson = .ann) {
        let hourAgo = clock.now.addingTimeInterval(-3600)
        standIns.configure(.openID) { $0.oldSession = .init(of: person, since: hourAgo) }
    }

    /// The operator changes how a provider is set up.
    func setUp(_ names: String..., change: (inout ProviderRecord) -> Void) async throws {
        for var record in try await database.configuration.configuration().providers
        where names.contains(record.name) {
            change(&record)
            try await database.put(record)
        }
        try await backend.signIn.directory.refresh()
    }
}

extension StandInPerson {
    /// Gives no name.
    static func nameless(hidingEmail: Bool = false) -> StandInPerson {
        StandInPerson(
            id: "nameless",
            givenName: "",
            familyName: "",
            email: "nameless@example.net",
            hidesEmail: hidingEmail
        )
    }
}

/// The Provider's pages on which a sign-in goes on.
extension PageWalk {
    static let signingIn: [PageWalk] =
        [
            PageWalk(StartPage.self, "start") { walker in
                try await walker.browser(try await ProviderUnderTest())
                    .get("/realms/test", headers: [.accept: "text/html"])
            },
            signIn("fresh") { _, page in page },
            signIn("name known", [("login_hint", "alice@example.com")]) { _, page in page },
            signIn("wrong pair") { browser, page in
                try await browser.submit(page, [("username", "alice"), ("password", "a guess")])
            },
            signIn("both missing") { browser, page in
                try await browser.submit(page, [("username", ""), ("password", "")])
            },
            signIn("password missing") { browser, page in
                try await browser.submit(page, [("username", "alice"), ("password", "")])
            },
            PageWalk(SignInPage.self, "must wait") { walker in
                let server = try await ProviderUnderTest()
                let browser = walker.browser(server)
                let page = try await browser.authorize(TestFlow.request())
                let guess = [("username", "alice"), ("password", "a guess")]
                for _ in 0..<5 { _ = try await browser.submit(page, guess) }
                // Each wait is twice as long as the one before.
                for wait in [1.0, 2, 4, 8] {
                    server.clock.advance(by: wait)
                    _ = try await browser.submit(page, guess)
                }
                return try await browser.submit(page, guess)
            },
            PageWalk(SignInPage.self, "busy") { walker in
                let full = PasswordHashing(threads: 1, mostWaiting: -1, random: .system)
                let server = try await ProviderUnderTest(hashing: full)
                let browser = walker.browser(server)
                let page = try await browser.signIn("alice", TestFlow.request())
                await full.shutDown()
                return page
            },
            again("another may be signed in") { browser, page in
                try await browser.submit(page, [("action", "switch")])
            },
            again("again") { _, page in page },
            again("again, wrong pair") { browser, page in
                try await browser.submit(
                    page,
                    [("username", "alice@example.com"), ("password", "a guess")]
                )
            },
        ] + consent + choice

    /// - Parameter walk: From the page that asks for name and password.
    private static func signIn(
        _ state: String,
        _ changes: [(String, String)] = [],
        _ walk: @escaping @Sendable (TestBrowser, Reply) async throws -> Reply
    ) -> PageWalk {
        PageWalk(SignInPage.self, state) { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            let request = TestFlow.request("native1", changes)
            return try await walk(browser, try await browser.authorize(request))
        }
    }

    /// - Parameter walk: From the page that asks a person who is signed in.
    private static func again(
        _ state: String,
        _ walk: @escaping @Sendable (TestBrowser, Reply) async throws -> Reply
    ) -> PageWalk {
        PageWalk(SignInPage.self, state) { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            _ = try await browser.signIn("alice", TestFlow.request())
            let request = TestFlow.request("native1", [("prompt", "login")])
            return try await walk(browser, try await browser.authorize(request))
        }
    }

    private static let consent = [
        PageWalk(ConsentPage.self, "registered") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.signIn(
                "alice",
                TestFlow.request("native1", [("prompt", "consent")])
            )
        },
        PageWalk(ConsentPage.self, "app on this device, everything") { walker in
            let server = try await ProviderUnderTest { realm in
                for index in realm.clients.indices where realm.clients[index].clientID == "third" {
                    realm.clients[index].optionalScopes.append("notes.write:all")
                }
            }
            let browser = walker.browser(server)
            return try await browser.signIn(
                "alice",
                TestFlow.request(
                    "third",
                    scope: "openid profile email address phone offline_access notes.write:all",
                    [("redirect_uri", "org.example.third:/cb"), ("prompt", "consent")]
                )
            )
        },
        PageWalk(ConsentPage.self, "app on this device, administers") { walker in
            let server = try await ProviderUnderTest { realm in
                for index in realm.clients.indices where realm.clients[index].clientID == "native1"
                {
                    realm.clients[index].administers = true
                }
            }
            let browser = walker.browser(server)
            return try await browser.signIn("alice", TestFlow.request())
        },
        PageWalk(ConsentPage.self, "site, no name") { walker in
            let server = try await ProviderUnderTest { realm in
                for index in realm.people.indices {
                    realm.people[index].person.givenName = nil
                    realm.people[index].person.familyName = nil
                }
            }
            let browser = walker.browser(server)
            return try await browser.signIn("bob", TestFlow.request("third", scope: "openid"))
        },
    ]

    private static let choice = [
        PageWalk(AccountPage.self, "choose") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            _ = try await browser.signIn("alice", TestFlow.request())
            let request = TestFlow.request("native1", [("prompt", "select_account")])
            return try await browser.authorize(request)
        },
        PageWalk(AccountPage.self, "other person expected") { walker in
            let server = try await ProviderUnderTest()
            let hint = try await server.tokens("bob").json.string("id_token") ?? ""
            let browser = walker.browser(server)
            _ = try await browser.signIn("alice", TestFlow.request())
            return try await browser.authorize(
                TestFlow.request("native1", [("id_token_hint", hint)])
            )
        },
        PageWalk(AccountPage.self, "handed on by an app") { walker in
            let server = try await ProviderUnderTest { realm in
                for index in realm.clients.indices where realm.clients[index].clientID == "native1"
                {
                    realm.clients[index].loginTokenTargets = [.init(clientID: "plain")]
                }
            }
            let tokens = try await server.tokens()
            let exchanged = try await server.token([
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("client_id", "native1"), ("audience", "plain"),
                ("requested_token_type", "urn:portico:token-type:login-token"),
                ("subject_token", tokens.json.string("refresh_token") ?? ""),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:refresh_token"),
            ])
            let token = exchanged.json.string("access_token") ?? ""
            let browser = walker.browser(server)
            let link = try await browser.authorize(
                TestFlow.request("plain", scope: "openid", [("login_hint", token)])
            )
            return try await browser.get(link.location ?? "/")
        },
        PageWalk(FormPostPage.self, "answer") { walker in
            let browser = walker.browser(try await ProviderUnderTest())
            return try await browser.signIn(
                "alice",
                TestFlow.request("web1", [("response_mode", "form_post")])
            )
        },
    ]
}
