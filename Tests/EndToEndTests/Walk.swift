import Foundation
import PorticoBackend
import PorticoSignIn
import PorticoStandIns
import PorticoTestSupport
import Testing

/// A person at a real browser, on pages of ours and of providers.
struct Walk: Sendable {
    let browser: Browser
    let origin: String
    let scripts: Bool

    /// The page whose title begins so.
    func expect(_ title: String, location: SourceLocation = #_sourceLocation) async throws {
        do {
            try await browser.waitForTitle { $0.hasPrefix(title) }
        } catch {
            let page = try await browser.text("body")
            Issue.record("no page “\(title)”, but: \(page)", sourceLocation: location)
            throw error
        }
    }

    /// Whether the page says something, or the one that is on its way.
    func says(_ words: String) async throws -> Bool {
        for _ in 0..<3000 {
            do {
                if try await browser.text("main").contains(words) { return true }
            } catch is Browser.Failure {
                // Between two pages there is none.
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    func open(_ path: String) async throws {
        try await browser.open(origin + path)
    }

    /// Path and query of the open page.
    func path() async throws -> String {
        String(try await browser.address().dropFirst(origin.count))
    }

    /// Presses the button that sends this value.
    func press(_ value: String) async throws {
        try await browser.click("button[value='\(value)']")
    }

    /// Follows the link that looks like a button.
    func goOn() async throws {
        try await browser.click("a.button")
    }

    // MARK: At providers

    /// From the choice of a way to the provider's own choice of an account.
    func start(_ provider: String) async throws {
        try await browser.click("button[formaction='/v1/auth/\(provider)']")
        try await atProvider()
    }

    func atProvider() async throws {
        try await browser.waitForTitle { $0.contains("Choose an account (stand-in)") }
    }

    /// Chooses a person at the provider.
    func be(_ person: StandInPerson, at provider: String) async throws {
        try await atProvider()
        try await browser.click("button[value='\(person.id)']")
        // Without scripts the person sends Apple's form.
        guard provider == "apple", !scripts else { return }
        try await browser.waitForTitle { $0.hasPrefix("Back to the application") }
        try await browser.click("button")
    }

    /// All of it from a page of our own.
    func signIn(_ provider: String, as person: StandInPerson, at page: String = "/login")
        async throws
    {
        try await open(page)
        try await start(provider)
        try await be(person, at: provider)
    }

    /// Makes an account, and stays signed in.
    func register(_ provider: String, as person: StandInPerson) async throws {
        try await signIn(provider, as: person)
        try await expect("Welcome")
        try await press("later")
        try await expect("You’re signed in")
    }

    /// On the page that asks for proof: requests a code, and enters it.
    func prove(by code: () async throws -> String?) async throws {
        try await expect("Confirm it’s you")
        try await press("code")
        try await expect("Enter the code")
        try await browser.type(try await code() ?? "", into: "#code")
        try await press("confirm")
    }

    func signOut() async throws {
        try await open("/logout")
        try await press("here")
        try await expect("You’re signed out")
    }
}

extension Walk {
    /// Runs `body` with a backend of its own and a browser of the suite's.
    ///
    /// - Parameter cookies: Without them it is a browser of its own, too.
    static func run(
        _ scripts: Bool,
        cookies: Bool = true,
        rules: AccountRules = AccountRules(),
        mails: MailServer? = nil,
        _ body: @escaping @Sendable (Walk, RunningBackend) async throws -> Void
    ) async throws {
        try await RunningBackend.run(rules: rules, mails: mails) { server in
            let walk: (Browser) async throws -> Void = { browser in
                let walk = Walk(browser: browser, origin: server.origin, scripts: scripts)
                try await body(walk, server)
            }
            if cookies {
                try await SharedBrowsers.use(.chromium, scripts: scripts, at: server.origin, walk)
            } else {
                try await Browser.use(scripts: scripts, cookies: false, walk)
            }
        }
    }

    /// Another browser at the same place, in which no one is signed in.
    func elsewhere(_ body: (Walk) async throws -> Void) async throws {
        try await Browser.use(scripts: scripts) { browser in
            try await body(Walk(browser: browser, origin: origin, scripts: scripts))
        }
    }
}

/// What people do most, in any browser: one walk of each is done in every engine.
struct MainWalk: Sendable {
    let stage: Stage
    let browser: Browser
    let scripts: Bool

    static let providers = ["google", "facebook", "apple"]

    /// Runs `body` with a stage of its own and a browser of the suite's.
    static func run(
        _ kind: BrowserKind = .chromium,
        scripts: Bool,
        _ body: (MainWalk) async throws -> Void
    ) async throws {
        try await Stage.run { stage in
            try await SharedBrowsers.use(kind, scripts: scripts, at: stage.origin) { browser in
                try await body(MainWalk(stage: stage, browser: browser, scripts: scripts))
            }
        }
    }

    // MARK: Walks

    /// SEED-ADR-2: who has registered comes back to the same account.
    func registerAndReturn(_ provider: String) async throws {
        try await browser.open(stage.origin + "/signup")
        try await choose(provider, as: "ann")
        try await browser.waitForTitle { $0.hasPrefix("Welcome") }
        try await browser.click("button[value=save]")
        try await browser.waitForTitle { !$0.hasPrefix("Welcome") }
        if provider == "facebook" { try await confirmAddress() }
        try await browser.open(stage.origin + "/dashboard")
        try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
        #expect(try await browser.text(".account").contains("Ann Example"))
        // A page of ours signs out; the way in is the same as before.
        try await signOut()
        try await browser.open(stage.origin + "/login?return_to=/account/ways")
        try await choose(provider, as: "ann")
        try await browser.waitForTitle { $0.hasPrefix("Sign-in methods") }
    }

    /// A plain message for a person who stops at the provider (docs/decisions/0028).
    func cancel(_ provider: String) async throws {
        try await browser.open(stage.origin + "/login")
        try await browser.click("button[formaction='/v1/auth/\(provider)']")
        try await browser.waitForTitle { $0.contains("(stand-in)") }
        try await browser.click("button[name=cancel]")
        if provider == "apple" { try await sendApplesForm() }
        try await browser.waitForTitle { $0.hasPrefix("Error: Sign in to") }
        #expect(try await browser.text("main").contains("You stopped signing in"))
    }

    /// A second provider with the same address is added once the account is proven
    /// (docs/decisions/0030).
    func addSecondProvider() async throws {
        try await browser.open(stage.origin + "/login")
        try await choose("google", as: "ann")
        try await browser.waitForTitle { $0.hasPrefix("Welcome") }
        try await signOut()
        try await browser.open(stage.origin + "/login")
        try await choose("apple", as: "ann")
        try await browser.waitForTitle { $0.hasPrefix("You already have an account") }
        try await browser.click("button[name=way][value=google]")
        try await browser.waitForTitle { $0.contains("(stand-in)") }
        try await browser.click("button[value=ann]")
        // Google cannot be made to ask: a code is the proof.
        try await browser.waitForTitle { $0.hasPrefix("Confirm it’s you") }
        try await browser.click("button[value=code]")
        try await browser.waitForTitle { $0.hasPrefix("Enter the code") }
        let page = try await browser.address()
        let code = try await mailedCode()
        try await browser.open(page)
        try await browser.type(code, into: "input[name=code]")
        try await browser.click("button[value=confirm]")
        try await browser.waitForTitle { $0.hasPrefix("Add Apple to this account") }
        try await browser.click("button[value=add]")
        try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
        try await browser.open(stage.origin + "/account/ways")
        let ways = try await browser.text("main")
        #expect(ways.contains("Google") && ways.contains("Apple"))
    }

    /// An app on a private-use scheme gets a page with a button.
    func signInToApp() async throws {
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        try await browser.open(
            stage.origin + "/login?platform=mobile&app=notes&state=s1"
                + "&redirect_uri=com.example.notes:/callback&code_challenge=\(challenge)"
        )
        try await browser.waitForTitle { $0.hasPrefix("Sign in to Notes") }
        try await choose("google", as: "ann")
        try await browser.waitForTitle { $0.contains("Notes") && !$0.hasPrefix("Sign in") }
        #expect(try await browser.text("main").contains("Ann Example"))
        let link = try await browser.source()
        #expect(link.contains("com.example.notes:/callback?code="))
        #expect(link.contains("state=s1"))
    }

    // MARK: Steps

    /// Presses a provider's button, and chooses a person.
    func choose(_ provider: String, as person: String) async throws {
        try await browser.click("button[formaction='/v1/auth/\(provider)']")
        try await browser.waitForTitle { $0.contains("(stand-in)") }
        try await browser.click("button[value=\(person)]")
        if provider == "apple" { try await sendApplesForm() }
    }

    /// Without scripts the person sends Apple's form.
    private func sendApplesForm() async throws {
        guard !scripts else { return }
        try await browser.waitForTitle { $0.hasPrefix("Back to the application") }
        try await browser.click("button")
    }

    /// Leaves this browser, by the page.
    func signOut() async throws {
        try await browser.open(stage.origin + "/logout")
        try await browser.click("button[value=here]")
        try await browser.waitForTitle { $0.hasPrefix("You’re signed out") }
    }

    /// Facebook vouches for no address: the code that was mailed does.
    private func confirmAddress() async throws {
        try await browser.waitForTitle { $0.hasPrefix("Enter the code") }
        let code = try await mailedCode()
        try await browser.open(stage.origin + "/account/email")
        try await browser.type(code, into: "input[name=code]")
        try await browser.click("button[value=confirm]")
        try await browser.waitForTitle { $0.hasPrefix("Personal details") }
    }

    /// The six digits that were mailed last, as the demonstration shows its mails.
    func mailedCode() async throws -> String {
        try await browser.open(stage.origin + "/_outbox")
        let mails = try await browser.text("main")
        return try #require(mails.firstMatch(of: /\b(\d{6})\b/).map { String($0.1) })
    }
}

extension Trait where Self == ConditionTrait {
    /// The test runs where this browser has its driver.
    static func needs(_ kind: BrowserKind) -> Self {
        .enabled(if: kind.isThere, "needs a WebDriver server: \(kind.variable)")
    }
}

/// With scripts switched on or off in the browser: what a walk runs with.
///
/// Only the page that posts an answer onward has a script (a test of the pages holds that), so that
/// without it nothing changes for a walk that does not meet that page, or a stand-in's like it.
enum Scripts {
    static let on = [true]
    static let onAndOff = [true, false]
}
