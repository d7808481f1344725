import Foundation
import PorticoTestSupport
import Testing

/// People sign in with providers on another site, in a real Chromium, against the whole program.
@Suite("End to end: signing in with a provider", .serialized)
struct BackendWalkTests {
    private func walk(
        _ scripts: Bool,
        _ body: (Stage, Chromium) async throws -> Void
    ) async throws {
        try await Stage.run { stage in
            try await Chromium.use(scripts: scripts) { try await body(stage, $0) }
        }
    }

    @Test(
        "SEED-ADR-2: a person registers with a provider, and comes back to the same account",
        .enabled(if: Chromium.isThere, Chromium.needed),
        arguments: ["google", "facebook", "apple"],
        [true, false]
    )
    func register(_ provider: String, scripts: Bool) async throws {
        try await walk(scripts) { stage, browser in
            try await browser.open(stage.origin + "/signup")
            try await browser.choose(provider, as: "ann", scripts)
            try await browser.waitForTitle { $0.hasPrefix("Welcome") }
            try await browser.click("button[value=save]")
            if provider == "facebook" { try await browser.confirmAddress(stage.origin) }
            try await browser.open(stage.origin + "/dashboard")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
            #expect(try await browser.text(".account").contains("Ann Example"))
            // A page of ours signs out; the way in is the same as before.
            try await browser.open(stage.origin + "/logout")
            try await browser.click("button[value=here]")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed out") }
            try await browser.open(stage.origin + "/login?return_to=/account/ways")
            try await browser.choose(provider, as: "ann", scripts)
            try await browser.waitForTitle { $0.hasPrefix("Ways to sign in") }
        }
    }

    @Test(
        "pages C4: whoever stops at the provider is back at the choice, with plain words",
        .enabled(if: Chromium.isThere, Chromium.needed),
        arguments: ["google", "facebook", "apple"],
        [true, false]
    )
    func cancel(_ provider: String, scripts: Bool) async throws {
        try await walk(scripts) { stage, browser in
            try await browser.open(stage.origin + "/login")
            try await browser.click("button[formaction='/v1/auth/\(provider)']")
            try await browser.waitForTitle { $0.contains("(stand-in)") }
            try await browser.click("button[name=cancel]")
            if provider == "apple", !scripts { try await browser.sendApplesForm() }
            try await browser.waitForTitle { $0.hasPrefix("Error: Sign in to") }
            #expect(try await browser.text("main").contains("You stopped signing in"))
        }
    }

    @Test(
        "pages A4: a second provider with the same address is added once the account is proven",
        .enabled(if: Chromium.isThere, Chromium.needed),
        arguments: [true, false]
    )
    func link(scripts: Bool) async throws {
        try await walk(scripts) { stage, browser in
            try await browser.open(stage.origin + "/login")
            try await browser.choose("google", as: "ann", scripts)
            try await browser.waitForTitle { $0.hasPrefix("Welcome") }
            try await browser.open(stage.origin + "/logout")
            try await browser.click("button[value=here]")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed out") }

            try await browser.open(stage.origin + "/login")
            try await browser.choose("apple", as: "ann", scripts)
            try await browser.waitForTitle { $0.hasPrefix("You already have an account") }
            try await browser.click("button[name=way][value=google]")
            try await browser.waitForTitle { $0.contains("(stand-in)") }
            try await browser.click("button[value=ann]")
            try await browser.waitForTitle { $0.hasPrefix("Add Apple to this account") }
            try await browser.click("button[value=add]")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
            try await browser.open(stage.origin + "/account/ways")
            let ways = try await browser.text("main")
            #expect(ways.contains("Google") && ways.contains("Apple"))
        }
    }

    @Test(
        "pages A4: the mailbox proves an account, by the code that was mailed",
        .enabled(if: Chromium.isThere, Chromium.needed),
        arguments: [true, false]
    )
    func mailbox(scripts: Bool) async throws {
        try await walk(scripts) { stage, browser in
            try await browser.open(stage.origin + "/login")
            try await browser.choose("google", as: "ben", scripts)
            try await browser.waitForTitle { $0.hasPrefix("Welcome") }
            try await browser.open(stage.origin + "/logout")
            try await browser.click("button[value=here]")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed out") }
            try await browser.open(stage.origin + "/login")
            try await browser.choose("facebook", as: "ben", scripts)
            try await browser.waitForTitle { $0.hasPrefix("You already have an account") }
            try await browser.click("button[value=mailbox]")
            try await browser.waitForTitle { $0.hasPrefix("Enter the code") }
            let page = try await browser.address()
            let code = try await browser.mailedCode(stage.origin)
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
        .enabled(if: Chromium.isThere, Chromium.needed),
        arguments: [true, false]
    )
    func reload(scripts: Bool) async throws {
        try await walk(scripts) { stage, browser in
            try await browser.open(stage.origin + "/login")
            try await browser.choose("google", as: "ann", scripts)
            try await browser.waitForTitle { $0.hasPrefix("Welcome") }
            try await browser.goBack()
            try await browser.goBack()
            try await browser.open(stage.origin + "/dashboard")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
            // Whoever is signed in and opens the choice is told so (page 13).
            try await browser.open(stage.origin + "/login")
            try await browser.waitForTitle { $0.hasPrefix("You’re already signed in") }
        }
    }

    @Test(
        "mechanisms, attempts: an app on a private-use scheme gets a page with a button, and its form is let go there",
        .enabled(if: Chromium.isThere, Chromium.needed),
        arguments: [true, false]
    )
    func app(scripts: Bool) async throws {
        try await walk(scripts) { stage, browser in
            let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
            try await browser.open(
                stage.origin + "/login?platform=mobile&app=notes&state=s1"
                    + "&redirect_uri=com.example.notes:/callback&code_challenge=\(challenge)"
            )
            try await browser.waitForTitle { $0.hasPrefix("Sign in to Notes") }
            try await browser.choose("google", as: "ann", scripts)
            try await browser.waitForTitle { $0.contains("Notes") && !$0.hasPrefix("Sign in") }
            #expect(try await browser.text("main").contains("Ann Example"))
            let link = try await browser.source()
            #expect(link.contains("com.example.notes:/callback?code="))
            #expect(link.contains("state=s1"))
        }
    }
}

extension Stage {
    /// The server's own address.
    fileprivate var origin: String {
        String(issuer.prefix(issuer.count - "/realms/demo".count))
    }
}

extension Chromium {
    /// The six digits that were mailed last, as the demonstration shows its mails.
    fileprivate func mailedCode(_ origin: String) async throws -> String {
        try await open(origin + "/_outbox")
        let mails = try await text("main")
        return try #require(mails.firstMatch(of: /\b(\d{6})\b/).map { String($0.1) })
    }

    /// Facebook vouches for no address: the code that was mailed does.
    fileprivate func confirmAddress(_ origin: String) async throws {
        try await waitForTitle { $0.hasPrefix("Enter the code") }
        let code = try await mailedCode(origin)
        try await open(origin + "/account/email")
        try await type(code, into: "input[name=code]")
        try await click("button[value=confirm]")
        try await waitForTitle { $0.hasPrefix("Personal details") }
    }

    /// Presses a provider's button, and is somebody there.
    fileprivate func choose(_ provider: String, as person: String, _ scripts: Bool) async throws {
        try await click("button[formaction='/v1/auth/\(provider)']")
        try await waitForTitle { $0.contains("(stand-in)") }
        try await click("button[value=\(person)]")
        // Without scripts the person sends Apple's form.
        if provider == "apple", !scripts { try await sendApplesForm() }
    }

    fileprivate func sendApplesForm() async throws {
        try await waitForTitle { $0.hasPrefix("Back to the application") }
        try await click("button")
    }
}
