import HTTPTypes
import PorticoStores
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Forms that did not come from our page in this browser (RFC 6749 §10.12).
@Suite("Forged forms") struct ForgedFormTests {
    private let server: ProviderUnderTest
    private let browser: TestBrowser

    init() async throws {
        (server, browser) = try await ProviderUnderTest.withBrowser()
    }

    private func field(_ page: Reply, _ name: String) -> String {
        page.hiddenFields.first { $0.name == name }?.value ?? ""
    }

    private func expectForbidden(
        _ reply: Reply,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(reply.status == 403, sourceLocation: sourceLocation)
        #expect(reply.location == nil, sourceLocation: sourceLocation)
        #expect(reply.headers[values: .setCookie].isEmpty, sourceLocation: sourceLocation)
        #expect(!reply.text.contains("code="), sourceLocation: sourceLocation)
    }

    @Test("WEB-CSRF-1, WEB-CSRF-2: a sign-in without its token, or with another's, signs no one in")
    func signIn() async throws {
        let page = try await browser.authorize(TestFlow.request())
        let other = try await browser.authorize(TestFlow.request("web1"))
        let stranger = try await TestBrowser(server).authorize(TestFlow.request())
        var flipped = field(page, "csrf")
        flipped.append(flipped.removeFirst())
        for token in ["", "x", flipped, field(other, "csrf"), field(stranger, "csrf")] {
            expectForbidden(try await browser.submit(page, TestRealm.login() + [("csrf", token)]))
        }
        #expect(try await server.remains() == Remains())
        expectCode(try await browser.submit(page, TestRealm.login()))
    }

    @Test("WEB-CSRF-2: a form that an attacker fetched signs no victim in as the attacker")
    func loginForgery() async throws {
        let attacker = try await TestBrowser(server).authorize(TestFlow.request())
        let fresh = TestBrowser(server)
        expectForbidden(try await fresh.submit(attacker, TestRealm.login()))
        let victim = TestBrowser(server)
        _ = try await victim.authorize(TestFlow.request())
        let reply = try await victim.submit(attacker, TestRealm.login())
        expectForbidden(reply)
        #expect(reply.text.contains("couldn’t match this sign-in"), "no page to sign in on")
        let token = field(try await victim.authorize(TestFlow.request()), "csrf")
        expectForbidden(try await victim.submit(attacker, TestRealm.login() + [("csrf", token)]))
        #expect(fresh.cookies.isEmpty)
        #expect(try await server.remains() == Remains())
    }

    @Test("attack B11, RFC 6749 §10.12: a consent that another site posts gives no code")
    func consent() async throws {
        let page = try await browser.signIn("alice", TestFlow.request("third"))
        expectPage(page, "consent")
        let before = try await server.remains()
        let request = ("request", field(page, "request"))
        let action = page.formAction ?? ""
        expectForbidden(try await browser.post(action, [request, ("action", "allow")]))
        expectForbidden(
            try await browser.submit(
                page,
                [("action", "allow")],
                headers: [.fetchSite: "cross-site"]
            )
        )
        expectForbidden(try await browser.post(action, [("action", "allow")]))
        #expect(try await server.remains() == before)
        expectCode(try await browser.submit(page, [("action", "allow")]), of: "third")
    }

    @Test("attack B36: the token of one transaction does not allow another")
    func otherTransaction() async throws {
        let (_, browser) = try await ProviderUnderTest.signedIn()
        let first = try await browser.authorize(TestFlow.request("third"))
        let second = try await browser.authorize(TestFlow.request("third"))
        let token = field(second, "csrf")
        #expect(token != field(first, "csrf"))
        expectForbidden(try await browser.submit(first, [("action", "allow"), ("csrf", token)]))
        // Two tabs, each with its own form, both finish (WEB-BFF-7's rule, here too).
        expectCode(try await browser.submit(second, [("action", "allow")]), of: "third")
        expectCode(try await browser.submit(first, [("action", "allow")]), of: "third")
    }

    @Test("WEB-CSRF-1: what one person read on the consent page, no one else allows")
    func otherPerson() async throws {
        let page = try await browser.signIn("alice", TestFlow.request("third"))
        let cookies = browser.cookies
        _ = try await browser.signIn("bob", TestFlow.again)
        expectForbidden(try await browser.submit(page, [("action", "allow")]))
        // Not even with the form's own pre-session cookie put back beside bob's session.
        for (name, value) in cookies where name.contains("visit") { browser.cookies[name] = value }
        expectForbidden(try await browser.submit(page, [("action", "allow")]))
        #expect(try await server.remains().consents == 0)
    }

    @Test("OpenID Connect Core §3.1.2.4: what the consent page showed is what is allowed")
    func widened() async throws {
        let page = try await browser.signIn("alice", TestFlow.request("third"))
        expectPage(page, "consent")
        try await server.change("third") {
            $0.optionalScopes.removeAll { $0 == "phone" }
            $0.defaultScopes.append("phone")
        }
        expectForbidden(try await browser.submit(page, [("action", "allow")]))
        #expect(try await server.remains().consents == 0)
        let again = try await browser.authorize(TestFlow.request("third"))
        expectPage(again, "consent")
        let words = "See your phone number"
        #expect(again.text.contains(words))
        #expect(!page.text.contains(words))
        expectCode(try await browser.submit(again, [("action", "allow")]), of: "third")
    }

    @Test("WEB-CSRF-1: a request that was sealed in another browser is shown as unmatched")
    func planted() async throws {
        let attacker = TestBrowser(server)
        let planted = try await attacker.signIn("bob", TestFlow.request("third"))
        let victim = TestBrowser(server)
        let own = try await victim.signIn("alice", TestFlow.request("third"))
        let form = [
            ("request", field(planted, "request")), ("csrf", field(own, "csrf")),
            ("action", "allow"),
        ]
        expectForbidden(try await victim.submit(own, form))
        #expect(try await server.remains().consents == 0)
    }

    @Test("WEB-CSRF-1: choosing an account and signing out need their token too")
    func otherForms() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let choice = try await browser.authorize(
            TestFlow.request("native1", [("prompt", "select_account")])
        )
        let signOut = try await browser.get(.endpoint("logout"))
        #expect(signOut.formAction?.hasSuffix("logout-confirm") == true)
        let before = try await server.remains()
        for (page, other, action) in [
            (choice, signOut, "continue"), (signOut, choice, "sign-out"),
        ] {
            for token in ["", field(other, "csrf")] {
                let form = [("action", action), ("csrf", token)]
                expectForbidden(try await browser.submit(page, form))
            }
            let stranger = TestBrowser(server)
            expectForbidden(try await stranger.submit(page, [("action", action)]))
        }
        #expect(try await server.remains() == before)
    }

    @Test(
        "WEB-CSRF-3: Sec-Fetch-Site, when there, must be same-origin at every form",
        arguments: ["cross-site", "same-site", "none", "Same-Origin", "same-origin, cross-site"]
    )
    func fetchSite(_ site: String) async throws {
        let page = try await browser.authorize(TestFlow.request())
        expectForbidden(
            try await browser.submit(page, TestRealm.login(), headers: [.fetchSite: site])
        )
        #expect(try await server.remains() == Remains())
        let own: HTTPFields = [.fetchSite: "same-origin", .origin: "null"]
        expectCode(try await browser.submit(page, TestRealm.login(), headers: own))
    }

    @Test("WEB-CSRF-5: GET signs no one in, allows nothing and signs no one out")
    func get() async throws {
        let page = try await browser.signIn("alice", TestFlow.request("third"))
        let before = try await server.remains()
        let query = "?request=\(field(page, "request"))&csrf=\(field(page, "csrf"))&action=allow"
        for path in [
            "/realms/test/login-actions/consent", "/realms/test/login-actions/authenticate",
            "/realms/test/login-actions/select-account",
            String.endpoint("logout/logout-confirm"),
        ] {
            let reply = try await browser.get(path + query + "&username=bob&password=x")
            #expect(reply.status == 405)
            #expect(reply.headers[.allow] == "POST")
            #expect(reply.location == nil)
        }
        let withPassword = TestFlow.request() + [("username", "bob"), ("password", "x")]
        let fresh = TestBrowser(server)
        expectPage(try await fresh.authorize(withPassword), "authenticate")
        _ = try await browser.get(.endpoint("logout"))
        #expect(try await server.remains() == before)
    }

    @Test("RFC 9126 §4: a restart is a new request in whichever browser asks, and signs no one in")
    func restart() async throws {
        let attacker = TestBrowser(server)
        let page = try await attacker.authorize(TestFlow.again)
        let path = "/realms/test/login-actions/restart?request=" + field(page, "request")
        let victim = TestBrowser(server)
        let started = try await victim.get(path)
        expectPage(started, "authenticate")
        expectForbidden(try await attacker.submit(started, TestRealm.login()))
        expectCode(try await victim.submit(started, TestRealm.login()))
        // A forced sign-in is not carried over.
        expectPage(try await victim.get(path), "authenticate")
        for broken in ["", "x", field(page, "request") + "A", field(page, "csrf")] {
            expectForbidden(
                try await victim.get("/realms/test/login-actions/restart?request=" + broken)
            )
        }
    }

    @Test("decision 0104: a form that waited for long without its cookie says so, and how to go on")
    func tookTooLong() async throws {
        let page = try await browser.authorize(TestFlow.request())
        server.clock.advance(by: 1800)
        let closed = TestBrowser(server)
        let expired = try await closed.submit(page, TestRealm.login())
        #expect(expired.status == 400)
        #expect(expired.location == nil && closed.cookies.isEmpty)
        let link = try #require(expired.text.firstMatch(of: /href="([^"]*restart[^"]*)"/)).1
        let again = try await closed.get(String(link))
        expectPage(again, "authenticate")
        expectCode(try await closed.submit(again, TestRealm.login()))
    }
}
