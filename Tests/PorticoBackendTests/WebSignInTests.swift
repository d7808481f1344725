import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("Signing in with a provider, in a browser") struct WebSignInTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    @Test(
        "SEED-ADR-1, SEED-ADR-2: a person registers with each provider and comes back to the same account",
        arguments: ["google", "facebook", "apple", "keycloak"]
    )
    func eachProvider(_ provider: String) async throws {
        let welcome = try await visitor.signIn(provider)
        #expect(welcome.path == "/onboarding")
        #expect(welcome.reply.status == 200)
        let first = try await server.user(of: visitor)
        #expect(first.string("name") == "Ann Example")
        #expect(first.strings("providers") == [provider])

        // Another browser, another day: the same account, no welcome.
        let other = TestVisitor(server)
        let back = try await other.signIn(provider)
        #expect(back.path == "/dashboard")
        #expect(try await server.user(of: other).string("id") == first.string("id"))
        #expect(try await server.accounts().count == 1)
    }

    @Test("SEED-ADR-3, WEB-BFF-6: the attempt's cookie is sealed, for ten minutes, and goes")
    func attemptCookie() async throws {
        let start = try await visitor.request("/v1/auth/google")
        #expect(start.status == 303)
        let cookies = start.headers[values: .setCookie]
        let attempt = try #require(cookies.first { $0.hasPrefix("__Host-attempt-") })
        for part in ["; Path=/", "; Max-Age=600", "; Secure", "; HttpOnly", "; SameSite=Lax"] {
            #expect(attempt.contains(part))
        }
        let signInReturn = try #require(cookies.first { $0.hasPrefix("__Host-return-") })
        #expect(signInReturn.contains("; Max-Age=86400") && signInReturn.contains("; SameSite=Lax"))
        let state = try #require(start.redirected["state"])
        for secret in [state, try #require(start.redirected["nonce"])] {
            #expect(!attempt.contains(secret))
        }
        #expect(!cookies.contains { $0.contains("SameSite=None") || $0.contains("Domain") })

        let page = try await visitor.open(try #require(start.location))
        _ = try await visitor.choose(.ann, at: page, "google")
        #expect(!visitor.cookies.keys.contains { $0.hasPrefix("__Host-attempt-") })
    }

    @Test("PRV-G-7, SEED-ADR-10: state, nonce and S256 go to the provider, with its own scopes")
    func request() async throws {
        let google = try await TestVisitor(server).request("/v1/auth/google").redirected
        #expect(google["response_type"] == "code")
        #expect(google["code_challenge_method"] == "S256")
        #expect(google["code_challenge"]?.utf8.count == 43)
        #expect(
            Set((google["scope"] ?? "").split(separator: " ")) == ["openid", "profile", "email"]
        )
        #expect(google["redirect_uri"] == "https://app.example.com/v1/auth/google/callback")
        let apple = try await TestVisitor(server).request("/v1/auth/apple").redirected
        #expect(apple["response_mode"] == "form_post")
        #expect(apple["nonce"] != nil && apple["state"] != nil)
    }

    @Test("The JSON start tells a program what it would be redirected to, with the same cookies")
    func jsonStart() async throws {
        let reply = try await server.json("/v1/auth/google")
        #expect(reply.status == 200)
        #expect(reply.json.string("provider") == "google")
        #expect(reply.json.string("responseType") == "code")
        #expect(reply.json.string("authorizationUrl")?.contains("state=") == true)
        // Those of the attempt, and one that says which browser this is.
        #expect(reply.headers[values: .setCookie].count == 3)
    }

    @Test("An unknown provider is a page for people, and names the valid ones for programs")
    func unknownProvider() async throws {
        #expect(try await TestVisitor(server).request("/v1/auth/nobody").status == 404)
        let json = try await server.json("/v1/auth/nobody")
        #expect(json.refusal == "400 invalid_provider")
        #expect(json.json.strings("providers") == ["google", "facebook", "apple", "keycloak"])
    }

    @Test("WEB-SESS-1: the session's id is new after each sign-in, and the former one is dead")
    func fixation() async throws {
        _ = try await visitor.signIn()
        let former = visitor.cookies
        _ = try await visitor.signIn()
        let now = visitor.cookies
        #expect(former["__Host-session"] != now["__Host-session"])
        visitor.cookies = former
        #expect(try await visitor.session().status == 401)
        visitor.cookies = now
        #expect(try await visitor.session().status == 200)
    }

    @Test("Decision 0029: a session lasts a day, and one that is to be remembered thirty")
    func lifetimes() async throws {
        let plain = try await server.signedIn()
        let remembered = TestVisitor(server)
        _ = try await remembered.signIn("google", as: .ben, [("remember", "1")])
        server.clock.advance(by: 86_300)
        #expect(try await plain.session().status == 200)
        server.clock.advance(by: 200)
        let over = try await plain.session()
        #expect(over.status == 401)
        #expect(over.json.string("reason") == "SESSION_EXPIRED")
        #expect(try await remembered.session().status == 200)
        server.clock.advance(by: 30 * 86_400)
        #expect(try await remembered.session().status == 401)
    }

    @Test("WEB-BFF-7: two tabs finish, each its own sign-in, in either order")
    func twoTabs() async throws {
        let first = try await visitor.open("/v1/auth/google?return_to=/first")
        let second = try await visitor.open("/v1/auth/facebook?return_to=/second")
        let two = try await visitor.choose(.ben, at: second, "facebook")
        #expect(two.path == "/onboarding?return_to=%2Fsecond")
        let one = try await visitor.choose(.ann, at: first, "google")
        #expect(one.path == "/onboarding?return_to=%2Ffirst")
        #expect(try await server.accounts().count == 2)
    }

    @Test("decision 0027: more than five in one browser, and the oldest give way")
    func evicted() async throws {
        for _ in 0..<9 { _ = try await visitor.request("/v1/auth/google") }
        let attempts = visitor.cookies.keys.filter { $0.hasPrefix("__Host-attempt-") }
        #expect(attempts.count == 5)
    }

    @Test(
        "WEB-INPUT-1: however many sign-ins begin and end, what a browser keeps of them leaves room for the rest",
        arguments: [2, 40, 1024]
    )
    func room(_ length: Int) async throws {
        let path = "/" + String(repeating: "a", count: length - 1)
        var app = TestApp()
        app.state = String(repeating: "s", count: length)
        let web = FormEncoding.appending([("return_to", path)], to: "/v1/auth/google")
        let mobile = FormEncoding.appending(app.start, to: "/v1/auth/google")
        for round in 0..<12 {
            _ = try await visitor.request(round.isMultiple(of: 2) ? web : mobile)
            // Some come back, and leave their way back behind.
            if round.isMultiple(of: 3) {
                _ = try await visitor.signIn("google", as: .ann, [("return_to", path)])
            }
            let kept = visitor.cookies.filter {
                $0.key.hasPrefix("__Host-attempt-") || $0.key.hasPrefix("__Host-return-")
            }
            let bytes = kept.map { $0.key.utf8.count + $0.value.utf8.count + 3 }.reduce(0, +)
            #expect(bytes <= ConnectionLimits.usualHeaders * 7 / 16)
            let all = visitor.cookies.map { $0.key.utf8.count + $0.value.utf8.count + 3 }
            // With a pending identity, and what else a browser sends.
            let most = all.reduce(0, +) + CookiePolicy.maximumLength + 4096
            #expect(most <= ConnectionLimits.usualHeaders)
        }
        // WEB-BFF-7: the two newest are always among them.
        let one = try await visitor.open(web)
        let other = try await visitor.open(web)
        for page in [one, other] {
            #expect(try await visitor.choose(.ann, at: page, "google").path == path)
        }
    }

    @Test("a way back whose attempt is over gives way before an attempt that is under way")
    func order() async throws {
        let start = "/v1/auth/google?return_to=/" + String(repeating: "a", count: 1000)
        let first = try await visitor.open(start)
        let second = try await visitor.open(start)
        _ = try await visitor.choose(.ann, at: second, "google")
        let over = Set(visitor.cookies.keys.filter { $0.hasPrefix("__Host-return-") })
        #expect(over.count == 2)
        _ = try await visitor.open(start)
        let left = over.intersection(visitor.cookies.keys)
        #expect(left.count == 1)
        let end = try await visitor.choose(.ann, at: first, "google")
        #expect(end.path.hasPrefix("/aaa"))
    }

    @Test("WEB-BFF-1: no token of the provider's and no code comes to browser or log")
    func noTokens() async throws {
        _ = try await visitor.signIn()
        let code = try #require(server.standIns.log.requests(to: .token, at: .google).last?["code"])
        let session = try await visitor.session()
        #expect(!session.text.contains("token"))
        #expect(!server.log.contains(code))
        let cookie = try #require(visitor.cookies["__Host-session"])
        #expect(!server.log.contains(cookie))
    }

    @Test("WEB-BFF-1: a refresh token is kept sealed, and comes to no browser, page or log")
    func keptTokens() async throws {
        let token = "the-refresh-token-of-google"
        server.standIns.configure(.google) {
            $0.tokenAnswer = .member("refresh_token", .string(token))
        }
        _ = try await visitor.signIn()
        let account = try #require(try await server.accounts().first)
        let identity = try await server.database.accounts.identities(of: account.id).first
        let kept = try #require(identity?.sealedToken)
        let bytes = String(decoding: Base64URL.decode(kept) ?? [], as: UTF8.self)
        #expect(!kept.contains(token) && !bytes.contains(token))
        var told = [server.log] + visitor.cookies.values
        for path in ["/dashboard", "/account", "/account/ways", "/account/devices"] {
            told.append(try await visitor.open(path).reply.text)
        }
        for path in ["/v1/account", "/v1/account/providers", "/v1/auth/session"] {
            told.append(try await visitor.program(.get, path).text)
        }
        for text in told { #expect(!text.contains(token) && !text.contains(kept)) }
    }
}

/// Proxies cannot escape an address: docs/nginx.md.
@Suite("The way back that a proxy can write") struct WayBackTests {
    /// `return_to`, as the sign-in page reads it.
    private static func back(_ address: String) async throws -> String? {
        let visitor = TestVisitor(try await BackendUnderTest())
        let reply = try await visitor.request(address)
        #expect(reply.status == 303)
        let location = try #require(reply.location)
        #expect(location == "/login" || location.hasPrefix("/login?return_to="), "\(location)")
        return try FormParameters(decoding: Array(location.utf8.dropFirst("/login?".utf8.count)))[
            "return_to"
        ]
    }

    @Test(
        "WEB-REDIR-1: everything up to the end is the way back, as it stands",
        arguments: [
            ("?return_to=/orders?page=2&x=1", "/orders?page=2&x=1"),
            (
                "?return_to=/a%20b/J%C3%B6rg?q=1%26co&return_to=/x",
                "/a%20b/J%C3%B6rg?q=1%26co&return_to=/x"
            ),
            ("/orders?page=2&x=1", "/orders?page=2&x=1"), ("/orders", "/orders"),
            ("/a/b/c?d=/e", "/a/b/c?d=/e"), ("?return_to=/", "/"),
            ("", nil), ("?", nil), ("?page=2", nil), ("?return_to=/dashboard", nil),
        ] as [(String, String?)]
    )
    func back(_ rest: String, path: String?) async throws {
        #expect(try await Self.back("/login/back" + rest) == path)
    }

    @Test(
        "attack E12: another site, or the beginning of a sign-in, is no way back",
        arguments: [
            "//evil.example", "https://evil.example", "/\\evil.example", "/%2F/evil.example",
            "orders",
            "/..//evil.example", "/login", "/login/back?return_to=/x", "/login/back/x",
            "/v1/auth/google", "/logout",
        ]
    )
    func elsewhere(_ way: String) async throws {
        #expect(
            try await Self.back("/login/back?return_to=" + way.replacing("\\", with: "%5C")) == "/"
        )
    }

    @Test("a person is led back whole, with and without a session")
    func signsIn() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        let page = try await visitor.open("/login/back?return_to=/account/details?page=2&x=1")
        #expect(page.reply.status == 200)
        let form = try #require(HTMLForm.all(in: page.reply.text).first)
        #expect(
            form.hidden.contains { $0.0 == "return_to" && $0.1 == "/account/details?page=2&x=1" },
            "\(form.hidden)"
        )
    }

    @Test("pages.home: where people go after a sign-in that names no other place")
    func home() async throws {
        var identity = BackendUnderTest.identity
        identity.home = "/app?tab=new"
        let server = try await BackendUnderTest(identity: identity)
        let visitor = try await server.signedIn("google", as: .ben)
        let reply = try await visitor.request("/dashboard")
        #expect(reply.status == 303 && reply.location == "/app?tab=new")
        let root = try await visitor.request("/")
        #expect(root.location == "/dashboard")
        // At the root itself it leads nowhere in a circle.
        identity.home = "/"
        let atRoot = try await BackendUnderTest(identity: identity)
        let other = TestVisitor(atRoot)
        _ = try await other.signIn("google", as: .ben)
        #expect(try await other.request("/dashboard").location == "/")
        #expect(try await other.request("/").status == 200)
    }

    @Test("pages.onboarding: a new person sees the operator's page first, or none")
    func onboarding() async throws {
        var identity = BackendUnderTest.identity
        identity.onboarding = .at("/welcome")
        let server = try await BackendUnderTest(identity: identity)
        let visitor = try await server.signedIn("google", as: .ben)
        let reply = try await visitor.request("/onboarding?return_to=/orders%3Fpage=2")
        #expect(reply.status == 303)
        #expect(reply.location == "/welcome?return_to=%2Forders%3Fpage%3D2")
        identity.onboarding = .off
        let without = try await BackendUnderTest(identity: identity)
        let other = TestVisitor(without)
        _ = try await other.signIn("google", as: .ben)
        #expect(try await other.request("/onboarding?return_to=/orders").location == "/orders")
        // No one who is not signed in is led on.
        let stranger = TestVisitor(without)
        #expect(try await stranger.request("/onboarding?return_to=/orders").location != "/orders")
    }

    @Test(
        "pages.onboarding is off, or a path that begins no sign-in and is not our own page",
        arguments: [
            ("off", true), ("/welcome", true), ("/onboarding", false), ("/login", false),
            ("/welcome?a=b", false), ("//evil.example", false), ("on", false),
        ]
    )
    func onboardings(_ text: String, isTaken: Bool) {
        #expect((ServiceIdentity.Onboarding(text) != nil) == isTaken)
    }

    @Test(
        "pages.home is a path of this host that begins no sign-in",
        arguments: [
            ("/", true), ("/app", true), ("/app?tab=1", true), ("/dashboard", false),
            ("/login", false), ("/login/back", false), ("//evil.example", false),
            ("https://evil.example", false), ("app", false), ("", false), ("/a/../b", false),
        ]
    )
    func homes(_ text: String, isHome: Bool) {
        #expect(ServiceIdentity.isHome(text) == isHome)
    }
}

@Suite("A name, as it is typed") struct TypedNameTests {
    @Test(
        "blanks around it are not part of it; a name of blanks is none, and shown as it was typed",
        arguments: [
            ("Ben ", "Ben", false), (" \u{A0}Ben Sample\t", "Ben Sample", false),
            ("Ben", "Ben", false), ("", "", true), (" ", " ", true),
        ]
    )
    func blanks(_ typed: String, _ name: String, _ isMissing: Bool) {
        let form = FormParameters([(name: "name", value: typed)])
        let said = ProfileForm(form, .missing, asksForEmail: false)
        #expect(said.name == .whole(name))
        #expect(said.problems.contains(.nameMissing) == isMissing)
    }
}
