import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStores
import PorticoTestSupport
import Testing

/// Identity providers on a realm's own sign-in page, whose people have one session with the backend
/// (docs/decisions/0167).
@Suite("Signing in elsewhere") struct SignInElsewhereTests {
    private static let shared = SignInElsewhere(
        isShared: { _ in true },
        methods: { _, _, _ in
            [
                SignInMethod(
                    name: "google",
                    label: MethodLabel(kind: .google, displayName: "Google"),
                    action: "/v1/auth/google"
                )
            ]
        }
    )

    private static let cookie = "__Host-session"

    private static func server() async throws -> ProviderUnderTest {
        try await ProviderUnderTest(elsewhere: shared)
    }

    @Test("KC-I-1: a hidden provider has no button, and who names it is led there")
    func hidden() async throws {
        let hidden = SignInMethod(
            name: "google",
            label: MethodLabel(kind: .google, displayName: "Google"),
            action: "/v1/auth/google",
            isHidden: true
        )
        let server = try await ProviderUnderTest(
            elsewhere: SignInElsewhere(isShared: { _ in true }, methods: { _, _, _ in [hidden] })
        )
        let page = try await TestBrowser(server).authorize(TestFlow.request())
        #expect(page.status == 200 && !page.text.contains(#"value="google""#))
        let request = TestFlow.request("native1", [("kc_idp_hint", "google")])
        let led = try await TestBrowser(server).authorize(request)
        #expect(led.location?.hasPrefix("/v1/auth/google?") == true)
    }

    /// What the button leads to.
    private static func start(_ reply: Reply) -> [String: String] {
        guard let location = reply.location, location.hasPrefix("/v1/auth/google?") else {
            return [:]
        }
        let query = location.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        // `try?`: what is no form has no fields.
        let form = try? FormParameters(decoding: Array(query.utf8))
        return Dictionary((form?.all ?? []).map { ($0.name, $0.value) }) { first, _ in first }
    }

    @Test("the button leads to the provider, and the way back to the app: one session for both")
    func toTheApp() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        let page = try await browser.authorize(TestFlow.request())
        #expect(page.text.contains(#"name="way" value="google""#))
        let start = Self.start(try await browser.submit(page, [("way", "google")]))
        let back = try #require(start["return_to"])
        #expect(back.hasPrefix("/realms/test/login-actions/signed-in?request="))
        #expect(start["prompt"] == nil && start["login_hint"] == nil)

        // Before a sign-in it is the page again.
        expectPage(try await browser.get(back), "authenticate")
        let session = try await server.signIn(browser)
        let tokens = try await server.redeem(expectCode(try await browser.get(back)))
        #expect(try tokens.claims.string("email") == "alice@example.com")
        #expect(try tokens.claims.string("sid") == session.id)
        #expect(try await browser.isSignedIn())
        // What signs out at the realm signs out at the backend.
        try await browser.signOut()
        #expect(
            try await server.database.sessions.liveByFirstStep(
                id: session.id,
                realmID: session.realmID,
                at: server.clock.seconds,
                idle: 1800
            ) == nil
        )
    }

    @Test("what was typed goes along where it is an address")
    func hint() async throws {
        let server = try await Self.server()
        for (typed, hint) in [("Ann@Example.com", "ann@example.com"), ("ann", nil)] {
            let browser = TestBrowser(server)
            let page = try await browser.authorize(TestFlow.request())
            let fields = [("username", typed), ("password", ""), ("way", "google")]
            #expect(Self.start(try await browser.submit(page, fields))["login_hint"] == hint)
        }
    }

    @Test("OpenID Connect Core §3.1.2.1: prompt=login and max_age ask the provider anew")
    func anew() async throws {
        let server = try await Self.server()
        for parameter in [("prompt", "login"), ("max_age", "0")] {
            let browser = TestBrowser(server)
            _ = try await server.signIn(browser, isProven: true)
            server.clock.advance(by: 10)
            let page = try await browser.authorize(TestFlow.request("native1", [parameter]))
            let start = Self.start(try await browser.submit(page, [("way", "google")]))
            #expect(start["prompt"] == "login")
            let back = try #require(start["return_to"])
            // The session of before is no answer.
            expectPage(try await browser.get(back), "authenticate")
            server.clock.advance(by: 10)
            // Decision 0021: nor is one that the provider may have answered by a session of its own.
            _ = try await server.signIn(browser, isProven: false)
            let proof = try await browser.get(back)
            #expect(
                proof.location?.hasPrefix("/account/confirm?return_to=%2Frealms%2Ftest") == true
            )
            _ = try await server.signIn(browser, isProven: true)
            expectCode(try await browser.get(back))
        }
    }

    @Test(
        "KC-I-1: a request can name the provider: no page of ours comes first",
        arguments: [
            "kc_idp_hint", "identity_provider",
        ]
    )
    func named(parameter: String) async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        func request(_ name: String, _ more: [(String, String)] = []) -> [(String, String)] {
            TestFlow.request("native1", [(parameter, name)] + more)
        }
        let hint = [("login_hint", "Ann@example.com")]
        let start = Self.start(try await browser.authorize(request("google", hint)))
        #expect(start["login_hint"] == "ann@example.com")
        let back = try #require(start["return_to"])
        // Who comes back without having signed in sees the page.
        expectPage(try await browser.get(back), "authenticate")
        expectPage(try await browser.authorize(request("facebook")), "authenticate")
        let silent = try await browser.authorize(request("google", [("prompt", "none")]))
        expectError(silent, "login_required")
        _ = try await server.signIn(browser)
        expectCode(try await browser.get(back))
        expectCode(try await browser.authorize(request("google")))
        let anew = Self.start(try await browser.authorize(request("google", [("prompt", "login")])))
        #expect(anew["prompt"] == "login")
    }

    @Test("RFC 6749 §10.12: the way back is of the browser that began")
    func otherBrowser() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        let page = try await browser.authorize(TestFlow.request())
        let start = Self.start(try await browser.submit(page, [("way", "google")]))
        let back = try #require(start["return_to"])
        let other = TestBrowser(server)
        _ = try await other.authorize(TestFlow.request())
        _ = try await server.signIn(other)
        let reply = try await other.get(back)
        #expect(reply.redirected["code"] == nil)
        #expect(reply.status == 403)
        #expect(try await server.remains().grants == 0)
    }

    @Test("a page of the account is come back to")
    func account() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        for (place, name, prompt) in [
            ("apps", "apps", nil), ("second-factor", "secondFactors", "login"),
        ] {
            let page = try await browser.get("/realms/test/account/\(place)")
            let start = Self.start(try await browser.submit(page, [("way", "google")]))
            let back = try #require(start["return_to"])
            #expect(back == "/realms/test/login-actions/signed-in?page=\(name)")
            #expect(start["prompt"] == prompt)
            #expect(try await browser.get(back).location == "/realms/test/account/\(place)")
        }
        _ = try await server.signIn(browser)
        #expect(try await browser.get("/realms/test/account/apps").text.contains("account/devices"))
        // What changes the account asks for a proof: at the provider, or by a mailed code.
        let path = "/realms/test/account/password"
        #expect(
            try await browser.get(path).location
                == "/account/confirm?return_to=%2Frealms%2Ftest%2Faccount%2Fpassword"
        )
        _ = try await server.signIn(browser, isProven: true)
        #expect(try await browser.get(path).location == nil)
    }

    @Test("no button where there is none, where the request is too long to wait, or by that name")
    func none() async throws {
        let server = try await Self.server()
        let browser = TestBrowser(server)
        let long = TestFlow.request("native1", [("state", String(repeating: "s", count: 2500))])
        let page = try await browser.authorize(long)
        expectPage(page, "authenticate")
        #expect(!page.text.contains(#"name="way""#))
        expectPage(try await browser.submit(page, [("way", "google")]), "authenticate")
        let short = try await browser.authorize(TestFlow.request())
        expectPage(try await browser.submit(short, [("way", "other")]), "authenticate")
    }

    @Test("a realm that shares no session knows none of the backend's")
    func notShared() async throws {
        let server = try await ProviderUnderTest()
        let browser = TestBrowser(server)
        _ = try await server.signIn(browser)
        #expect(try await browser.isSignedIn() == false)
        #expect(try await !browser.authorize(TestFlow.request()).text.contains(#"name="way""#))
    }
}

/// A person who has a second step in the realm, and signs in elsewhere.
@Suite("Signing in elsewhere, with a second step") struct SecondStepElsewhereTests {
    private static func scene() async throws -> SecondStepScene {
        try await SecondStepScene(
            elsewhere: SignInElsewhere(isShared: { _ in true }, methods: { _, _, _ in [google] })
        )
    }

    private static let google = SignInMethod(
        name: "google",
        label: MethodLabel(kind: .google, displayName: "Google"),
        action: "/v1/auth/google"
    )

    /// The way back from the provider.
    private func back(_ browser: TestBrowser) async throws -> String {
        let page = try await browser.authorize(SecondStepScene.request)
        let reply = try await browser.submit(page, [("way", "google")])
        return try #require(Self.returnTo(reply))
    }

    private static func returnTo(_ reply: Reply) -> String? {
        guard let query = reply.location?.split(separator: "?", maxSplits: 1).last else {
            return nil
        }
        // `try?`: what is no form has no fields.
        return (try? FormParameters(decoding: Array(query.utf8)))?["return_to"]
    }

    @Test("decision 0050: a provider is one step; the session counts in the realm after both")
    func asked() async throws {
        let scene = try await Self.scene()
        let browser = TestBrowser(scene.server)
        let back = try await back(browser)
        let session = try await scene.server.signIn(browser)
        #expect(try await browser.isSignedIn() == false)
        let page = try await browser.get(back)
        expectAsked(page)
        let again = try await browser.submit(page, [("code", scene.wrong)])
        expectAsked(again)
        #expect(try await browser.isSignedIn() == false)
        let before = browser.cookies["__Host-session"]
        let answer = try await browser.submit(page, [("code", scene.code)])
        let tokens = try await scene.server.redeem(expectCode(answer))
        #expect(try tokens.claims.string("sid") == session.id)
        #expect(browser.cookies["__Host-session"] != before, "WEB-SESS-1")
        #expect(try await browser.isSignedIn())
        let live = try await scene.server.database.sessions.live(
            id: session.id,
            realmID: session.realmID,
            at: scene.server.clock.seconds,
            idle: 1800
        )
        #expect(live?.session.identity == session.identity)
        #expect(live?.session.amr == ["otp"])
        #expect(try await scene.used(.totp) != 0)
    }

    @Test(
        "decision 0050: a code makes no sign-in of before an answer to one that asks for a new one"
    )
    func oldFirstStep() async throws {
        let scene = try await Self.scene()
        let browser = TestBrowser(scene.server)
        let session = try await scene.server.signIn(browser, isProven: true)
        scene.server.clock.advance(by: 100)
        let request = TestFlow.request("native1", [("prompt", "login")])
        let page = try await browser.authorize(request)
        let reply = try await browser.submit(page, [("way", "google")])
        let back = try #require(Self.returnTo(reply))
        let again = try await browser.get(back)
        expectPage(again, "authenticate")
        #expect(again.text.contains(#"name="password""#))
        // A code elsewhere leaves when they signed in as it was.
        let other = try await self.back(browser)
        let asked = try await browser.get(other)
        expectAsked(asked)
        expectCode(try await browser.submit(asked, [("code", scene.code)]))
        let live = try await scene.server.database.sessions.live(
            id: session.id,
            realmID: session.realmID,
            at: scene.server.clock.seconds,
            idle: 1800
        )
        #expect(live?.session.authenticatedAt == session.authenticatedAt)
        #expect(live?.session.provenAt == session.provenAt)
    }

    @Test("decision 0050: a page of the account asks for both steps, too")
    func account() async throws {
        let scene = try await Self.scene()
        let browser = TestBrowser(scene.server)
        let page = try await browser.get("/realms/test/account/apps")
        let reply = try await browser.submit(page, [("way", "google")])
        let back = try #require(Self.returnTo(reply))
        _ = try await scene.server.signIn(browser)
        let asked = try await browser.get(back)
        expectAsked(asked)
        let answer = try await browser.submit(asked, [("code", scene.code)])
        #expect(answer.location == "/realms/test/account/apps")
        #expect(try await browser.isSignedIn())
    }

    @Test("decision 0050: a code counts for the session that the provider has proven, and no other")
    func otherSession() async throws {
        let scene = try await Self.scene()
        let browser = TestBrowser(scene.server)
        let back = try await back(browser)
        _ = try await scene.server.signIn(browser)
        let page = try await browser.get(back)
        expectAsked(page)
        _ = try await scene.server.signIn(browser)
        let reply = try await browser.submit(page, [("code", scene.code)])
        #expect(reply.redirected["code"] == nil)
        #expect(reply.text.contains(#"name="password""#))
        #expect(try await scene.used(.totp) == 0)
        #expect(try await browser.isSignedIn() == false)
        // Nor without any.
        browser.cookies["__Host-session"] = nil
        #expect(try await browser.submit(page, [("code", scene.code)]).redirected["code"] == nil)
        #expect(try await scene.used(.totp) == 0)
    }
}

extension ProviderUnderTest {
    /// Signs alice in as by Google, in a browser that has no session, or another one.
    ///
    /// - Parameter isProven: Whether Google says that it has asked her now.
    fileprivate func signIn(_ browser: TestBrowser, isProven: Bool = false) async throws
        -> PersonSession
    {
        let credentials = try await person()
        let value = RandomSource.system.text(32)
        let new = NewSession(
            id: UniqueID(random: .system).text,
            form: .browser(cookieHash: Hash256(of: value)),
            providerSessionID: nil,
            device: "Firefox",
            address: nil,
            provenAt: isProven ? clock.seconds : nil,
            idleSeconds: 86_400,
            expiresAt: clock.seconds + 86_400
        )
        let session = PersonSession(
            new,
            of: credentials.person,
            epoch: credentials.epoch,
            by: Identity(
                key: IdentityKey(issuer: "https://accounts.google.com", subject: "1"),
                provider: "google",
                email: nil,
                linkedAt: 0,
                lastUsedAt: 0,
                sealedToken: nil
            ),
            at: clock.seconds
        )
        _ = try await database.sessions.start(session, replacing: nil, upgrading: nil)
        browser.cookies["__Host-session"] = value
        return session
    }
}
