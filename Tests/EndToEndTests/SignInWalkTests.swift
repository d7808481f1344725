import PorticoProtocol
import PorticoTestSupport
import Testing

/// `portico login` against `portico serve --demo`, with a real Chromium as the system's browser.
@Suite("End to end: the program, a browser, a person", .serialized)
struct SignInWalkTests {
    @Test(
        "A person signs in, and the command line has tokens, claims and roles",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func walk(scripts: Bool) async throws {
        try await Stage.run { stage in
            try await stage.administer(
                "client",
                "update",
                "portico-cli",
                "--access-token-lifetime",
                "10"
            )
            // Once the server knows a client that is newer, it knows that, too.
            _ = try await LoopbackApp(stage, "newer")
            try await Browser.use(scripts: scripts) { browser in
                let login = try await stage.login(browser)
                try await signIn(stage, browser)
                #expect(try await login.end() == 0)
                #expect(login.stdout.isEmpty)
                #expect(login.stderr.contains("Signed in as Ann Example <ann@example.com>"))
                #expect(!login.stderr.contains(stage.password))
                try await goingBack(browser)
                try await claims(stage)
                try await singleSignOn(stage, browser)
                try await signOut(stage, browser)
            }
            #expect(!stage.server.stderr.contains(stage.password))
        }
    }

    /// WCAG 3.3.1, 3.3.7: a wrong password is told at the top, and the name stays.
    private func signIn(_ stage: Stage, _ browser: Browser) async throws {
        try await browser.signIn("ann", "wrong password")
        // The click comes back before the next page is there.
        try await browser.waitForTitle { $0 == "Error: Sign in to Portico command line – Demo" }
        #expect(
            try await browser.text("[role=alert]").contains("username or password is incorrect")
        )
        try await browser.type(stage.password, into: "#password")
        try await browser.click("button[value=sign-in]")
    }

    /// RFC 8252 §8.6, RFC 9700 §4.3.1: the last page says who, and the address says no code.
    private func goingBack(_ browser: Browser) async throws {
        try await browser.waitForTitle { $0 == "Signed in as Ann Example" }
        #expect(try await browser.address().hasSuffix("/callback/done"))
        #expect(try await browser.text("p").hasPrefix("You can close this tab"))
    }

    /// Token on stdout and nothing else; roles in UserInfo; a refresh after the expiry.
    private func claims(_ stage: Stage) async throws {
        let token = try await stage.portico("token")
        #expect(token.status == 0)
        #expect(token.stdout.split(separator: ".").count == 3)
        let userInfo = try await stage.portico("userinfo")
        let claims = try JSONObject(parsing: userInfo.stdout.utf8)
        #expect(claims.string("name") == "Ann Example")
        #expect(claims.object("realm_access")?.strings("roles")?.contains("editor") == true)
        #expect(
            claims.object("resource_access")?.object("portico-cli")?.strings("roles") == ["tester"]
        )
        #expect(try await stage.portico("whoami").stdout.contains("ann"))
        let first = try stage.file("first", Array(token.stdout.utf8))
        try await waitUntil("the first one has expired") {
            let inspected = try await stage.portico("token", "inspect", first)
            return inspected.status == 1 && inspected.stderr.contains("The token has expired.")
        }
        let again = try await stage.portico("token")
        #expect(again.status == 0)
        #expect(again.stdout != token.stdout)
        #expect(try await stage.portico("userinfo", "--claim", "name").stdout == "Ann Example\n")
    }

    /// OpenID Connect Core §3.1.2.3: the second time no password is asked for.
    private func singleSignOn(_ stage: Stage, _ browser: Browser) async throws {
        let login = try await stage.login(browser, "--force")
        #expect(try await login.end() == 0)
    }

    /// RP-Initiated Logout §2: over here, over at the provider, over in the browser.
    private func signOut(_ stage: Stage, _ browser: Browser) async throws {
        let logout = try await stage.portico("logout")
        #expect(logout.status == 0)
        #expect(logout.stderr.hasSuffix("✓ Signed out Ann Example.\n"))
        try await browser.open(try await stage.opened())
        try await browser.waitForTitle { $0 == "You’re signed out – Demo" }
        for command in ["token", "userinfo", "whoami", "logout"] {
            let after = try await stage.portico(command)
            #expect(after.status == 3)
            #expect(after.stdout.isEmpty)
        }
        let login = try await stage.login(browser)
        try await browser.waitForTitle { $0 == "Sign in to Portico command line – Demo" }
        try await browser.click("button[value=cancel]")
        #expect(try await login.end() == 4)
    }

    @Test(
        "The person cancels: program and page say so, and nothing is kept",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func cancel(scripts: Bool) async throws {
        try await Stage.run { stage in
            try await Browser.use(scripts: scripts) { browser in
                let login = try await stage.login(browser)
                try await browser.click("button[value=cancel]")
                #expect(try await login.end() == 4)
                #expect(login.stderr.contains("Nothing was stored."))
                try await browser.waitForTitle { $0 == "Not signed in" }
                #expect(try await stage.portico("token").status == 3)
            }
        }
    }

    @Test(
        "WCAG 2.1.1, 2.4.3: a person signs in with the keyboard alone",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func keyboard(scripts: Bool) async throws {
        try await Stage.run { stage in
            try await Browser.use(scripts: scripts) { browser in
                let login = try await stage.login(browser)
                // The first field has the focus without being asked.
                try await browser.waitForFocus("input[name=username]")
                try await browser.press("ann" + Browser.tab + "wrong password" + Browser.enter)
                try await browser.waitForTitle { $0.hasPrefix("Error: ") }
                try await browser.waitForFocus(".summary")
                #expect(try await browser.focused() == "There is a problem")
                // The summary's link leads to the field, Tab goes on to the password.
                try await browser.press(Browser.tab + Browser.enter + Browser.tab)
                try await browser.press(stage.password + Browser.tab)
                #expect(try await browser.focused() == "Sign in")
                try await browser.press(Browser.enter)
                #expect(try await login.end() == 0)
            }
        }
    }

    @Test("No answer arrives: the wait ends with exit status 7")
    func nobody() async throws {
        try await Stage.run { stage in
            let login = try await stage.portico(
                "login",
                "--issuer",
                stage.issuer,
                "--client-id",
                "portico-cli",
                "--no-browser",
                "--timeout",
                "1s"
            )
            #expect(login.status == 7)
            #expect(try await stage.portico("token").status == 3)
        }
    }
}
