import PorticoProtocol
import PorticoTestSupport
import Testing

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
