import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// A person who takes their time, in a real Chromium; the server's clock is moved.
@Suite("End to end: a person is slow", .serialized, .sharesBrowsers)
struct SlowPersonWalkTests {
    /// Tells the browser, too, that ten minutes are over: it keeps the attempt's cookie no longer.
    private func forgetAttempt(_ walk: Walk) async throws {
        for cookie in try await walk.browser.keptCookies(at: walk.origin)
        where cookie.name.contains("attempt") {
            try await walk.browser.forget(cookie, at: walk.origin)
        }
    }

    @Test(
        "attack E01, WCAG 2.2.1: after 600 s the page says so, and starts the same request again",
        .needs(.chromium),
        arguments: ["google", "apple"],
        Scripts.on
    )
    func late(_ provider: String, scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.open("/login?return_to=/account/ways")
            try await walk.browser.click("#remember")
            try await walk.start(provider)
            // The browser still has the cookie the first time, and not the second.
            for isKept in [true, false] {
                server.clock.advance(by: 601)
                if !isKept { try await forgetAttempt(walk) }
                try await walk.be(.ann, at: provider)
                try await walk.expect("Error: Sign in to Example")
                #expect(try await walk.says("This took too long"))
                #expect(try await server.accounts().isEmpty)
                #expect(server.standIns.log.count(.token, at: .google) == 0)
                #expect(server.standIns.log.count(.token, at: .apple) == 0)
                #expect(try await walk.browser.run("return remember.checked").bool == true)
                try await walk.start(provider)
            }
            // Just in time is in time.
            server.clock.advance(by: 599)
            try await walk.be(.ann, at: provider)
            try await walk.expect("Welcome")
            try await walk.press("later")
            try await walk.expect("Sign-in methods")
            let session = try await walk.browser.keptCookies(at: walk.origin)
                .first { $0.name.hasSuffix("session") }
            #expect((session?.life ?? 0) > 29 * 86_400)
        }
    }

    @Test(
        "Decision 0028: an app is told when its person was slow, and no one is signed in",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func app(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            let app = try WaitingApp()
            try await walk.open(app.login)
            try await walk.start("google")
            server.clock.advance(by: 601)
            try await walk.be(.ann, at: "google")
            try await walk.expect("Arrived")
            #expect(app.answer["error"] == "access_denied")
            #expect(app.answer["state"] == "app-state")
            #expect(app.answer["code"] == nil)
            #expect(try await server.accounts().isEmpty)
        }
    }
}

/// A provider that does not answer, in a real Chromium.
@Suite("End to end: a provider is down", .serialized, .sharesBrowsers)
struct ProviderDownWalkTests {
    @Test(
        "PRV-E-2: a provider that is down at the start is told as that, with the way on",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func atTheStart(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            server.standIns.configure(.google) { $0.isDown = true }
            try await walk.open("/login?return_to=/account/ways")
            try await walk.browser.click("button[formaction='/v1/auth/google']")
            try await walk.expect("Error: Google isn’t answering")
            #expect(try await walk.says("not with your account"))
            // Trying again says the same, and never more than once by itself.
            try await walk.goOn()
            try await walk.expect("Error: Google isn’t answering")
            #expect(server.standIns.log.count(.authorization, at: .google) == 0)

            // The way on: its button is there all the same, and another one works.
            try await walk.browser.click("a.button.second")
            try await walk.expect("Sign in to Example")
            let google = try await walk.browser.text("button[formaction='/v1/auth/google']")
            #expect(google.contains("Not responding"))
            let facebook = try await walk.browser.text("button[formaction='/v1/auth/facebook']")
            #expect(!facebook.contains("Not responding"))
            try await walk.start("facebook")
            try await walk.be(.paul, at: "facebook")
            try await walk.expect("Welcome")
            try await walk.press("later")
            // To where the person wanted to go at first.
            try await walk.expect("Sign-in methods")
            try await walk.signOut()

            server.standIns.repair()
            try await walk.signIn("google", as: .ben)
            try await walk.expect("Welcome")
            try await walk.open("/login?prompt=select_account")
            let repaired = try await walk.browser.text("button[formaction='/v1/auth/google']")
            #expect(!repaired.contains("Not responding"))
        }
    }

    @Test(
        "PRV-E-2, decision 0028: a provider that fails at the callback leads back to the choice, with no one signed in",
        .needs(.chromium),
        arguments: ["google", "facebook", "apple"],
        Scripts.on
    )
    func atTheCallback(_ provider: String, scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.open("/login?return_to=/account/ways&remember=1")
            try await walk.start(provider)
            for kind in [.google, .facebook, .apple] as [StandInKind] {
                server.standIns.configure(kind) { $0.failing = [.token] }
            }
            try await walk.be(.ann, at: provider)
            try await walk.expect("Error: Sign in to Example")
            #expect(try await walk.says("isn’t answering"))
            #expect(try await walk.path().contains("reason=provider_unreachable"))
            #expect(try await server.accounts().isEmpty)
            let cookies = try await walk.browser.keptCookies(at: walk.origin).map(\.name)
            #expect(cookies.filter { $0.contains("attempt") || $0.contains("session") } == [])

            // The same request once more: where to and how long are still known.
            server.standIns.repair()
            #expect(try await walk.browser.run("return remember.checked").bool == true)
            try await walk.start(provider)
            try await walk.be(.ann, at: provider)
            try await walk.expect("Welcome")
            // Apple has said the name once, to an answer that was lost: it is asked for now.
            let name = try await walk.browser.run("return document.getElementById('name').value")
            #expect(name.string == (provider == "apple" ? "" : "Ann Example"))
            try await walk.browser.type("Ann", into: "#name")
            if provider == "facebook" {
                try await walk.press("later")
            } else {
                try await walk.press("save")
            }
            try await walk.expect("Sign-in methods")
        }
    }

    @Test(
        "PRV-E-2: an app that waits is told that the provider does not answer, and can be gone on to",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func forAnApp(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            let app = try WaitingApp()
            server.standIns.configure(.google) { $0.isDown = true }
            try await walk.open(app.login)
            try await walk.browser.click("button[formaction='/v1/auth/google']")
            try await walk.expect("Error: Google isn’t answering")
            // The other ways are those of the same request.
            try await walk.browser.click("a.button.second")
            try await walk.expect("Sign in to Notes")
            server.standIns.configure(.facebook) { $0.failing = [.token] }
            try await walk.start("facebook")
            try await walk.be(.ben, at: "facebook")
            try await walk.expect("Arrived")
            let answer = app.answer
            #expect(answer["error"] == "temporarily_unavailable")
            #expect(answer["state"] == "app-state")
            #expect(answer["code"] == nil)
        }
    }
}
