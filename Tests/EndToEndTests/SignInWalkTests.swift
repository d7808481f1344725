import PorticoProtocol
import PorticoStandIns
import PorticoStores
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
                #expect(login.stderr.contains("Signed in as Ann Example <ann@demo.example>"))
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

/// People sign in with providers on another site, in a real Chromium, against the whole program.
@Suite("End to end: signing in with a provider", .serialized, .sharesBrowsers)
struct BackendWalkTests {
    @Test(
        "SEED-ADR-2: a person registers with a provider, and comes back to the same account",
        .needs(.chromium),
        arguments: Scripts.onAndOff,
        MainWalk.providers
    )
    func register(scripts: Bool, _ provider: String) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.registerAndReturn(provider) }
    }

    @Test(
        "decision 0028: a person who stops at the provider returns to the choice, with a plain message",
        .needs(.chromium),
        arguments: Scripts.on,
        MainWalk.providers
    )
    func cancel(scripts: Bool, _ provider: String) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.cancel(provider) }
    }

    @Test(
        "decision 0030: a second provider with the same address is added once the account is proven",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func link(scripts: Bool) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.addSecondProvider() }
    }

    @Test(
        "attack E27: reloading the callback, and going back, lead on and lose nothing",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func reload(scripts: Bool) async throws {
        try await MainWalk.run(scripts: scripts) { walk in
            let (stage, browser) = (walk.stage, walk.browser)
            try await browser.open(stage.origin + "/login")
            try await walk.choose("google", as: "ann")
            try await browser.waitForTitle { $0.hasPrefix("Welcome") }
            try await browser.goBack()
            try await browser.goBack()
            try await browser.open(stage.origin + "/dashboard")
            try await browser.waitForTitle { $0.hasPrefix("You’re signed in") }
            // A signed-in person who opens the choice is told so.
            try await browser.open(stage.origin + "/login")
            try await browser.waitForTitle { $0.hasPrefix("You’re already signed in") }
        }
    }

    @Test(
        "decision 0013: an app on a private-use scheme gets a page with a button, and its form is let go there",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func app(scripts: Bool) async throws {
        try await MainWalk.run(scripts: scripts) { try await $0.signInToApp() }
    }
}

extension Stage {
    /// The server's own address.
    var origin: String {
        String(issuer.prefix(issuer.count - "/realms/demo".count))
    }
}

/// What is peculiar to Apple and to Facebook, in a real Chromium.
@Suite("End to end: Apple and Facebook", .serialized, .sharesBrowsers)
struct AppleWalkTests {
    @Test(
        "attack E11, WEB-COOKIE-4: Apple's answer comes by a post from its own site, and finds the attempt's Lax cookie by a GET",
        .needs(.chromium),
        arguments: Scripts.onAndOff
    )
    func attempt(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.open("/login")
            try await walk.start("apple")
            // Another site: not by the port, by the name.
            #expect(try await walk.browser.address().hasPrefix("http://localhost:"))
            let kept = try await walk.browser.keptCookies(at: walk.origin)
            let attempt = try #require(kept.first { $0.name.contains("attempt-") })
            #expect(attempt.isHTTPOnly)
            #expect(attempt.sameSite == "Lax")
            #expect((590...600).contains(attempt.life ?? 0))
            // Chromium sends a fresh cookie on such a post for two minutes where nothing is said.
            for cookie in kept { #expect(cookie.sameSite == "Lax", "\(cookie.name)") }
            try await walk.be(.ann, at: "apple")
            try await walk.expect("Welcome")
            let left = try await walk.browser.keptCookies(at: walk.origin).map(\.name)
            #expect(!left.contains(attempt.name))
            #expect(server.log.contains("method=POST path=/v1/auth/apple/callback status=303"))
        }
    }

    @Test(
        "PRV-A-5: Apple gives the name the first time only, and it stays",
        .needs(.chromium),
        arguments: Scripts.onAndOff
    )
    func firstAndSecond(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.signIn("apple", as: .ann)
            try await walk.expect("Welcome")
            #expect(
                try await walk.browser.run("return document.getElementById('name').value")
                    == "Ann Example"
            )
            #expect(try await walk.says("ann@example.com"))
            try await walk.browser.type("Ann of Example", into: "#name")
            try await walk.press("save")
            try await walk.expect("You’re signed in")
            #expect(try await walk.browser.text(".account").contains("Ann of Example"))
            try await walk.signOut()
            try await walk.signIn("apple", as: .ann)
            try await walk.expect("You’re signed in")
            // No name came along, and a name that was given here is not Apple's to change.
            server.standIns.configure(.apple) {
                $0.appleUser =
                    #"{"name":{"firstName":"Ann","lastName":"Example"},"email":"ann@example.com"}"#
            }
            try await walk.signOut()
            try await walk.signIn("apple", as: .ann)
            try await walk.expect("You’re signed in")
            #expect(try await walk.browser.text(".account").contains("Ann of Example"))
        }
    }

    @Test(
        "PRV-A-8: behind Apple's relay, the person makes an account, and it says what the address is",
        .needs(.chromium),
        arguments: Scripts.onAndOff
    )
    func relay(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.signIn("apple", as: .rea)
            try await walk.expect("Do you already have an account with Example?")
            #expect(try await walk.says("Apple hides your email address"))
            // To stop is to have done nothing.
            try await walk.press("cancel")
            try await walk.expect("Error: Sign in to Example")
            #expect(try await server.accounts().isEmpty)
            try await walk.start("apple")
            try await walk.be(.rea, at: "apple")
            try await walk.expect("Do you already have an account")
            try await walk.press("create")
            try await walk.expect("Welcome")
            #expect(try await walk.says("@privaterelay.appleid.com"))
            #expect(try await walk.says("Apple forwards what we send to this address."))
            #expect(try await server.accounts().first?.mailbox?.isRelay == true)
            try await walk.browser.type("Rea", into: "#name")
            try await walk.press("save")
            try await walk.expect("You’re signed in")
            try await walk.signOut()
            try await walk.signIn("apple", as: .rea)
            try await walk.expect("You’re signed in")
        }
    }

    @Test(
        "PRV-F-6: Facebook without an address: one is asked for, and can be left out",
        .needs(.chromium),
        arguments: [true, false],
        Scripts.on
    )
    func withoutAddress(isKeptBack: Bool, scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.open("/signup")
            try await walk.start("facebook")
            // A person without one, and a person who withholds it.
            if isKeptBack { try await walk.browser.click("input[name=keep_email]") }
            try await walk.be(isKeptBack ? .ann : .paul, at: "facebook")
            try await walk.expect("Welcome")
            #expect(try await walk.says("We didn’t get an email address."))
            try await walk.browser.type("nobody", into: "#email")
            try await walk.press("later")
            try await walk.expect("You’re signed in")
            #expect(try await server.accounts().map(\.email) == [nil])
            try await walk.open("/account/details")
            try await walk.expect("Personal details")
        }
    }
}
