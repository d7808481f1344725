import HTTPTypes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoProvider

@Suite("Login tokens in a link ask") struct LoginTokenAskingTests {
    private let scene: LoginTokenScene

    init() async throws {
        scene = try await LoginTokenScene()
    }

    /// Opens a link with the token, up to the page that asks.
    private func open(_ request: [(String, String)], _ token: String, _ browser: TestBrowser)
        async throws -> Reply
    {
        let first = try await browser.authorize(request)
        #expect(first.status == 303)
        let location = first.location ?? ""
        #expect(location.hasPrefix("/realms/test/login-actions/restart?request="))
        #expect(!location.contains(token) && !location.contains("login-token"))
        let page = try await browser.get(location)
        #expect(HTTPField.Name("Referrer-Policy").map { page.headers[$0] } == "no-referrer")
        #expect(!page.text.contains(token) && !page.text.contains("login-token"))
        return page
    }

    @Test("RFC8693-LT-7, LT-9: a link asks at an address without the token, and then signs in")
    func asks() async throws {
        let token = try await scene.token()
        let browser = TestBrowser(scene.server)
        let page = try await open(scene.request(token), token, browser)
        expectPage(page, "continue-as")
        #expect(page.text.contains("Continue as Alice Example?"))
        #expect(page.text.contains("Native1"))
        #expect(scene.sessionCookie(browser) == nil)
        let answer = try await browser.submit(page, [("action", "continue")])
        let code = expectCode(answer, of: "plain")
        // RFC8693-LT-9: agreed or not, the browser is not signed in.
        #expect(scene.sessionCookie(browser) == nil)
        #expect(try await scene.server.redeem(code, "plain").status == 200)
        #expect(!scene.server.log.contains(token))
        // Going back and agreeing again gives no second code.
        #expect(try await browser.submit(page, [("action", "continue")]).redirected["code"] == nil)
    }

    @Test("decision 0048: a link asks nothing where the same person is signed in in that browser")
    func samePerson() async throws {
        let session = scene.sessionCookie(scene.browser)
        #expect(session != nil)
        let own = try ProviderUnderTest.claims(scene.tokens.json.string("id_token")).string("sub")
        for further in [[], [("prompt", "none")]] {
            let request = scene.request(try await scene.token(), "plain", further)
            let code = expectCode(try await scene.browser.authorize(request), of: "plain")
            let tokens = try await scene.server.redeem(code, "plain")
            let claims = try tokens.claims
            #expect(claims.string("sub") == own && own != nil)
        }
        #expect(scene.sessionCookie(scene.browser) == session)
        // A third party's consent is asked for all the same, and nothing but that.
        let token = try await scene.token(for: "third")
        expectPage(try await open(scene.request(token, "third"), token, scene.browser), "consent")
        // What the request demands is not replaced by the token.
        let again = scene.request(try await scene.token(), "plain", [("prompt", "login")])
        let first = try await scene.browser.authorize(again)
        expectPage(try await scene.browser.get(first.location ?? ""), "authenticate")
        // The same browser, signed out: the token is of no session any more.
        let last = try await scene.token()
        try await scene.endSession()
        let late = try await scene.browser.authorize(scene.request(last))
        expectPage(try await scene.browser.get(late.location ?? ""), "authenticate")
    }

    @Test("attack C31: a planted link signs no one in without their word, and no one for good")
    func planted() async throws {
        let bob = TestBrowser(scene.server)
        _ = try await scene.server.tokens("bob", browser: bob)
        let session = scene.sessionCookie(bob)
        for action in ["cancel", "switch", "continue", "else"] {
            let token = try await scene.token()
            let page = try await open(scene.request(token), token, bob)
            expectPage(page, "continue-as")
            // Whose browser it is, is neither read nor said.
            for name in ["Bob Example", "bob@example.com"] { #expect(!page.text.contains(name)) }
            let answer = try await bob.submit(page, [("action", action)])
            switch action {
            case "continue": expectCode(answer, of: "plain")
            case "switch":
                expectPage(answer, "authenticate")
                #expect(answer.userName == "")
            default: expectError(answer, "access_denied", of: "plain")
            }
            #expect(scene.sessionCookie(bob) == session)
        }
        let tokens = try await scene.server.redeem(expectCode(bob.authorize(TestFlow.silent)))
        #expect(try tokens.claims.string("preferred_username") == "bob")
    }

    @Test("attack C31: a page that asks is bound to its browser, and its form to that page")
    func bound() async throws {
        let token = try await scene.token()
        let mallory = TestBrowser(scene.server)
        let page = try await open(scene.request(token), token, mallory)
        let victim = TestBrowser(scene.server)
        _ = try await victim.authorize(TestFlow.request())
        let stolen = try await victim.submit(page, [("action", "continue")])
        #expect(stolen.status == 403)
        #expect(stolen.redirected["code"] == nil)
        let forged = try await mallory.submit(page, [("action", "continue"), ("csrf", "x")])
        #expect(forged.status == 403)
        // Nor does the form of another page, with the same request inside.
        let fields = page.hiddenFields.map { ($0.name, $0.value) } + [("action", "continue")]
        let other = try await mallory.post("/realms/test/login-actions/select-account", fields)
        #expect(other.status == 403)
        expectCode(try await mallory.submit(page, [("action", "continue")]), of: "plain")
    }

    @Test("A link with prompt=none is refused: no page may ask, and no one else is signed in")
    func promptNone() async throws {
        let bob = TestBrowser(scene.server)
        _ = try await scene.server.tokens("bob", browser: bob)
        let request = scene.request(try await scene.token(), "plain", [("prompt", "none")])
        expectError(try await bob.authorize(request), "interaction_required", of: "plain")
    }

    @Test("attack C30: who agrees after a minute signs in, even in a browser that is signed in")
    func late() async throws {
        let bob = TestBrowser(scene.server)
        _ = try await scene.server.tokens("bob", browser: bob)
        let token = try await scene.token()
        let page = try await open(scene.request(token), token, bob)
        scene.server.clock.advance(by: 61)
        let answer = try await bob.submit(page, [("action", "continue")])
        expectPage(answer, "authenticate")
        #expect(answer.userName == "")
    }

    @Test("attack: a program with a login token allows a third party in the person's name")
    func consent() async throws {
        let token = try await scene.token(for: "third")
        let browser = TestBrowser(scene.server)
        let page = try await open(scene.request(token, "third"), token, browser)
        let signIn = try await browser.submit(page, [("action", "continue")])
        expectPage(signIn, "authenticate")
        #expect(signIn.userName == "alice@example.com")
        scene.server.clock.advance(by: 120)
        let consent = try await browser.submit(signIn, TestRealm.login())
        expectPage(consent, "consent")
        expectCode(try await browser.submit(consent, [("action", "allow")]), of: "third")
        #expect(scene.sessionCookie(browser) != nil)
        // What they allowed themselves is not asked again.
        let pushed = try await scene.pushed(scene.request(scene.token(for: "third"), "third"))
        expectCode(try await TestBrowser(scene.server).authorize(pushed), of: "third")
    }

    @Test("attack C30: who allows it half an hour later signs in, in a signed-in browser too")
    func lateConsent() async throws {
        let browser = scene.browser
        let token = try await scene.token(for: "third")
        // Where the same person is signed in no one is asked who they are.
        let consent = try await open(scene.request(token, "third"), token, browser)
        expectPage(consent, "consent")
        scene.server.clock.advance(by: 1000)
        expectCode(try await browser.authorize(TestFlow.request()))
        try await scene.server.provider.activity.flush()
        scene.server.clock.advance(by: 800)
        let late = try await browser.submit(consent, [("action", "allow")])
        expectPage(late, "authenticate", status: 403)
        #expect(late.userName == "")
        #expect(try await scene.server.remains().consents == 0)
    }

    @Test("Who signs in as someone else on that page is the one who signs in to the app")
    func someoneElse() async throws {
        let token = try await scene.token(for: "third")
        let browser = TestBrowser(scene.server)
        let page = try await open(scene.request(token, "third"), token, browser)
        let signIn = try await browser.submit(page, [("action", "continue")])
        expectPage(signIn, "authenticate")
        let again = try await browser.submit(signIn, TestRealm.login("bob"))
        expectPage(again, "consent")
        #expect(again.text.contains("Bob Example") && !again.text.contains("Alice Example"))
        let code = expectCode(try await browser.submit(again, [("action", "allow")]), of: "third")
        let answer = try await scene.server.redeem(code, "third")
        func subject(_ reply: Reply) throws -> String? {
            try reply.claims.string("sub")
        }
        #expect(try await subject(answer) == subject(scene.server.tokens("bob")))
        // It does not hang on what the token stood for.
        try await scene.endSession()
        #expect(try await scene.server.userInfo(answer.accessToken).status == 200)
    }

    @Test("Who signs in in another tab meanwhile, with a second factor, is asked for consent once")
    func otherTab() async throws {
        let second = try await SecondStepScene { new in
            new.clients[client: "native1"].loginTokenTargets = [.init(clientID: "third")]
        }
        let server = second.server
        let app = TestBrowser(server)
        let code = expectCode(try await app.submit(second.asked(app), [("code", second.code)]))
        let scene = LoginTokenScene(server, signedIn: app, try await server.redeem(code))
        // The next code is another one.
        server.clock.advance(by: 30)
        let token = try await scene.token(for: "third")
        let browser = TestBrowser(server)
        let page = try await open(scene.request(token, "third"), token, browser)
        let signIn = try await browser.submit(page, [("action", "continue")])
        expectPage(signIn, "authenticate")
        expectCode(try await browser.submit(second.asked(browser), [("code", second.code)]))
        let consent = try await browser.submit(signIn, TestRealm.login())
        expectPage(consent, "consent")
        let allowed = try await browser.submit(consent, [("action", "allow")])
        let answer = try await server.redeem(expectCode(allowed, of: "third"), "third")
        // It is this browser's session, and does not hang on what the token stood for.
        try await scene.endSession()
        #expect(try await server.userInfo(answer.accessToken).status == 200)
    }
}
