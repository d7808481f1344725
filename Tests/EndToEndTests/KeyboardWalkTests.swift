import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

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
