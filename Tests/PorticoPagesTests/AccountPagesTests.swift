import PorticoBytes
import PorticoPages
import PorticoTestSupport
import Testing

@Suite("Account pages") struct AccountPagesTests {
    private let form = PageForm(action: "/account/x", csrf: "token")

    private func markup(_ page: some Page) throws -> Markup {
        let frame = PageFrame(realm: "Demo")
        return try Markup(page: try PageRenderer().html(page, in: .english, frame: frame))
    }

    /// What each form of a page would post: its hidden fields, then its buttons.
    private func posts(_ page: Markup) -> [[String]] {
        page.all("form").map { form in
            (form.all("input").filter { $0.attributes["type"] == "hidden" } + form.all("button"))
                .map { "\($0.attributes["name"] ?? "")=\($0.attributes["value"] ?? "")" }
        }
    }

    private func linked(_ count: Int) -> [SignInMethodsPage.Linked] {
        (1...count).map {
            .init(
                id: "id-\($0)",
                label: MethodLabel(kind: .generic, displayName: "Way \($0)"),
                addedAt: 1_790_000_000
            )
        }
    }

    @Test("a way can be removed while there is another; of the only one it is said why not")
    func lastWay() throws {
        let two = try markup(SignInMethodsPage(linked: linked(2), others: [], form: form))
        #expect(
            posts(two) == [
                ["csrf=token", "id=id-1", "action=remove"],
                ["csrf=token", "id=id-2", "action=remove"],
            ]
        )
        let one = try markup(SignInMethodsPage(linked: linked(1), others: [], form: form))
        #expect(posts(one).isEmpty)
        #expect(one.text.contains("This is your only sign-in method, so it can’t be removed."))
        let refused = try markup(
            SignInMethodsPage(linked: linked(1), others: [], form: form, lastOneRefused: true)
        )
        let summary = try #require(refused.all.first { $0.attributes["role"] == "alert" })
        #expect(summary.text.contains("Add another one first."))
    }

    @Test("ways that can be added are buttons of a form that posts their names")
    func addWay() throws {
        let other = SignInMethod(
            name: "apple",
            label: MethodLabel(kind: .apple, displayName: "Apple")
        )
        let page = try markup(SignInMethodsPage(linked: linked(1), others: [other], form: form))
        #expect(posts(page) == [["csrf=token", "way=apple"]])
        #expect(page.all("button").allSatisfy { $0.attributes["formaction"] == nil })
    }

    @Test("this device comes first and is not among those to be ended")
    func devices() throws {
        let page = try markup(
            AccountDevicesPage(
                devices: [
                    .init(id: "b", name: "iPhone", app: "Notes", lastSeen: 1_000),
                    .init(
                        id: "a",
                        name: "Firefox",
                        address: "203.0.113.7",
                        lastSeen: 90,
                        isThis: true
                    ),
                ],
                now: 4_600,
                form: form
            )
        )
        #expect(
            posts(page) == [
                ["csrf=token", "id=b", "action=end"], ["csrf=token", "action=end-others"],
            ]
        )
        let rows = page.all("li").filter { $0.all("div").count == 1 }.map(\.text)
        #expect(rows.count == 2)
        #expect(
            rows.first?.contains("This device") == true && rows.first?.contains("Firefox") == true
        )
        #expect(rows.last?.contains("Last seen 1 hour ago") == true)
        // "Sign out there" says where by what it is described by.
        let about = try #require(page.all("button").first?.attributes["aria-describedby"])
        #expect(page.element(id: about)?.text.contains("iPhone") == true)
    }

    @Test("WEB-A11Y-18, WCAG 3.3.4: what was allowed is told in words, and can be taken back")
    func connectedApps() throws {
        let apps = [
            ConnectedAppsPage.App(
                id: "notes",
                name: "Notes",
                scopes: ["openid", "email"],
                allowedAt: 1_790_000_000,
                lastUsedAt: 1_795_291_200
            ),
            ConnectedAppsPage.App(id: "x", name: "Reader", scopes: ["openid"]),
        ]
        let account = PageAccount(name: nil, userName: "ann@example.com")
        let now: Int64 = 1_795_298_400
        let page = try markup(ConnectedAppsPage(account: account, apps: apps, now: now, form: form))
        #expect(
            posts(page) == [
                ["csrf=token", "id=notes", "action=remove"],
                ["csrf=token", "id=x", "action=remove"],
            ]
        )
        #expect(page.all("button").map(\.text) == ["Remove Notes", "Remove Reader"])
        for words in [
            "See your email address", "Allowed 21 September 2026", "Last used 2 hours ago",
        ] {
            #expect(page.text.contains(words), "\(words)")
        }
        #expect(page.all("nav").isEmpty)
        let removed = try markup(
            ConnectedAppsPage(account: account, apps: [], now: now, form: form, removed: "Notes")
        )
        #expect(removed.all.contains { $0.attributes["role"] == "status" })
    }

    @Test("an account is deleted only by a form with a box that was ticked")
    func delete() throws {
        let account = PageAccount(name: "Ann", userName: "ann@example.com")
        let page = try markup(DeleteAccountPage(account: account, usesApple: true, form: form))
        let box = try #require(page.element(id: "sure")).attributes
        #expect(box["required"] != nil && box["checked"] == nil && box["name"] == "sure")
        #expect(posts(page) == [["csrf=token", "action=delete", "action=cancel"]])
        #expect(page.all("button").last?.attributes["formnovalidate"] != nil)
        #expect(page.text.contains("We’ll tell Apple"))
        let done = try markup(AccountDeletedPage(appleLeft: true))
        #expect(done.text.contains("Sign in with Apple"))
    }

    @Test("the pages of an account lead to each other, and say which one is open")
    func navigation() throws {
        let pages: [(any Page, String)] = [
            (SignInMethodsPage(linked: linked(1), others: [], form: form), "/account/ways"),
            (AccountDevicesPage(devices: [], now: 0, form: form), "/account/devices"),
            (AccountDetailsPage(name: .whole(""), email: .missing, form: form), "/account/details"),
        ]
        for (page, path) in pages {
            let links = try #require(try markup(page).all("nav").first).all("a")
            #expect(
                links.map { $0.attributes["href"] } == [
                    "/account", "/account/details", "/account/ways", "/account/devices",
                ]
            )
            let here = links.filter { $0.attributes["aria-current"] == "page" }
            #expect(here.map { $0.attributes["href"] } == [path])
        }
    }

    @Test(
        "an address is shown so that its owner knows it, and no one else learns it",
        arguments: [
            ("ann@example.com", "a…@example.com"), ("a@b", "a…@b"), ("é@x.example", "é…@x.example"),
            ("@example.com", "…"), ("", "…"), ("nobody", "…"), ("a@b@c.example", "a…@c.example"),
        ]
    )
    func masked(address: String, expected: String) {
        #expect(EmailCodePage.masked(address) == expected)
    }
}

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

    private func markup(_ page: ChooseMethodPage, theme: PageTheme = .standard) throws -> Markup {
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
                == ["/v1/auth/apple", "/v1/auth/google", "/v1/auth/facebook", "/v1/auth/keycloak"]
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

@Suite("Words of the mails") struct MailTextTests {
    static let mails: [MailText] = [
        .confirmationCode(code: "481052", use: .confirmAddress("ann@example.com"), minutes: 10),
        .confirmationCode(code: "481052", use: .claimAccount(provider: "Google"), minutes: 10),
        .newDevice(device: "Firefox on Linux", at: 1_795_298_400, provider: "Google"),
        .methodAdded(provider: "Apple"), .methodRemoved(provider: "Apple"),
        .passwordReset(address: "https://id.example/reset?key=a&b", minutes: 30), .passwordChanged,
        .accountActions(address: "https://id.example/action?key=a&b", until: 1_795_298_400),
        .emailChanged, .accountDeleted, .secondFactorAdded, .secondFactorRemoved,
        .recoveryCodesMade, .alreadyRegistered,
    ]

    @Test("each mail names the service, says what happened and what to do if it was another person")
    func whole() {
        for mail in Self.mails {
            let texts = Language.allCases.map { mail.text(in: $0, service: "Demo") }
            #expect(Set(texts.map(\.subject)).count == texts.count, "\(mail)")
            for text in texts {
                #expect(text.lines.last == "Demo")
                #expect(text.lines.count >= 4 && text.lines.allSatisfy { !$0.isEmpty })
                #expect(!text.lines.joined().contains("!"))
            }
        }
    }

    @Test("of a device that says no name of its own only the time is said")
    func noName() {
        for language in Language.allCases {
            let named = MailText.newDevice(device: "curl", at: 1_795_298_400, provider: "Google")
                .text(in: language, service: "Demo")
            let nameless = MailText.newDevice(device: "", at: 1_795_298_400, provider: "Google")
                .text(in: language, service: "Demo")
            #expect(nameless.lines.count == named.lines.count)
            let lines = zip(named.lines, nameless.lines).filter { $0 != $1 }
            #expect(lines.count == 1)
            #expect(
                lines.allSatisfy { $0.hasPrefix("curl") && $0.hasSuffix($1) && $1.first != "," }
            )
        }
    }

    @Test("a code stands in the subject and on a line of its own, and can be copied from it")
    func code() {
        for language in Language.allCases {
            for mail in Self.mails.prefix(2) {
                let text = mail.text(in: language, service: "Demo")
                #expect(text.subject.contains("481052"))
                #expect(text.lines.contains("481052"))
            }
        }
    }

    @Test("a mail with a code says what the code does, before the code")
    func use() throws {
        let uses: [(MailText.CodeUse, named: String)] = [
            (.confirmAddress("ann@example.com"), "ann@example.com"),
            (.claimAccount(provider: "Google"), "Google"),
        ]
        for language in Language.allCases {
            let said = try uses.map { use, named in
                let lines = MailText.confirmationCode(code: "481052", use: use, minutes: 10)
                    .text(in: language, service: "Demo").lines
                let code = try #require(lines.firstIndex(of: "481052"))
                let before = lines[..<code].joined()
                #expect(before.contains(named) && before.contains("Demo"))
                return before.replacing(named, with: "")
            }
            #expect(Set(said).count == uses.count)
        }
    }

    @Test("an address to choose a new password is whole, alone on its line, however long it is")
    func address() {
        let address = "https://id.example/reset?key=" + String(repeating: "aB3_", count: 400)
        for language in Language.allCases {
            let text = MailText.passwordReset(address: address, minutes: 30)
                .text(in: language, service: "Demo")
            #expect(text.lines.contains(address))
            #expect(!text.subject.contains("https"))
        }
    }

    @Test(
        "nothing from outside begins a line or a header of a mail",
        arguments: ["\r\nBcc: all@example.com", "\n.\n", "\u{2028}x", "a\u{0}b", "\u{85}y"]
    )
    func lines(text: String) {
        let mails: [MailText] = [
            .newDevice(device: text, at: 0, provider: text), .methodAdded(provider: text),
            .passwordReset(address: text, minutes: 1),
            .confirmationCode(code: text, use: .confirmAddress(text), minutes: 1),
            .confirmationCode(code: text, use: .claimAccount(provider: text), minutes: 1),
        ]
        for mail in mails {
            for language in Language.allCases {
                let written = mail.text(in: language, service: text)
                for line in [written.subject] + written.lines {
                    #expect(
                        !line.unicodeScalars.contains { $0.properties.generalCategory == .control }
                    )
                    #expect(!line.contains("\u{2028}"))
                }
            }
        }
    }
}
