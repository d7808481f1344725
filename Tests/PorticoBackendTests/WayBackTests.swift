import HTTPTypes
import PorticoBackend
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

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
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
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
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ben)
        let reply = try await visitor.request("/onboarding?return_to=/orders%3Fpage=2")
        #expect(reply.status == 303)
        #expect(reply.location == "/welcome?return_to=%2Forders%3Fpage%3D2")
        identity.onboarding = .off
        let without = try await BackendUnderTest(identity: identity)
        let other = TestVisitor(without)
        _ = try await other.signIn("google", as: .ben)
        #expect(try await other.request("/onboarding?return_to=/orders").location == "/orders")
        // Nobody who is not signed in is led on.
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
