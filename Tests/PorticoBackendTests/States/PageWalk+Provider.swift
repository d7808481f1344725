import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
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
            let begun = try await visitor.begin("ann.example.com", TestApp().start)
            let back = try server.hosts.approve(begun.location, as: .ann)
            _ = try await visitor.request(back)
            return try await visitor.request(back)
        },
        PageWalk(ExpiredPage.self, "out of date") { walker in
            let server = try await BackendUnderTest()
            let visitor = try await walker.registered("google", as: .ann, at: server)
            let page = try await visitor.open("/account/details")
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
