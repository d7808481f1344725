import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@Suite("Whether to ask: prompt and max_age") struct PromptTests {
    private func request(_ changes: (String, String)...) -> [(String, String)] {
        TestFlow.request("native1", changes)
    }

    @Test("attack B21, OpenID Connect Core §3.1.2.1: prompt=none without a session")
    func noSession() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        expectError(try await browser.authorize(request(("prompt", "none"))), "login_required")
        #expect(browser.cookies.isEmpty)
        #expect(try await server.remains() == Remains())
    }

    @Test("attack B21, OpenID Connect Core §3.1.2.3: prompt=none that needs consent")
    func noConsent() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let before = try await server.remains()
        let reply = try await browser.authorize(TestFlow.request("third", [("prompt", "none")]))
        expectError(reply, "consent_required", of: "third")
        #expect(try await server.remains() == before)
    }

    @Test("OpenID Connect Core §3.1.2.1: prompt=none changes no cookie, auth_time or row")
    func silence() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let cookies = browser.cookies
        let before = try await server.remains()
        let start = server.clock.seconds
        server.clock.advance(by: 200)
        let answer = try await browser.authorize(request(("prompt", "none")))
        #expect(answer.headers[values: .setCookie].isEmpty)
        let code = expectCode(answer)
        #expect(try await server.remains() == before, "decision 0034: nothing is written")
        #expect(browser.cookies == cookies)
        let tokens = try await server.redeem(code)
        let claims = try tokens.claims
        #expect(claims.int64("auth_time") == start)
    }

    @Test("OpenID Connect Core §3.1.2.1: prompt=login asks again, and auth_time is new")
    func login() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let old = browser.cookies
        server.clock.advance(by: 100)
        let page = try await browser.authorize(request(("prompt", "login")))
        expectPage(page, "authenticate")
        let wrong = try await browser.submit(page, [("username", "alice"), ("password", "no")])
        expectPage(wrong, "authenticate")
        let tokens = try await server.redeem(expectCode(browser.submit(wrong, TestRealm.login())))
        let claims = try tokens.claims
        #expect(claims.int64("auth_time") == server.clock.seconds)
        #expect(browser.cookies != old)
        #expect(try await server.remains().liveSessions == 1)
    }

    @Test("OpenID Connect Core §3.1.2.1: a forced sign-in counts for the pages that follow it")
    func noLoop() async throws {
        for prompt in ["login", "login select_account consent"] {
            let (_, browser) = try await ProviderUnderTest.signedIn()
            let request = TestFlow.request("third", [("prompt", prompt), ("max_age", "0")])
            let page = try await browser.authorize(request)
            expectPage(page, "authenticate")
            let consent = try await browser.submit(page, TestRealm.login())
            expectPage(consent, "consent")
            expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
        }
    }

    @Test("OpenID Connect Core §3.1.2.1: prompt=consent asks although it was allowed before")
    func consent() async throws {
        let (_, browser) = try await ProviderUnderTest.signedIn()
        let page = try await browser.authorize(TestFlow.request("third"))
        expectPage(page, "consent")
        expectCode(try await browser.submit(page, [("action", "allow")]), of: "third")
        expectCode(try await browser.authorize(TestFlow.request("third")), of: "third")
        let again = try await browser.authorize(TestFlow.request("third", [("prompt", "consent")]))
        expectPage(again, "consent")
        expectPage(try await browser.authorize(request(("prompt", "consent"))), "consent")
    }

    @Test("OpenID Connect Core §3.1.2.1: prompt=select_account lets the person choose")
    func selectAccount() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let page = try await browser.authorize(request(("prompt", "select_account")))
        expectPage(page, "select-account")
        #expect(page.text.contains("alice@example.com"))
        let other = try await browser.authorize(request(("prompt", "select_account")))
        expectCode(try await browser.submit(other, [("action", "continue")]))
        let signIn = try await browser.submit(page, [("action", "switch")])
        expectPage(signIn, "authenticate")
        let bob = try await browser.submit(signIn, TestRealm.login("bob"))
        let tokens = try await server.redeem(expectCode(bob))
        let claims = try tokens.claims
        #expect(claims.string("email") == "bob@example.com")
        #expect(try await server.remains().liveSessions == 1)
    }

    @Test("RFC 6749 §4.1.2.1: not signing in, choosing or allowing sends access_denied")
    func denied() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        let before = try await server.remains()
        let signIn = try await browser.authorize(request(("prompt", "login")))
        expectError(try await browser.submit(signIn, [("action", "cancel")]), "access_denied")
        let choice = try await browser.authorize(request(("prompt", "select_account")))
        expectError(try await browser.submit(choice, [("action", "cancel")]), "access_denied")
        let consent = try await browser.authorize(TestFlow.request("third"))
        for action in ["deny", "", "ALLOW", "allow "] {
            let answer = try await browser.submit(consent, [("action", action)])
            expectError(answer, "access_denied", of: "third")
        }
        #expect(try await server.remains() == before)
    }

    @Test("attack B22, OpenID Connect Core §3.1.2.1: max_age asks again once it is too long ago")
    func maxAge() async throws {
        let (server, browser) = try await ProviderUnderTest.signedIn()
        // 0 means that it always is too long ago, in the same second too.
        expectPage(try await browser.authorize(request(("max_age", "0"))), "authenticate")
        server.clock.advance(by: 100)
        expectCode(try await browser.authorize(request(("max_age", "100"))))
        expectPage(try await browser.authorize(request(("max_age", "99"))), "authenticate")
        expectPage(try await browser.authorize(request(("max_age", "0"))), "authenticate")
        let silent = request(("max_age", "99"), ("prompt", "none"))
        expectError(try await browser.authorize(silent), "login_required")
        let zero = request(("max_age", "0"), ("prompt", "none"))
        expectError(try await browser.authorize(zero), "login_required")
    }
}
