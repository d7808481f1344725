import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import Testing

/// A person signs in where a person was signed in: the same person goes on, another one takes over.
@Suite("Signing in again in one browser") struct SignInAgainTests {
    private static func server(_ receiver: LogoutReceiver) async throws -> ProviderUnderTest {
        try await ProviderUnderTest(tellingBy: receiver.transport) { new in
            new.clients[client: "web1"].backchannelLogoutURI = receiver.uri()
        }
    }

    private static func refresh(_ tokens: Reply, _ server: ProviderUnderTest) async throws -> Reply
    {
        try await server.token(
            [("grant_type", "refresh_token"), ("refresh_token", try tokens.refreshToken)],
            basic: TestRealm.web1
        )
    }

    /// Why the second app's sign-in asks for the password.
    enum Why: CaseIterable {
        case login, maxAge, idle

        var changes: [(String, String)] {
            switch self {
            case .login: [("prompt", "login")]
            case .maxAge: [("max_age", "10")]
            case .idle: []
            }
        }

        /// How long after the first sign-in.
        var wait: Double { self == .idle ? 2400 : 100 }
    }

    @Test(
        "WEB-SESS-1: signing in to a second app signs no one out of the first",
        arguments: Why.allCases
    )
    func secondApp(_ why: Why) async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server, userAgent: "Mozilla/5.0 (X11; Linux) Firefox/140.0")
        let start = server.clock.seconds
        var first = try await server.tokens("alice", "web1", browser: browser)
        let cookies = browser.cookies
        // The first app refreshes at its own pace; no one uses the browser.
        server.clock.advance(by: why.wait / 2)
        if why == .idle {
            // Its refresh is not what keeps the session here.
            try await server.forgetUse()
        }
        first = try await Self.refresh(first, server)
        #expect(first.status == 200)
        if why == .idle { try await server.forgetUse() }
        server.clock.advance(by: why.wait / 2)

        let page = try await browser.authorize(TestFlow.request("native1", why.changes))
        expectPage(page, "authenticate")
        let before = server.database.database.commitCounts.writes
        let code = expectCode(try await browser.submit(page, TestRealm.login()))
        #expect(server.database.database.commitCounts.writes == before + 1, "one transaction")
        let second = try await server.redeem(code)
        #expect(try second.claims.string("sid") == first.claims.string("sid"))
        #expect(try second.claims.int64("auth_time") == server.clock.seconds)
        #expect(try first.claims.int64("auth_time") == start)
        // New cookies, and the former ones are worth nothing.
        #expect(
            Set(cookies.filter { !$0.key.contains("device") }.values)
                .isDisjoint(with: browser.cookies.values)
        )
        let copy = TestBrowser(server)
        copy.cookies = cookies
        expectError(try await copy.authorize(TestFlow.silent), "login_required")
        expectCode(try await browser.authorize(TestFlow.silent))
        // Nothing ended, and no one is told.
        #expect(try await server.remains().liveSessions == 1)
        #expect(try await server.remains().sessions == 1)
        #expect(try await Self.refresh(first, server).status == 200)
        #expect(try await server.userInfo(try second.accessToken).status == 200)
        try await server.logout.round()
        #expect(receiver.tokens.isEmpty)
        #expect(!server.log.contains("event=sign_out"))
    }

    @Test("WEB-SESS-3: ten hours after its last proof a session is over; a proof begins a new one")
    func maximum() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let first = try #require(
            try await browser.signIn("alice", TestFlow.again).redirected["session_state"]
        )
        server.clock.advance(by: 35_999)
        #expect(
            try await browser.signIn("alice", TestFlow.again).redirected["session_state"] == first
        )
        server.clock.advance(by: 35_999)
        #expect(
            try await browser.signIn("alice", TestFlow.again).redirected["session_state"] == first
        )
        server.clock.advance(by: 36_000)
        let third = try await browser.signIn("alice", TestFlow.again).redirected["session_state"]
        #expect(third != nil && third != first)
    }

    @Test("OIDCBCL-2.5-1: another person ends the session there was, and the page says so before")
    func anotherPerson() async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server)
        let words = "the account last used in this browser will be signed out"
        let fresh = try await browser.authorize(TestFlow.request())
        #expect(!fresh.text.contains(words), "nobody was signed in here")
        let alice = try await server.tokens("alice", "web1", browser: browser)
        let again = try await browser.authorize(TestFlow.again)
        #expect(!again.text.contains(words), "the name is fixed")
        let page = try await browser.submit(again, [("action", "switch")])
        #expect(page.text.contains(words))
        let bob = TestRealm.login("bob")
        let tokens = try await server.redeem(expectCode(try await browser.submit(page, bob)))
        #expect(try tokens.claims.string("sid") != alice.claims.string("sid"))
        #expect(try await server.remains().liveSessions == 1)
        #expect(try await Self.refresh(alice, server).error == "invalid_grant")
        #expect(try await server.userInfo(try alice.accessToken).status == 401)
        try await server.logout.round()
        let told = try receiver.tokens.map { try JWT(parsing: $0).uncheckedClaims()["sid"] }
        #expect(try told == [alice.claims["sid"]])
        #expect(server.log.contains("event=sign_out"))
    }

    @Test("An idle session of another person ends as well, and the page says so without a name")
    func anotherIdlePerson() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let alice = try await server.tokens("alice", "web1", browser: browser)
        server.clock.advance(by: 1700)
        let refreshed = try await Self.refresh(alice, server)
        try await server.forgetUse()
        server.clock.advance(by: 600)
        let page = try await browser.authorize(TestFlow.request())
        expectPage(page, "authenticate")
        #expect(page.text.contains("will be signed out"))
        #expect(!page.text.localizedCaseInsensitiveContains("alice"))
        #expect(try await Self.refresh(refreshed, server).status == 200)
        let bob = TestRealm.login("bob")
        expectCode(try await browser.submit(page, bob))
        #expect(try await server.remains().liveSessions == 1)
        #expect(try await Self.refresh(refreshed, server).error == "invalid_grant")
    }

    @Test("A refresh is a use of its session: while an app works, its person is not asked again")
    func refreshing() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        var tokens = try await server.tokens("alice", "web1", browser: browser)
        for _ in 1...10 {
            server.clock.advance(by: 1700)
            let before = server.database.database.commitCounts.writes
            tokens = try await Self.refresh(tokens, server)
            #expect(server.database.database.commitCounts.writes == before + 1, "no write besides")
        }
        server.clock.advance(by: 1700)
        expectCode(try await browser.authorize(TestFlow.silent))
        tokens = try await Self.refresh(tokens, server)
        // Up to the end at the latest.
        for _ in 1...10 {
            server.clock.advance(by: 1700)
            tokens = try await Self.refresh(tokens, server)
            #expect(tokens.status == 200)
        }
        server.clock.advance(by: 1700)
        #expect(try await Self.refresh(tokens, server).error == "invalid_grant")
        expectError(try await browser.authorize(TestFlow.silent), "login_required")
    }

    @Test("An offline grant's refresh keeps no browser signed in")
    func offline() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let scope = "openid offline_access"
        var tokens = try await server.tokens("alice", "web1", scope: scope, browser: browser)
        for _ in 1...3 {
            server.clock.advance(by: 1000)
            tokens = try await Self.refresh(tokens, server)
            #expect(tokens.status == 200)
        }
        expectError(try await browser.authorize(TestFlow.silent), "login_required")
    }

    @Test("WEB-SESS-5: a person who is enabled again has to sign in again, and so has every app")
    func enabledAgain() async throws {
        let (server, browser) = try await ProviderUnderTest.withBrowser()
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let code = try await browser.authorize(TestFlow.request()).redirected["code"] ?? ""
        let id = try #require(try tokens.claims.string("sub"))
        let realm = try #require(server.provider.realms.realm(named: "test")).realm.id
        let people = server.database.people
        for isEnabled in [false, true] {
            var person = try #require(try await people.person(id: id, realmID: realm)).person
            person.isEnabled = isEnabled
            #expect(try await people.update(person) == .changed)
        }
        #expect(try await Self.refresh(tokens, server).error == "invalid_grant")
        #expect(try await server.userInfo(try tokens.accessToken).status == 401)
        #expect(try await server.redeem(code).error == "invalid_grant")
        expectError(try await browser.authorize(TestFlow.silent), "login_required")
        let after = try await browser.signIn("alice", TestFlow.request())
        #expect(try await server.redeem(expectCode(after)).status == 200)
    }
}

extension ProviderUnderTest {
    /// As if no one had used any browser session since it began: what a refresh has noted is undone.
    fileprivate func forgetUse() async throws {
        try await database.database.write { transaction in
            _ = try transaction.run("UPDATE sessions SET last_seen_at = created_at", [])
        }
    }
}
