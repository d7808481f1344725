import PorticoProtocol
import PorticoStandIns
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
