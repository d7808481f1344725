import Foundation
import PorticoBackend
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
                try await SharedBrowsers.use(
                    .chromium,
                    scripts: scripts,
                    at: server.origin,
                    walk
                )
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
