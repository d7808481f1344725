import HTTPTypes
import PorticoProtocol
import PorticoProvider
import PorticoStores
import PorticoTestSupport
import Testing

@Suite("Login tokens sign in without a page") struct LoginTokenSilentTests {
    private let scene: LoginTokenScene

    init() async throws {
        scene = try await LoginTokenScene()
    }

    /// How a silent request reaches the Provider.
    enum Way: String, CaseIterable, Sendable {
        case pushed, posted, postedFromElsewhere, allowedLink
    }

    private func send(
        _ way: Way,
        _ request: [(String, String)],
        _ scene: LoginTokenScene,
        _ browser: TestBrowser
    ) async throws -> Reply {
        switch way {
        case .pushed: return try await browser.authorize(try await scene.pushed(request))
        case .posted: return try await browser.post(.endpoint("auth"), request)
        case .postedFromElsewhere:
            // The browser withholds its cookies, and gets none.
            let own = browser.cookies
            browser.cookies = [:]
            let reply = try await browser.post(
                .endpoint("auth"),
                request,
                headers: [.fetchSite: "cross-site"]
            )
            #expect(browser.cookies.isEmpty)
            browser.cookies = own
            return try await browser.get(try #require(reply.location))
        case .allowedLink:
            try await scene.server.change("native1") {
                $0.loginTokenTargets = [.init(clientID: "plain", isSilent: true)]
            }
            return try await browser.authorize(request)
        }
    }

    @Test(
        "SEED-KAPE-6, RFC8693-LT-9: a login token signs in without typing, and sets no cookie",
        arguments: Way.allCases
    )
    func silent(_ way: Way) async throws {
        let before = try await scene.server.remains()
        scene.server.clock.advance(by: 30)
        let token = try await scene.token()
        let browser = TestBrowser(scene.server)
        let answer = try await send(way, scene.request(token), scene, browser)
        let code = expectCode(answer, of: "plain")
        #expect(answer.headers[values: .setCookie].isEmpty)
        #expect(browser.cookies.isEmpty)
        #expect(HTTPField.Name("Referrer-Policy").map { answer.headers[$0] } == "no-referrer")
        let tokens = try await scene.server.redeem(code, "plain")
        #expect(tokens.status == 200)
        let claims = try tokens.claims
        let first = try ProviderUnderTest.claims(scene.tokens.json.string("id_token"))
        for name in ["sub", "sid", "acr"] { #expect(claims.string(name) == first.string(name)) }
        #expect(claims.int64("auth_time") == first.int64("auth_time"))
        #expect(claims.string("nonce") == "n-1")
        let after = try await scene.server.remains()
        #expect(after.sessions == before.sessions)
        #expect(after.grants == before.grants + 1)
        #expect(!scene.server.log.contains(token))
    }

    @Test(
        "RFC8693-LT-8: in another person's browser the page asks, and their session is left alone",
        arguments: Way.allCases
    )
    func anotherPerson(_ way: Way) async throws {
        let bob = TestBrowser(scene.server)
        let tokens = try await scene.server.tokens("bob", browser: bob)
        let session = scene.sessionCookie(bob)
        var page = try await send(way, scene.request(try await scene.token()), scene, bob)
        if way == .allowedLink { page = try await bob.get(try #require(page.location)) }
        expectPage(page, "continue-as")
        #expect(page.text.contains("Continue as Alice Example?"))
        for name in ["Bob Example", "bob@example.com"] { #expect(!page.text.contains(name)) }
        let code = expectCode(try await bob.submit(page, [("action", "continue")]), of: "plain")
        #expect(scene.sessionCookie(bob) == session)
        func subject(_ reply: Reply) throws -> String? {
            try reply.claims.string("sub")
        }
        let alice = try await scene.server.redeem(code, "plain")
        #expect(try subject(alice) == subject(scene.tokens))
        // The browser is still bob's.
        let his = try await scene.server.redeem(expectCode(bob.authorize(TestFlow.silent)))
        #expect(try subject(his) == subject(tokens))
        // Where no page may ask, there is no answer.
        let silent = scene.request(try await scene.token(), "plain", [("prompt", "none")])
        let refused = try await bob.authorize(try await scene.pushed(silent))
        expectError(refused, "interaction_required", of: "plain")
    }

    @Test("RFC8693-LT-8: in the same person's browser nothing asks", arguments: Way.allCases)
    func samePerson(_ way: Way) async throws {
        let cookies = scene.browser.cookies
        let request = scene.request(try await scene.token())
        expectCode(try await send(way, request, scene, scene.browser), of: "plain")
        #expect(
            scene.sessionCookie(scene.browser)
                == cookies.first { $0.key.contains("session") }?.value
        )
    }

    @Test("RFC8693-LT-2, attack C30: of many codes from one login token one is redeemed")
    func race() async throws {
        for _ in 0..<20 {
            let token = try await scene.token()
            var codes: [String] = []
            for _ in 0..<3 {
                let browser = TestBrowser(scene.server)
                let reference = try await scene.pushed(scene.request(token))
                codes.append(expectCode(try await browser.authorize(reference), of: "plain"))
            }
            let before = try await scene.server.remains()
            let answers = try await withThrowingTaskGroup(of: Reply.self) { group in
                for code in codes { group.addTask { try await scene.server.redeem(code, "plain") } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0.error == "invalid_grant" } == 2)
            #expect(try await scene.server.remains().grants == before.grants + 1)
            let winner = try #require(answers.first { $0.status == 200 })
            #expect(try await scene.server.userInfo(winner.accessToken).status == 200)
        }
    }

    @Test("RFC8693-LT-2: a link preview, and a code that is never redeemed, spend no login token")
    func preview() async throws {
        let token = try await scene.token()
        for _ in 0..<3 {
            let reference = try await scene.pushed(scene.request(token))
            expectCode(try await TestBrowser(scene.server).authorize(reference), of: "plain")
        }
        let reference = try await scene.pushed(scene.request(token))
        let code = expectCode(try await TestBrowser(scene.server).authorize(reference), of: "plain")
        #expect(try await scene.server.redeem(code, "plain").status == 200)
    }

    @Test("OpenID Connect Core §3.1.2.4: for a third party the person signs in, and is then asked")
    func consent() async throws {
        let token = try await scene.token(for: "third")
        let browser = TestBrowser(scene.server)
        let page = try await browser.authorize(scene.pushed(scene.request(token, "third")))
        expectPage(page, "authenticate")
        #expect(page.text.contains("alice@example.com"))
        #expect(!page.text.contains(token))
        // Whatever is pressed, nothing is allowed until then.
        let people = scene.server.database.people
        let alice = try #require(
            try ProviderUnderTest.claims(scene.tokens.json.string("id_token")).string("sub")
        )
        let realm = try #require(scene.server.provider.realms.realm(named: "test"))
        let third = try #require(try await realm.client(clientID: "third")).id
        #expect(try await people.consent(personID: alice, clientID: third) == nil)
        let consent = try await browser.submit(page, TestRealm.login())
        expectPage(consent, "consent")
        let answer = try await browser.submit(consent, [("action", "allow")])
        let code = expectCode(answer, of: "third")
        #expect(try await people.consent(personID: alice, clientID: third) != nil)
        #expect(try await scene.server.redeem(code, "third").status == 200)
    }

    @Test("OpenID Connect Core §3.1.2.1: prompt=none with a login token gets an answer")
    func promptNone() async throws {
        let request = scene.request(try await scene.token(), "plain", [("prompt", "none")])
        let browser = TestBrowser(scene.server)
        expectCode(try await browser.authorize(try await scene.pushed(request)), of: "plain")
        let third = scene.request(
            try await scene.token(for: "third"),
            "third",
            [("prompt", "none")]
        )
        let refused = try await browser.authorize(try await scene.pushed(third))
        #expect(refused.redirected["error"] == "consent_required")
    }

    @Test("Signing out of one app ends what a login token began, at once")
    func oneSession() async throws {
        let reference = try await scene.pushed(scene.request(scene.token()))
        let code = expectCode(try await TestBrowser(scene.server).authorize(reference), of: "plain")
        let tokens = try await scene.server.redeem(code, "plain")
        try await scene.endSession()
        #expect(try await scene.server.userInfo(tokens.accessToken).status == 401)
        #expect(try await scene.server.refresh(scene.refresh).error == "invalid_grant")
    }

    @Test("The session ends between the code and its redemption: no tokens")
    func endedMeanwhile() async throws {
        let reference = try await scene.pushed(scene.request(try await scene.token()))
        let code = expectCode(try await TestBrowser(scene.server).authorize(reference), of: "plain")
        try await scene.endSession()
        #expect(try await scene.server.redeem(code, "plain").error == "invalid_grant")
    }
}
