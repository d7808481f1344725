import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// What Chromium tells assistive programs of the pages that people meet.
@Suite("End to end: names for screen readers", .serialized, .sharesBrowsers)
struct AccessibilityWalkTests {
    private static let operated: Set = ["button", "link", "textbox", "checkbox"]

    /// What can be operated, by role and name; the heading; whether there is an alert.
    private func heard(_ walk: Walk) async throws -> (controls: [String], heading: String) {
        let tree = try await walk.browser.accessibilityTree()
        let controls = tree.filter { Self.operated.contains($0.role) }
        for control in controls { #expect(!control.name.isEmpty, "\(control)") }
        #expect(tree.count { $0.role == "main" } == 1)
        #expect(tree.contains { $0.role == "contentinfo" })
        let heading = tree.first { $0.role == "heading" && $0.name.first?.isLetter == true }
        return (controls.map { "\($0.role) \($0.name)" }, heading?.name ?? "")
    }

    private func hears(
        _ expected: [String],
        _ walk: Walk,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let controls = try await heard(walk).controls
        #expect(controls == expected, sourceLocation: location)
    }

    @Test(
        "WEB-A11Y-2, WEB-A11Y-12, WCAG 4.1.2: whatever is operated is called what it shows",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func names(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.open("/login")
            try await hears(
                [
                    "checkbox Keep me signed in on this device", "button Continue with Google",
                    "button Continue with Facebook", "button Continue with Apple",
                    "button Continue with Example ID", "link Create an account", "link Help",
                ],
                walk
            )
            try await walk.start("facebook")
            try await walk.browser.click("button[name=cancel]")
            try await walk.expect("Error: Sign in to Example")
            let alerts = try await walk.browser.accessibilityTree().filter { $0.role == "alert" }
            #expect(alerts.map(\.name) == ["You stopped signing in"])

            try await walk.signIn("facebook", as: .paul)
            try await walk.expect("Welcome")
            try await hears(
                [
                    "textbox Your name", "textbox Email", "button Continue", "button Not now",
                    "link Help",
                ],
                walk
            )
            try await walk.press("later")
            try await walk.expect("You’re signed in")
            let places = ["Overview", "Personal details", "Sign-in methods", "Devices"]
                .map { "link \($0)" }
            try await walk.open("/account/ways")
            try await hears(
                places + [
                    "button Continue with Google", "button Continue with Apple",
                    "button Continue with Example ID", "link Help",
                ],
                walk
            )
            try await walk.open("/account/delete")
            try await hears(
                places + [
                    "checkbox Yes, I want to delete my account", "button Delete account",
                    "button Keep my account", "link Help",
                ],
                walk
            )
            try await walk.open("/logout")
            let leaving = try await heard(walk)
            #expect(leaving.heading == "Sign out of Example?")
            #expect(leaving.controls.count == 4)
        }
    }

    @Test(
        "WCAG 3.1.1, 4.1.2: the pages are heard in the person's language, from right to left too",
        .needs(.chromium),
        arguments: [("de", "Weiter mit Google", "ltr"), ("ar", "المتابعة باستخدام Google", "rtl")]
    )
    func languages(_ language: String, _ button: String, _ direction: String) async throws {
        try await Walk.run(false) { walk, server in
            try await walk.open("/login?ui_locales=\(language)")
            let heard = try await heard(walk).controls
            #expect(heard.contains("button \(button)"))
            let root = try await walk.browser.run(
                "return [document.documentElement.lang, document.documentElement.dir].join()"
            )
            #expect(root == .string("\(language),\(direction)"))
        }
    }
}

/// Tab, Enter and Space, and nothing else, in a real Chromium.
@Suite("End to end: by keyboard alone", .serialized, .sharesBrowsers)
struct KeyboardWalkTests {
    /// Tab to it, Enter.
    private func enter(_ name: String, _ walk: Walk) async throws {
        try await walk.browser.tab(to: name)
        try await walk.browser.press(Browser.enter)
    }

    private func choose(_ name: String, _ walk: Walk) async throws {
        try await walk.atProvider()
        try await enter(name, walk)
    }

    @Test(
        "WEB-A11Y-8, WCAG 2.1.1, 2.4.3: a person registers, goes through the account and leaves, by keyboard",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func account(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            let browser = walk.browser
            try await walk.open("/signup")
            try await browser.tab(to: "remember")
            try await browser.press(Browser.space)
            // Whose provider says when it asked: nothing else has to be proven for ten minutes.
            try await enter("Continue with Example ID", walk)
            try await choose("Ben Sample", walk)
            try await walk.expect("Welcome")
            // A name of blanks: the summary has the focus, its link leads to the field.
            try await browser.tab(to: "name")
            try await browser.press(Browser.space)
            try await enter("Continue", walk)
            try await walk.expect("Error: Welcome")
            #expect(try await browser.focusedName() == "There is a problem")
            try await enter("Enter your name", walk)
            #expect(try await browser.focusedName() == "name")
            try await browser.press("Ben" + Browser.enter)
            try await walk.expect("You’re signed in")

            try await enter("Your account", walk)
            try await walk.expect("Ben’s account")
            try await enter("Personal details", walk)
            try await walk.expect("Personal details")
            try await browser.tab(to: "name")
            // Tab selects what stands in a field.
            try await browser.press("Benjamin")
            try await enter("Save", walk)
            try await walk.expect("Personal details")
            #expect(try await walk.says("Your details have been saved."))

            try await enter("Sign-in methods", walk)
            try await walk.expect("Sign-in methods")
            try await enter("Continue with Facebook", walk)
            try await choose("Paul Phone", walk)
            try await walk.expect("Sign-in methods")
            try await enter("Remove Facebook", walk)
            try await walk.expect("Sign-in methods")
            #expect(try await walk.says("Facebook has been removed"))

            try await enter("Devices", walk)
            try await walk.expect("Devices")
            try await enter("Overview", walk)
            try await walk.expect("Benjamin’s account")
            try await enter("Delete account", walk)
            try await walk.expect("Delete your account?")
            try await browser.tab(to: "sure")
            try await browser.press(Browser.space)
            try await enter("Delete account", walk)
            try await browser.waitForTitle { !$0.hasPrefix("Delete") }
            #expect(try await server.accounts().isEmpty)
        }
    }

    @Test(
        "WEB-A11Y-8, WCAG 2.1.1, 3.3.1: a person cancels, signs in, proves an account and signs out, by keyboard",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func signIn(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            let browser = walk.browser
            try await walk.register("keycloak", as: .ann)
            try await walk.open("/logout")
            try await enter("Sign out in this browser", walk)
            try await walk.expect("You’re signed out")
            try await enter("Sign in again", walk)
            try await walk.expect("Sign in to Example")
            try await enter("Continue with Facebook", walk)
            try await choose("Cancel", walk)
            try await walk.expect("Error: Sign in to Example")
            #expect(try await browser.focusedName() == "You stopped signing in")
            try await enter("Continue with Facebook", walk)
            try await choose("Ann Example", walk)
            try await walk.expect("You already have an account")
            try await enter("Continue with Example ID", walk)
            try await choose("Ann Example", walk)
            try await walk.expect("Add Facebook to this account?")
            try await enter("Add Facebook", walk)
            try await walk.expect("You’re signed in")
            try await enter("Sign out", walk)
            try await walk.expect("You’re signed out")
            #expect(try await server.accounts().count == 1)
        }
    }
}

/// The main walks where engines differ: what they take for one site, which cookies they send along,
/// and what a finger meets on a small screen.
@Suite("End to end: the main walks in every engine", .serialized, .sharesBrowsers)
struct EngineWalkTests {
    struct Walk: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (MainWalk) async throws -> Void

        static let all: [Walk] =
            MainWalk.providers.flatMap { provider in
                [
                    Walk(testDescription: "register and return, \(provider)") {
                        try await $0.registerAndReturn(provider)
                    },
                    Walk(testDescription: "cancel, \(provider)") {
                        try await $0.cancel(provider)
                    },
                ]
            } + [
                Walk(testDescription: "a second provider") { try await $0.addSecondProvider() },
                Walk(testDescription: "an app") { try await $0.signInToApp() },
                Walk(testDescription: "by handle") { main in
                    let walk = HandleWalk(stage: main.stage, browser: main.browser)
                    try await walk.signIn(HandleWalk.ann)
                    try await walk.expectSession(of: HandleWalk.ann)
                    try await main.signOut()
                },
            ]
    }

    @Test(
        "SEED-ADR-2, decision 0030: the main walks in Firefox ESR",
        .needs(.firefox),
        arguments: Scripts.on,
        Walk.all
    )
    func firefox(scripts: Bool, walk: Walk) async throws {
        try await MainWalk.run(.firefox, scripts: scripts, walk.run)
    }

    @Test(
        "SEED-ADR-2, decision 0030: the main walks in WebKitGTK",
        .needs(.webkit),
        arguments: Scripts.on,
        Walk.all
    )
    func webkit(scripts: Bool, walk: Walk) async throws {
        try await MainWalk.run(.webkit, scripts: scripts, walk.run)
    }

    @Test(
        "SEED-ADR-2, decision 0030: the main walks at a phone's size, with a finger",
        .needs(.phone),
        arguments: Scripts.on,
        Walk.all
    )
    func phone(scripts: Bool, walk: Walk) async throws {
        try await MainWalk.run(.phone, scripts: scripts) { main in
            try await main.browser.expectTouch()
            try await walk.run(main)
        }
    }
}

extension Browser {
    /// Nothing else is worth calling it a phone.
    fileprivate func expectTouch() async throws {
        let screen = try await run(
            """
            return [innerWidth, matchMedia('(pointer: coarse)').matches, navigator.maxTouchPoints > 0];
            """
        )
        #expect(screen == [360, true, true])
    }
}
