import PorticoTestSupport
import Testing

/// The pages that a person meets on the way, in a real Chromium.
@Suite("End to end: the pages", .serialized)
struct PageWalkTests {
    @Test(
        "OpenID Connect Core §3.1.2.4: who does not allow it sends the app away with access_denied",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func consent(scripts: Bool) async throws {
        try await LoopbackApp.walk(
            "pages",
            ["--consent", "--name", "Pages & Co."],
            scripts: scripts
        ) { stage, app, browser in
            try await app.signIn(in: browser)
            try await browser.waitForTitle { $0.hasPrefix("Allow Pages & Co. to use") }
            #expect(try await browser.text(".grants").contains("See your email address"))
            #expect(try await browser.text(".account").contains("Ann Example"))
            try await browser.click("button[value=deny]")
            let answer = try await app.answer()
            #expect(answer["error"] == "access_denied")
            #expect(answer["iss"] == stage.issuer)
            #expect(answer["code"] == nil)
        }
    }

    @Test(
        "OpenID Connect Core §3.1.2.1: a person may continue as themselves, or as another person",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func account(scripts: Bool) async throws {
        try await LoopbackApp.walk("pages", scripts: scripts) { stage, app, browser in
            try await app.signIn(in: browser)
            let ann = try await app.redeem(try await app.answer()["code"])
            for (number, choice) in [(1, "continue"), (2, "switch")] {
                try await browser.open(app.address([("prompt", "select_account")]))
                try await browser.waitForTitle { $0 == "You’re already signed in – Demo" }
                #expect(
                    try await browser.text("button[value=continue]") == "Continue as Ann Example"
                )
                try await browser.click("button[value=\(choice)]")
                if choice == "switch" {
                    try await browser.waitForTitle { $0 == "Sign in to pages – Demo" }
                    try await browser.signIn("bob", stage.passwordOfBob)
                }
                let tokens = try await app.redeem(try await app.answer(number)["code"])
                #expect(try await app.isAlive(tokens))
            }
            // Bob's sign-in has ended ann's in this browser, and what hung on it.
            #expect(try await !app.isAlive(ann))
        }
    }

    @Test(
        "decision 0052: a person makes an account, proves the address, and is in the app",
        .needs(.chromium),
        arguments: Scripts.onAndOff
    )
    func registration(scripts: Bool) async throws {
        try await LoopbackApp.walk("pages", scripts: scripts) { stage, app, browser in
            try await stage.updateRealm("--registration", "username")
            for _ in 0..<100 {
                try await browser.open(app.address())
                if try await browser.source().contains(#"value="register""#) { break }
                try await Task.sleep(for: .milliseconds(50))
            }
            try await browser.click("button[value=register]")
            try await browser.waitForTitle { $0 == "Create an account – Demo" }
            let typed = [
                "given_name": "Cora", "family_name": "Sample", "email": "cora@example.com",
                "username": "cora", "password": "short",
            ]
            for (field, text) in typed { try await browser.type(text, into: "#\(field)") }
            try await browser.click("button[value=create]")
            try await browser.waitForTitle { $0 == "Error: Create an account – Demo" }
            #expect(try await browser.focusedName() == "There is a problem")
            try await browser.type("seven rivers run to sea", into: "#password")
            try await browser.click("button[value=create]")
            try await browser.waitForTitle { $0 == "Enter the code from the email – Demo" }
            let code = try #require(try await stage.mailedCode())
            try await browser.type(code, into: "#code")
            try await browser.click("button[value=confirm]")
            let tokens = try await app.redeem(try await app.answer()["code"])
            #expect(try await app.isAlive(tokens))
        }
    }

    @Test(
        "OAuth 2.0 Form Post Response Mode §2: a script posts the answer, or the person does",
        .needs(.chromium),
        arguments: Scripts.onAndOff
    )
    func formPost(scripts: Bool) async throws {
        try await LoopbackApp.walk("pages", scripts: scripts) { stage, app, browser in
            try await browser.open(app.address([("response_mode", "form_post")]))
            try await browser.signIn("ann", stage.password)
            if !scripts {
                try await browser.waitForTitle { $0 == "Going back to pages – Demo" }
                #expect(try await browser.text("p.lead") == "If nothing happens, choose Continue.")
                try await browser.click("button")
            }
            try await browser.waitForTitle { $0 == "Arrived" }
            #expect(!(try await browser.address()).contains("code"))
            let answer = try await app.answer()
            #expect(answer["state"] == "s-1")
            #expect(try await app.redeem(answer["code"]).status == 200)
        }
    }

    @Test(
        "Without the cookie the page says what to change, and its button begins the same request",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func cookies(scripts: Bool) async throws {
        try await LoopbackApp.walk("pages", scripts: scripts) { stage, app, browser in
            try await browser.open(app.address())
            try await browser.forgetCookies()
            try await browser.signIn("ann", stage.password)
            try await browser.waitForTitle { $0 == "Cookies are blocked – Demo" }
            try await browser.click("a.button")
            try await browser.waitForTitle { $0 == "Sign in to pages – Demo" }
            try await browser.signIn("ann", stage.password)
            #expect(try await app.redeem(try await app.answer()["code"]).status == 200)
        }
    }

    @Test(
        "WEB-ERR-1: an error has plain words, and an id that the log has too",
        .needs(.chromium),
        arguments: [
            ("client_id", "nobody", "This app isn’t registered here"),
            ("redirect_uri", "http://127.0.0.1/elsewhere", "We can’t send you back to this app"),
        ]
    )
    func error(parameter: String, value: String, heading: String) async throws {
        try await LoopbackApp.walk("pages", scripts: false) { stage, app, browser in
            try await browser.open(app.address([(parameter, value)]))
            try await browser.waitForTitle { $0 == "Error: \(heading) – Demo" }
            let reference = try await browser.text(".reference")
            #expect(reference.count >= 8)
            let line = try await stage.server.match("[^\n]* id=\(reference) [^\n]*")[0]
            #expect(line.contains("status=400"))
            // Neither what was asked with, nor what might have been given.
            for secret in ["state", "nonce", "code_challenge", value] {
                #expect(!line.contains(secret))
            }
            // The developer's words can be opened, by keyboard too.
            try await browser.click("summary")
            #expect(try await browser.text("dl").contains(reference))
        }
    }

    @Test(
        "RP-Initiated Logout §2: who stays signed in is still signed in",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func stay(scripts: Bool) async throws {
        try await LoopbackApp.walk("pages", scripts: scripts) { stage, app, browser in
            try await app.signIn(in: browser)
            let tokens = try await app.redeem(try await app.answer()["code"])
            try await browser.open(stage.issuer + "/protocol/openid-connect/logout")
            #expect(try await browser.text(".account").contains("ann@demo.example"))
            try await browser.click("button[value=stay]")
            try await browser.waitForTitle { $0 == "You’re still signed in – Demo" }
            #expect(try await app.isAlive(tokens))
        }
    }
}
