import PorticoBytes
import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Page: choose how to sign in") struct ChooseWayPageTests {
    private typealias Problem = ChooseMethodPage.Problem

    private static let google = MethodLabel(kind: .google, displayName: "Google")

    private static let ways = [
        SignInMethod(
            name: "apple",
            label: MethodLabel(kind: .apple, displayName: "Apple"),
            action: "/v1/auth/apple"
        ),
        SignInMethod(name: "google", label: google, action: "/v1/auth/google", isLastUsed: true),
        SignInMethod(
            name: "facebook",
            label: MethodLabel(kind: .facebook, displayName: "Facebook"),
            action: "/v1/auth/facebook",
            isNotResponding: true
        ),
        SignInMethod(
            name: "keycloak",
            label: MethodLabel(kind: .generic, displayName: "Work"),
            action: "/v1/auth/keycloak"
        ),
    ]

    private func markup(
        _ page: ChooseMethodPage,
        theme: PageTheme = .standard
    ) throws -> Markup {
        let renderer = try PageRenderer(theme: theme)
        return try Markup(page: renderer.html(page, in: .english, frame: PageFrame(realm: "Demo")))
    }

    @Test("each button of the one form goes to its provider, with what the request carries on")
    func buttons() throws {
        let page = try markup(
            ChooseMethodPage(
                mode: .signIn,
                app: "Notes",
                methods: Self.ways,
                fields: [PageField("return_to", "/a?b=c&d"), PageField("app", "notes")]
            )
        )
        let forms = page.all("form")
        #expect(forms.map { $0.attributes["method"] } == ["get"])
        let buttons = page.all("button")
        #expect(
            buttons.map { $0.attributes["formaction"] }
                == [
                    "/v1/auth/apple", "/v1/auth/google", "/v1/auth/facebook", "/v1/auth/keycloak",
                ]
        )
        #expect(
            buttons.allSatisfy { $0.attributes["name"] == nil && $0.attributes["value"] == nil }
        )
        let hidden = page.all("input").filter { $0.attributes["type"] == "hidden" }
        #expect(hidden.map { $0.attributes["value"] } == ["/a?b=c&d", "notes"])
        #expect(page.all("h1").map(\.text) == ["Sign in to Notes"])
    }

    @Test(
        "PRV-B-1: the words are the vendors', no button is smaller than another, the order is kept",
        arguments: [false, true]
    )
    func brands(themed: Bool) throws {
        let theme = try PageTheme(artwork: themed ? [.apple, .google, .facebook] : [])
        let page = try markup(ChooseMethodPage(mode: .signUp, methods: Self.ways), theme: theme)
        let buttons = page.all("button")
        #expect(
            buttons.map(\.text) == [
                "Continue with Apple", "Continue with Google Used last time",
                "Continue with Facebook Not responding", "Continue with Work",
            ]
        )
        let looks = buttons.map { $0.attributes["class"] ?? "" }
        for look in looks { #expect(look.split(separator: " ").starts(with: ["button"])) }
        // Vendors' colours go with vendors' marks; without marks all are of one kind.
        #expect(
            looks
                == (themed
                    ? ["apple", "google", "facebook"].map { "button way branded way-\($0)" }
                        + ["button second way"]
                    : Array(repeating: "button second way", count: 4))
        )
        let marks = page.all("img")
        #expect(
            marks.map { $0.attributes["src"] }
                == (themed
                    ? ["/assets/brand/apple", "/assets/brand/google", "/assets/brand/facebook"]
                    : [])
        )
        // WEB-A11Y-1: the words beside a mark name it.
        #expect(marks.allSatisfy { $0.attributes["alt"] == "" })
        // All sizes are in one rule, of which the vendors' own changes none.
        let style = theme.style.text
        for name in ["apple", "google", "facebook", "generic"] {
            for rule in style.split(separator: "}") where rule.contains(".way-\(name)") {
                #expect(!rule.contains("size: 0.5rem") && !rule.contains("block-size"))
            }
        }
    }

    @Test(
        "the box says what it does, and is ticked only where it was before",
        arguments: [true, false]
    )
    func remember(isRemembered: Bool) throws {
        let page = try markup(
            ChooseMethodPage(mode: .signIn, methods: Self.ways, isRemembered: isRemembered)
        )
        let box = try #require(page.element(id: "remember")).attributes
        #expect(box["type"] == "checkbox" && box["name"] == "remember" && box["value"] == "1")
        #expect((box["checked"] != nil) == isRemembered)
    }

    @Test("a provider that does not answer stays, with a note, and so do the others")
    func notResponding() throws {
        let page = try markup(ChooseMethodPage(mode: .signIn, methods: Self.ways))
        let button = try #require(
            page.all("button").first { $0.attributes["formaction"] == "/v1/auth/facebook" }
        )
        #expect(button.attributes["disabled"] == nil && button.text.hasSuffix("Not responding"))
    }

    @Test(
        "PRV-E-1: what comes back in /login?error=E&reason=R has words of its own, or those of any failure",
        arguments: [
            ("access_denied", "user_denied_permission", Problem.cancelled(google)),
            ("access_denied", nil, .cancelled(google)),
            ("access_denied", "admin_policy_enforced", .organisationDenies),
            ("authentication_failed", "token_exchange_failed", .failed(google)),
            ("authentication_failed", "invalid_id_token", .failed(google)),
            ("authentication_failed", "provider_error", .notAnswering(google)),
            ("authentication_failed", "provider_unreachable", .notAnswering(google)),
            ("authentication_failed", "provider_misconfigured", .misconfigured(google)),
            ("invalid_state", "expired", .tookTooLong), ("invalid_state", "unknown", .unmatched),
            ("invalid_state", nil, .unmatched),
            ("email_unverified", nil, .emailUnverified),
            ("link_required", "email", .linkRequired(google)),
            ("signup_closed", nil, .signUpClosed),
            ("account_blocked", nil, .accountBlocked),
            ("access_denied", "organisation", .organisationDenies),
            ("authentication_failed", "interaction_required", .signInAgain),
            ("login_required", nil, .signInAgain),
            ("<script>", "\"><b>", .failed(google)), ("", "", .failed(google)),
            ("Access_Denied", nil, .failed(google)),
        ] as [(String, String?, ChooseMethodPage.Problem)]
    )
    func wire(error: String, reason: String?, expected: ChooseMethodPage.Problem) throws {
        let problem = Problem(error: error, reason: reason, provider: Self.google)
        #expect(problem == expected)
        let page = try markup(ChooseMethodPage(mode: .signIn, methods: Self.ways, problem: problem))
        // Nothing of the address is shown, and every way to try again is there.
        if error.count > 12 || error.contains("<") { #expect(!page.text.contains(error)) }
        #expect(page.all("button").count == Self.ways.count)
        #expect(page.all("title").first?.text.hasPrefix("Error: ") == true)
        #expect(page.all.contains { $0.attributes["role"] == "alert" })
    }

    @Test("without any way the page says so, and offers no button that leads nowhere")
    func none() throws {
        let page = try markup(ChooseMethodPage(mode: .signIn, methods: []))
        #expect(page.all("button").isEmpty && page.element(id: "remember") == nil)
    }
}
