import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Telling clients of a logout (OpenID Connect Back-Channel Logout)")
struct BackchannelLogoutTests {
    private static func server(
        _ receiver: LogoutReceiver,
        wakes: Bool = false,
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws -> ProviderUnderTest {
        try await ProviderUnderTest(tellingBy: receiver.transport, wakes: wakes) { new in
            new.clients[client: "web1"].backchannelLogoutURI = receiver.uri("/logout?of=web1")
            new.clients[client: "other1"].backchannelLogoutURI = receiver.uri("/logout?of=other1")
            configure(&new)
        }
    }

    @Test(
        "OpenID Connect Back-Channel Logout §2.4, §2.5: the logout token says whose session is over, and is nothing else",
        arguments: [nil, .rs256] as [SignatureAlgorithm?]
    )
    func token(algorithm: SignatureAlgorithm?) async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(receiver) { new in
            new.clients[client: "web1"].idTokenAlgorithm = algorithm
        }
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let idToken = try JWT(parsing: try tokens.idToken)
        server.clock.advance(by: 100)
        #expect(try await browser.logout(hint: tokens.idToken).status == 200)
        try await server.logout.round()

        let request = try #require(receiver.requests.first)
        #expect(request.hasPrefix("POST /logout?of=web1 HTTP/1.1\r\n"))
        #expect(
            request.lowercased().contains("content-type: application/x-www-form-urlencoded\r\n")
        )
        #expect(!request.lowercased().contains("cookie"))
        let jwt = try JWT(parsing: try #require(receiver.tokens.first))
        let keys = try #require(server.provider.realms.realm(named: "test")).keys
            .published(at: server.clock.seconds)
        let claims = try jwt.verified(
            by: keys.verificationKeys,
            allowing: Set(keys.algorithms),
            types: [.logoutToken]
        ).claims
        #expect(jwt.header.algorithm == idToken.header.algorithm)
        #expect(jwt.header.keyID == idToken.header.keyID)
        let signedIn = try idToken.uncheckedClaims()
        #expect(claims.string("iss") == TestRealm.issuer)
        #expect(claims.string("aud") == "web1")
        #expect(claims.string("sub") == signedIn.string("sub"))
        #expect(claims.string("sid") == signedIn.string("sid"))
        #expect(signedIn.string("sid") != nil)
        #expect(claims.int64("iat") == server.clock.seconds)
        let exp = try #require(claims.int64("exp"))
        #expect((1...120).contains(exp - server.clock.seconds))
        #expect((claims.string("jti")?.utf8.count ?? 0) >= 16)
        #expect(
            claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]]
        )
        #expect(claims["nonce"] == nil)
        #expect(receiver.requests.count == 1)
    }

    @Test("OIDCBCL-2.3-1: every client of the session is told, and no other")
    func everyClient() async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        for client in ["other1", "native1"] {
            let reply = try await browser.authorize(TestFlow.request(client))
            #expect(try await server.redeem(reply.redirected["code"] ?? "", client).status == 200)
        }
        // Another browser of hers, and another person.
        _ = try await server.tokens("alice", "other1")
        _ = try await server.tokens("bob", "web1")
        _ = try await browser.logout(hint: tokens.idToken)
        try await server.logout.round()
        let told = receiver.requests.compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(Set(told) == ["/logout?of=web1", "/logout?of=other1"])
        #expect(told.count == 2)
        let sessions = try receiver.tokens.map { try JWT(parsing: $0).uncheckedClaims()["sid"] }
        #expect(Set(sessions).count == 1)
    }

    enum Ending: CaseIterable {
        case page, hint, legacy, anothersSignIn, disabled, deleted, password
    }

    @Test("OIDCBCL-2.5-1: however a session ends, its clients are told", arguments: Ending.allCases)
    func endings(_ ending: Ending) async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        try await end(ending, server, browser, tokens)
        try await server.logout.round()
        #expect(receiver.tokens.count == 1)
        let sid = try JWT(parsing: try tokens.idToken).uncheckedClaims()["sid"]
        #expect(try receiver.tokens.map { try JWT(parsing: $0).uncheckedClaims()["sid"] } == [sid])
        server.clock.advance(by: 100_000)
        try await server.logout.round()
        #expect(receiver.tokens.count == 1, "once")
    }

    private func end(
        _ ending: Ending,
        _ server: ProviderUnderTest,
        _ browser: TestBrowser,
        _ tokens: Reply
    ) async throws {
        let people = server.database.people
        let alice = try await server.person().person
        switch ending {
        case .page:
            let page = try await browser.get(.endpoint("logout"))
            try await server.logout.round()
            #expect(try await browser.submit(page, [("action", "stay")]).status == 200)
            #expect(try await browser.submit(page, [("action", "sign-out")]).status == 200)
        case .hint: #expect(try await browser.logout(hint: tokens.idToken).status == 200)
        case .legacy:
            let form = [("refresh_token", try tokens.refreshToken)]
            #expect(try await server.post(.endpoint("logout"), form, headers: .web1).status == 204)
        case .anothersSignIn:
            #expect(try await browser.signIn("bob", TestFlow.again).redirected["code"] != nil)
        case .disabled:
            var blocked = alice
            blocked.isEnabled = false
            #expect(try await people.update(blocked) == .changed)
        case .deleted:
            #expect(try await people.deletePerson(id: alice.id, realmID: alice.realmID) == .changed)
        case .password:
            let hash = PasswordHash(encoded: "$argon2id$new")
            let now = server.clock.seconds
            #expect(try await people.setPassword(hash, of: alice.id, at: now) == .changed)
        }
    }

    @Test("OIDCBCL-2.5-2: a receiver that is slow to answer does not hold up the page")
    func slowReceiver() async throws {
        let gate = DispatchSemaphore(value: 0)
        let receiver = try LogoutReceiver { _ in
            gate.wait()
            return "200 OK"
        }
        let server = try await Self.server(receiver, wakes: true)
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        // No one has let it answer yet.
        #expect(try await browser.logout(hint: tokens.idToken).status == 200)
        try await waitUntil("the receiver is told") { !receiver.requests.isEmpty }
        #expect(!server.log.contains("logout."))
        gate.signal()
        try await waitUntil("the log tells of it") { server.log.contains("logout.") }
        #expect(server.log.contains("event=logout.delivered"))
        #expect(receiver.requests.count == 1)
    }

    @Test(
        "OIDCBCL-2.8-3: 200 and 204 count as success, and nothing else does",
        arguments: [
            ("200 OK", true), ("204 No Content", true), ("201 Created", false),
            ("202 Accepted", false), ("302 Found", false), ("400 Bad Request", false),
            ("404 Not Found", false), ("500 Oops", false), ("503 Busy", false),
        ]
    )
    func statuses(status: String, isSuccess: Bool) async throws {
        let receiver = try LogoutReceiver { _ in status }
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server)
        _ = try await browser.logout(hint: server.tokens("alice", "web1", browser: browser).idToken)
        try await server.logout.round()
        #expect(receiver.tokens.count == 1)
        server.clock.advance(by: 10)
        try await server.logout.round()
        #expect(receiver.tokens.count == (isSuccess ? 1 : 2))
        #expect(server.log.contains("event=logout.delivered") == isSuccess)
        #expect(server.log.contains("event=logout.failed") == !isSuccess)
    }

    @Test("OIDCBCL-2.5-2: after a failure the client is told again, later, with a new token")
    func again() async throws {
        let receiver = try LogoutReceiver { $0 < 2 ? "500 Oops" : "200 OK" }
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server)
        _ = try await browser.logout(hint: server.tokens("alice", "web1", browser: browser).idToken)
        for (wait, count) in [(0.0, 1), (9, 1), (1, 2), (59, 2), (1, 3), (100_000, 3)] {
            server.clock.advance(by: wait)
            try await server.logout.round()
            #expect(receiver.tokens.count == count)
        }
        let claims = try receiver.tokens.map { try JWT(parsing: $0).uncheckedClaims() }
        #expect(Set(claims.map { $0["jti"] }).count == 3)
        #expect(Set(claims.map { $0["iat"] }).count == 3)
        #expect(Set(claims.map { $0["sid"] }).count == 1)
    }

    @Test("OIDCBCL-2.5-2: a receiver that is dead is told six times, and the administrator twice")
    func dead() async throws {
        let receiver = try LogoutReceiver { _ in "500 Oops" }
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server)
        let page = try await browser.logout(
            hint: server.tokens("alice", "web1", browser: browser).idToken
        )
        #expect(page.status == 200)
        #expect(!page.text.contains("500"))
        try await server.logout.round()
        for delay in BackchannelLogout.delays + [7200, 86_400] {
            server.clock.advance(by: Double(delay))
            try await server.logout.round()
        }
        #expect(receiver.tokens.count == 6)
        #expect(server.log.matches(of: /event=logout\.failed/).count == 1)
        #expect(server.log.matches(of: /event=logout\.given_up/).count == 1)
        #expect(server.log.contains("client=web1"))
        #expect(!server.log.contains(receiver.tokens[0]))
    }

    @Test("OIDCBCL-2.5-2: what one client still waits for is not tried where it has just failed")
    func oneFailure() async throws {
        let receiver = try LogoutReceiver { $0 < 2 ? "500 Oops" : "200 OK" }
        let server = try await Self.server(receiver)
        for _ in 0..<3 {
            let browser = TestBrowser(server)
            _ = try await browser.logout(
                hint: server.tokens("alice", "web1", browser: browser).idToken
            )
        }
        for (wait, count) in [(0.0, 1), (10, 2), (60, 5)] {
            server.clock.advance(by: wait)
            try await server.logout.round()
            #expect(receiver.tokens.count == count)
        }
    }

    @Test("WEB-SSRF-1: a private address that the operator did not name is not told")
    func notNamed() async throws {
        let receiver = try LogoutReceiver()
        let stranger = try LogoutReceiver()
        let server = try await Self.server(receiver) { new in
            new.clients[client: "web1"].backchannelLogoutURI = stranger.uri()
            new.clients[client: "other1"].backchannelLogoutURI = HTTPAddress("https://localhost/")
        }
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let reply = try await browser.authorize(TestFlow.request("other1"))
        _ = try await server.redeem(reply.redirected["code"] ?? "", "other1")
        _ = try await browser.logout(hint: tokens.idToken)
        try await server.logout.round()
        #expect(stranger.requests.isEmpty)
        #expect(server.log.matches(of: /event=logout\.failed.*may be asked/).count == 2)
    }

    @Test("OIDCBCL-4-2: a logout token is taken for nothing else")
    func confusion() async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(receiver)
        let browser = TestBrowser(server)
        _ = try await browser.logout(
            hint: server.tokens("alice", "web1", browser: browser).idToken
        )
        try await server.logout.round()
        let token = try #require(receiver.tokens.first)
        let hint = try await browser.get(String.endpoint("logout") + "?id_token_hint=" + token)
        #expect(hint.status == 400)
        #expect(try await server.userInfo(token).status == 401)
        #expect(try await server.introspect(token).json["active"] == false)
    }

    @Test("A client that has gone, or has no address any more, is told nothing")
    func nobodyThere() async throws {
        let receiver = try LogoutReceiver()
        let server = try await Self.server(receiver)
        let realms = server.database.realms
        let browser = TestBrowser(server)
        let tokens = try await server.tokens("alice", "web1", browser: browser)
        let reply = try await browser.authorize(TestFlow.request("other1"))
        _ = try await server.redeem(reply.redirected["code"] ?? "", "other1")
        _ = try await browser.logout(hint: tokens.idToken)
        let clients = try await realms.snapshot().clients
        try await server.change("web1") { $0.backchannelLogoutURI = nil }
        let other1 = try #require(clients.first { $0.clientID == "other1" })
        #expect(try await realms.deleteClient(id: other1.id) == .changed)
        try await server.logout.round()
        #expect(receiver.requests.isEmpty)
        #expect(!server.log.contains("logout.failed"))
    }

    /// What ends sessions in other browsers.
    enum Cause: CaseIterable {
        case mailedLink, forgottenPassword, changedPassword, addedApp, devices
    }

    @Test(
        "OIDCBCL-2.5-1: clients are told at once of sessions that end from another browser",
        .timeLimit(.minutes(2)),
        arguments: Cause.allCases
    )
    func atOnce(_ ending: Cause) async throws {
        let receiver = try LogoutReceiver()
        let server = try await ProviderUnderTest(
            tellingBy: receiver.transport,
            wakes: true,
            sendsMail: true
        ) { new in
            new.clients[client: "web1"].backchannelLogoutURI = receiver.uri()
            guard ending == .changedPassword else { return }
            // Where apps ask people to do something.
            new.clients[client: "native1"].becomeImported()
        }
        let tokens = try await server.tokens("alice", "web1")
        server.clock.advance(by: 10)
        #expect(receiver.requests.isEmpty)
        try await bringAbout(ending, server)
        try await waitUntil("the client is told", within: 20) { !receiver.requests.isEmpty }
        let sid = try tokens.claims.string("sid")
        let told = try receiver.tokens.map { try JWT(parsing: $0).uncheckedClaims().string("sid") }
        #expect(sid != nil && told == [sid])
    }

    private func bringAbout(_ ending: Cause, _ server: ProviderUnderTest) async throws {
        let browser = TestBrowser(server)
        let new = ("password", ResetWalk.password)
        switch ending {
        case .mailedLink:
            let actions = [RequiredAction.updatePassword]
            let link = try await ActionLinkTests.link(actions, to: "alice", server)
            let done = try await browser.submit(try await browser.get(link), [new])
            #expect(done.text.contains("Your password has been changed"))
        case .forgottenPassword:
            let walk = ResetWalk(server)
            #expect(try await walk.browser.submit(walk.open(), [new]).status == 200)
        case .changedPassword:
            let action = ("kc_action", "UPDATE_PASSWORD")
            let request = TestFlow.request("native1", scope: "openid", [action])
            let page = try await browser.signIn("alice", request)
            expectPage(page, "required-action")
            let done = try await browser.submit(page, [new])
            #expect(done.redirected["kc_action_status"] == "success")
        case .addedApp:
            let (browser, page) = try await SecondFactorAccountTests.signedIn(server)
            let setup = try await browser.press(page, [("action", "add")])
            let app = try SecondFactorAccountTests.app(setup)
            let code = SecondFactorAccountTests.code(app, server)
            let sent = [("action", "confirm"), ("code", code), ("others", "1")]
            #expect(try await browser.press(setup, sent).text.contains("has been added"))
        case .devices:
            _ = try await server.tokens("alice", "native1", browser: browser)
            let path = "/realms/test/account/devices"
            let page = try await browser.get(path)
            let form = page.formProof + [("action", "end-others")]
            _ = try await browser.post(path, form)
        }
    }
}
