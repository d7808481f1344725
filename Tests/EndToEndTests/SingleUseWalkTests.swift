import Foundation
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// Everything that is good once, used twice: what is refused, and what remains.
@Suite("End to end: the second use", .serialized)
struct SingleUseWalkTests {
    @Test(
        "attack C03, RFC 6749 §4.1.2: a code redeemed twice is refused, and its tokens die",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func code(scripts: Bool) async throws {
        try await LoopbackApp.walk("second-use", scripts: scripts) { stage, app, browser in
            try await app.signIn(in: browser)
            let answer = try await app.answer()
            #expect(answer["iss"] == stage.issuer)
            let tokens = try await app.redeem(answer["code"])
            #expect(tokens.status == 200)
            #expect(try await app.isAlive(tokens))

            let again = try await app.redeem(answer["code"])
            #expect(again.status == 400)
            #expect(again.error == "invalid_grant")
            #expect(try await !app.isAlive(tokens))
            #expect(try await app.refresh(tokens).error == "invalid_grant")

            // The person is still signed in: the app may ask anew, without a word from them.
            try await browser.open(app.address())
            let fresh = try await app.redeem(try await app.answer(1)["code"])
            #expect(try await app.isAlive(fresh))
        }
    }

    @Test(
        "attack C05, decision 0033: a wrong verifier spends the code, and there is no second try",
        .needs(.chromium)
    )
    func verifier() async throws {
        try await LoopbackApp.walk("second-use", scripts: false) { stage, app, browser in
            try await app.signIn(in: browser)
            let code = try await app.answer()["code"]
            let other = String(repeating: "w", count: 43)
            let wrong = try await app.redeem(code, [("code_verifier", other)])
            #expect(wrong.error == "invalid_grant")
            #expect(try await app.redeem(code).error == "invalid_grant")

            // A verifier proves one request: the next one's challenge is another.
            let challenge = CodeChallenge(hash: Hash256(of: other)).text
            try await browser.open(app.address([("code_challenge", challenge)]))
            let next = try await app.answer(1)["code"]
            #expect(try await app.redeem(next).error == "invalid_grant")
        }
    }

    @Test(
        "decision 0035, RFC 9700 §4.14.2: a rotated refresh token ends the family once its successor was used",
        .needs(.chromium)
    )
    func refreshToken() async throws {
        try await LoopbackApp.walk("second-use", scripts: false) { stage, app, browser in
            try await app.signIn(in: browser)
            let first = try await app.redeem(try await app.answer()["code"])
            let second = try await app.refresh(first, key: "one")
            #expect(second.status == 200)
            // The answer was lost: the app that asked gets the same again, and no one else anything.
            let repeated = try await app.refresh(first, key: "one")
            #expect(
                repeated.json.string("refresh_token") == second.json.string("refresh_token")
            )
            let third = try await app.refresh(second, key: "two")
            #expect(third.status == 200)
            #expect(try await app.isAlive(third))

            let replay = try await app.refresh(first, key: "one")
            #expect(replay.status == 400)
            #expect(replay.error == "invalid_grant")
            #expect(try await app.refresh(third, key: "three").error == "invalid_grant")
            #expect(try await !app.isAlive(third))
        }
    }

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
