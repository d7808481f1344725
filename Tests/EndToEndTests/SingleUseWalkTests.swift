import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Everything that is good once, used twice: what is refused, and what remains.
@Suite("End to end: the second use", .serialized)
struct SingleUseWalkTests {
    @Test(
        "decision 0104: a sign-in form that is sent again brings the person to the app again",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func signInForm(scripts: Bool) async throws {
        try await LoopbackApp.walk("second-use", scripts: scripts) { stage, app, browser in
            try await browser.open(app.address())
            let form = try await browser.form()
            try await browser.signIn("ann", stage.password)
            let tokens = try await app.redeem(try await app.answer()["code"])

            // From a page that lets a form lead on to the app.
            try await browser.open(app.address([("prompt", "login")]))
            try await browser.send(form, ["username": "ann", "password": stage.password])
            // With an answer of its own.
            let second = try await app.redeem(try await app.answer(1)["code"])
            #expect(try await app.isAlive(second))
            #expect(try await app.isAlive(tokens))
        }
    }

    @Test(
        "decision 0104: a consent that was sent twice has a code each time",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func consentForm(scripts: Bool) async throws {
        try await LoopbackApp.walk("second-use", ["--consent"], scripts: scripts) {
            stage,
            app,
            browser in
            try await app.signIn(in: browser)
            try await browser.waitForTitle { $0.hasPrefix("Allow second-use") }
            #expect(try await browser.text("main").contains("An app on this device"))
            let form = try await browser.form()
            try await browser.click("button[value=allow]")
            let tokens = try await app.redeem(try await app.answer()["code"])
            #expect(try await app.isAlive(tokens))

            try await browser.open(app.address())
            try await browser.send(form, ["action": "allow"])
            let second = try await app.redeem(try await app.answer(1)["code"])
            #expect(try await app.isAlive(second))
            #expect(try await app.isAlive(tokens))

            // In a browser that no one is signed in to it allows nothing.
            try await browser.open(stage.issuer + "/nothing")
            try await browser.forgetCookies()
            try await browser.send(form, ["action": "allow"])
            try await browser.waitForTitle { $0 == "Cookies are blocked – Demo" }
        }
    }

    @Test(
        "RP-Initiated Logout §2: a sign-out form and a hint end their own session, and no later one",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func signOutForm(scripts: Bool) async throws {
        try await LoopbackApp.walk("second-use", scripts: scripts) { stage, app, browser in
            try await app.signIn(in: browser)
            let tokens = try await app.redeem(try await app.answer()["code"])
            let logout = stage.issuer + "/protocol/openid-connect/logout"
            try await browser.open(logout)
            try await browser.waitForTitle { $0 == "Sign out of Demo? – Demo" }
            let form = try await browser.form()
            try await browser.click("button[value=sign-out]")
            try await browser.waitForTitle { $0 == "You’re signed out – Demo" }
            #expect(try await !app.isAlive(tokens))

            try await app.signIn(in: browser)
            let later = try await app.redeem(try await app.answer(1)["code"])
            try await browser.open(stage.issuer + "/nothing")
            try await browser.send(form, ["action": "sign-out"])
            try await browser.waitForTitle { $0.hasSuffix("– Demo") }
            #expect(try await app.isAlive(later))
            let hint = tokens.json.string("id_token") ?? ""
            try await browser.open(logout + "?id_token_hint=" + hint)
            try await browser.waitForTitle { $0 == "Sign out of Demo? – Demo" }
            #expect(try await app.isAlive(later), "nothing ends before the answer")
        }
    }

    @Test(
        "WEB-SESS-1: a session cookie is worth nothing after the sign-out, or a new sign-in",
        .needs(.chromium)
    )
    func sessionCookie() async throws {
        try await LoopbackApp.walk("second-use", scripts: false) { stage, app, browser in
            try await app.signIn(in: browser)
            _ = try await app.answer()
            let first = try await cookies(browser, stage)
            try await browser.open(app.address([("prompt", "login")]))
            try await browser.waitForTitle { $0 == "Sign in again to continue – Demo" }
            try await browser.type(stage.password, into: "#password")
            try await browser.click("button[value=sign-in]")
            let tokens = try await app.redeem(try await app.answer(1)["code"])
            let second = try await cookies(browser, stage)

            // In a browser of their own, each as a thief would have it.
            try await expectNobody(first, app)
            let hint = tokens.json.string("id_token") ?? ""
            try await browser.open(
                stage.issuer + "/protocol/openid-connect/logout?id_token_hint=" + hint
            )
            try await browser.waitForTitle { $0 == "You’re signed out – Demo" }
            try await expectNobody(second, app)
        }
    }

    /// What the browser holds of the server; WebDriver shows cookies of the page that is open.
    private func cookies(_ browser: Browser, _ stage: Stage) async throws -> [JSONObject] {
        try await browser.open(stage.issuer + "/nothing")
        return try await browser.cookies()
    }

    private func expectNobody(_ cookies: [JSONObject], _ app: LoopbackApp) async throws {
        #expect(!cookies.isEmpty)
        try await Browser.use(scripts: false) { thief in
            try await thief.open(app.address())
            for cookie in cookies { try await thief.set(cookie) }
            try await thief.open(app.address())
            try await thief.waitForTitle { $0 == "Sign in to second-use – Demo" }
        }
    }
}
