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

    @Test(
        "attack E01: a mailed code and a question are good for ten minutes, and the way on is told",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func question(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.register("google", as: .ann)
            try await walk.signOut()
            try await walk.signIn("facebook", as: .ann)
            try await walk.expect("You already have an account")
            try await walk.press("mailbox")
            try await walk.expect("Enter the code")
            server.clock.advance(by: 601)
            try await walk.browser.type("123456", into: "#code")
            try await walk.press("confirm")
            // The proof at Facebook is as old as the code: both are asked for anew.
            try await walk.expect("We couldn’t match this sign-in")
            try await walk.goOn()
            try await walk.expect("Sign in to Example")
            #expect(try await server.accounts().count == 1)
        }
    }
}
