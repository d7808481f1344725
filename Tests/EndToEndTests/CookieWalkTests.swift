import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// Browsers that do not bring our cookies back, in a real Chromium.
@Suite("End to end: cookies that do not come back", .serialized, .sharesBrowsers)
struct CookieWalkTests {
    @Test(
        "where cookies are blocked the page says what to change, and nothing goes round in circles",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func blocked(scripts: Bool) async throws {
        try await Walk.run(scripts, cookies: false) { walk, server in
            for provider in ["google", "facebook", "apple"] {
                try await blocked(provider, walk, server)
            }
        }
    }

    private func blocked(_ provider: String, _ walk: Walk, _ server: RunningBackend) async throws {
        try await walk.signIn(provider, as: .ann)
        try await walk.expect("Cookies are blocked")
        #expect(try await walk.says("Allow cookies for this site in your browser’s settings"))
        // The answer has left the address bar.
        #expect(try await walk.path().hasPrefix("/login/cookies"))
        for kind in [.google, .facebook, .apple] as [StandInKind] {
            #expect(server.standIns.log.count(.token, at: kind) == 0)
        }
        #expect(try await server.accounts().isEmpty)
        try await walk.browser.reload()
        try await walk.expect("Cookies are blocked")
        try await walk.goOn()
        try await walk.expect("Sign in to Example")
    }

    @Test(
        "RFC 6749 §10.12, attack E01: a sign-in that another browser began ends in none here",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func otherBrowser(scripts: Bool) async throws {
        try await Walk.run(scripts) { attacker, server in
            try await attacker.open("/login")
            try await attacker.start("google")
            let planted = try await attacker.browser.address()
            try await attacker.elsewhere { victim in
                try await victim.browser.open(planted)
                try await victim.be(.ann, at: "google")
                try await victim.expect("We couldn’t match this sign-in")
                #expect(try await victim.says("started in another browser"))
                try await victim.goOn()
                try await victim.expect("Sign in to Example")
                try await victim.open("/dashboard")
                try await victim.expect("Sign in to Example")
            }
            #expect(server.standIns.log.count(.token, at: .google) == 0)
            #expect(try await server.accounts().isEmpty)
            // The browser that began it may still finish it.
            try await attacker.be(.ben, at: "google")
            try await attacker.expect("Welcome")
        }
    }
}

/// A browser inside another app, as it calls itself, in a real Chromium.
@Suite("End to end: inside another app", .serialized, .sharesBrowsers)
struct EmbeddedBrowserWalkTests {
    private struct Inside {
        let mark: String
        let system: String
        let hint: String
    }

    private static let apps = [
        Inside(mark: "Instagram 390.0.0", system: "iPhone", hint: "Open in Safari"),
        Inside(mark: "[FBAN/FBIOS;FBAV/500.0]", system: "iPhone", hint: "Open in Safari"),
        Inside(mark: "Version/4.0; wv)", system: "Android 15", hint: "Open in Chrome"),
        Inside(mark: "LinkedInApp", system: "X11", hint: "Open in browser"),
    ]

    @Test(
        "PRV-G-11, RFC 8252 §8.12: Google is not asked in another app's browser, and the way out is told",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func inside(scripts: Bool) async throws {
        try await Walk.run(scripts) { outside, server in
            // What it calls itself stays with it.
            try await outside.elsewhere { walk in
                for app in Self.apps {
                    try await walk.browser.callItself("Mozilla/5.0 (\(app.system)) \(app.mark)")
                    try await walk.open("/login?return_to=/account/ways")
                    try await walk.browser.click("button[formaction='/v1/auth/google']")
                    try await walk.expect("Open this page in your browser")
                    #expect(try await walk.says("Google doesn’t allow sign-in inside other apps."))
                    #expect(try await walk.says(app.hint))
                }
                #expect(server.standIns.log.all.isEmpty)
                let address = try await walk.browser.run(
                    "return document.getElementById('address').value"
                )
                // Other ways work here, for the same request.
                try await walk.goOn()
                try await walk.expect("Sign in to Example")
                try await walk.start("facebook")
                try await walk.be(.paul, at: "facebook")
                try await walk.expect("Welcome")
                try await walk.press("later")
                try await walk.expect("Sign-in methods")

                // What was copied leads on in a browser of its own.
                try await outside.browser.open(try #require(address.string))
                try await outside.be(.ben, at: "google")
                try await outside.expect("Welcome")
                try await outside.press("later")
                try await outside.expect("Sign-in methods")
            }
        }
    }
}

/// Forms that are sent twice, from a second tab, or to servers that lead on, in a real Chromium.
@Suite("End to end: forms of pages", .serialized)
struct FormWalkTests {
    @Test(
        "decision 0104: whoever clicks twice arrives at the app",
        .needs(.chromium),
        arguments: [20, 60, 150]
    )
    func twoClicks(milliseconds: Int) async throws {
        try await LoopbackApp.walk("forms", ["--consent"]) { stage, app, browser in
            try await browser.open(app.address())
            try await browser.type("ann", into: "#username")
            try await browser.type(stage.password, into: "#password")
            try await browser.clickTwice("button[value=sign-in]", apart: milliseconds)
            try await browser.waitForTitle { $0.hasPrefix("Allow forms") }
            try await browser.clickTwice("button[value=allow]", apart: milliseconds)
            try await browser.waitForTitle { $0 == "Arrived" }
            // The code that is on the page that the person sees is good.
            let code = try #require(try await browser.address().split(separator: "code=").last)
            let tokens = try await app.redeem(String(code.prefix { $0 != "&" }))
            #expect(tokens.status == 200)
            #expect(try await app.isAlive(tokens))
        }
    }

    @Test("decision 0104: two tabs of one browser each sign in", .needs(.chromium))
    func tabs() async throws {
        try await LoopbackApp.walk("forms") { stage, app, browser in
            let first = try await browser.tab()
            try await browser.open(app.address([("state", "one")]))
            let second = try await browser.openTab()
            try await browser.show(second)
            try await browser.open(app.address([("state", "two")]))
            for (number, (tab, state)) in [(first, "one"), (second, "two")].enumerated() {
                try await browser.show(tab)
                try await browser.signIn("ann", stage.password)
                try await browser.waitForTitle { $0 == "Arrived" }
                let answer = try await app.answer(number)
                #expect(answer["state"] == state)
                #expect(try await app.redeem(answer["code"]).status == 200)
            }
        }
    }

    @Test(
        "decision 0101: the browser follows an app that leads on to another host, from every page",
        .needs(.chromium),
        arguments: ["query", "form_post"]
    )
    func onward(mode: String) async throws {
        let front = "http://front.localhost:{port}/front"
        try await LoopbackApp.walk("forms", ["--consent"], leadingOnTo: front) {
            stage,
            app,
            browser in
            try await browser.open(app.address([("response_mode", mode)]))
            try await browser.signIn("ann", stage.password)
            try await browser.waitForTitle { $0.hasPrefix("Allow forms") }
            try await browser.click("button[value=allow]")
            try await browser.waitForTitle { $0 == "Front" }
            #expect(try await app.redeem(try await app.answer()["code"]).status == 200)
            // Who is asked nothing but the account, too.
            try await browser.open(
                app.address([("response_mode", mode), ("prompt", "select_account")])
            )
            try await browser.click("button[value=continue]")
            try await browser.waitForTitle { $0.hasPrefix("Allow forms") || $0 == "Front" }
        }
    }

    @Test(
        "decision 0101: an app that leads on to an app of its own scheme is stopped by no policy",
        .needs(.chromium)
    )
    func onwardToApp() async throws {
        try await LoopbackApp.walk(
            "forms",
            ["--consent"],
            leadingOnTo: "forms-test-app://done"
        ) { stage, app, browser in
            try await app.signIn(in: browser)
            try await browser.waitForTitle { $0.hasPrefix("Allow forms") }
            try await browser.run(
                """
                window.stopped = [];
                document.addEventListener("securitypolicyviolation",
                  function (event) { window.stopped.push(event.effectiveDirective); });
                """
            )
            try await browser.click("button[value=allow]")
            #expect(try await app.redeem(try await app.answer()["code"]).status == 200)
            // No app takes the address here, so the page stays.
            #expect(try await browser.title().hasPrefix("Allow forms"))
            let stopped = try await browser.run("return window.stopped.length;")
            #expect(stopped == .integer(0))
        }
    }
}
