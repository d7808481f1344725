import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport

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
                TestFlow.request(
                    "native1",
                    scope: "openid",
                    [("kc_action", "UPDATE_PASSWORD")]
                )
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
