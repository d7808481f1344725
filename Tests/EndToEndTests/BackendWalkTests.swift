import PorticoTestSupport
import Testing

/// People sign in with providers on another site, in a real Chromium, against the whole program.
@Suite("End to end: signing in with a provider", .serialized, .sharesBrowsers)
struct BackendWalkTests {
    @Test(
        "SEED-ADR-2: a person registers with a provider, and comes back to the same account",
        .needs(.chromium),
        arguments: Scripts.onAndOff,
        MainWalk.providers
    )
    func register(scripts: Bool, _ provider: String) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.registerAndReturn(provider) }
    }

    @Test(
        "decision 0028: a person who stops at the provider returns to the choice, with a plain message",
        .needs(.chromium),
        arguments: Scripts.on,
        MainWalk.providers
    )
    func cancel(scripts: Bool, _ provider: String) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.cancel(provider) }
    }

    @Test(
        "decision 0030: a second provider with the same address is added once the account is proven",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func link(scripts: Bool) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.addSecondProvider() }
    }

    @Test(
        "decision 0030: the mailbox proves an account, by the code that was mailed",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func mailbox(scripts: Bool) async throws {
        try await MainWalk.run(scripts: scripts) { walk in
            let (stage, browser) = (walk.stage, walk.browser)
            try await browser.open(stage.origin + "/login")
            try await walk.choose("google", as: "ben")
            try await browser.waitForTitle { $0.hasPrefix("Welcome") }
            try await walk.signOut()
            try await browser.open(stage.origin + "/login")
            try await walk.choose("facebook", as: "ben")
            try await browser.waitForTitle { $0.hasPrefix("You already have an account") }
            try await browser.click("button[value=mailbox]")
            try await browser.waitForTitle { $0.hasPrefix("Enter the code") }
            let page = try await browser.address()
            let code = try await walk.mailedCode()
            try await browser.open(page)
            try await browser.type("000000", into: "input[name=code]")
            try await browser.click("button[value=confirm]")
            try await browser.waitForTitle { $0.hasPrefix("Error: ") }
            try await browser.type(code, into: "input[name=code]")
            try await browser.click("button[value=confirm]")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
        }
    }

    @Test(
        "attack E27: reloading the callback, and going back, lead on and lose nothing",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func reload(scripts: Bool) async throws {
        try await MainWalk.run(scripts: scripts) { walk in
            let (stage, browser) = (walk.stage, walk.browser)
            try await browser.open(stage.origin + "/login")
            try await walk.choose("google", as: "ann")
            try await browser.waitForTitle { $0.hasPrefix("Welcome") }
            try await browser.goBack()
            try await browser.goBack()
            try await browser.open(stage.origin + "/dashboard")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
            // A signed-in person who opens the choice is told so.
            try await browser.open(stage.origin + "/login")
            try await browser.waitForTitle { $0.hasPrefix("You’re already signed in") }
        }
    }

    @Test(
        "decision 0013: an app on a private-use scheme gets a page with a button, and its form is let go there",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func app(scripts: Bool) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.signInToApp() }
    }
}

extension Stage {
    /// The server's own address.
    var origin: String {
        String(issuer.prefix(issuer.count - "/realms/demo".count))
    }
}
