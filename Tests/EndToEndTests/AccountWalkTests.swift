import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// The account's own pages, in a real Chromium.
@Suite("End to end: the account", .serialized, .sharesBrowsers)
struct AccountWalkTests {
    @Test(
        "WEB-ACC-4: a way is added and removed, and the last one is refused, from an old tab too",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func unlink(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            // Whose provider says when it asked: nothing else has to be proven for ten minutes.
            try await walk.register("keycloak", as: .ben)
            try await walk.open("/account")
            try await walk.browser.click("nav a[href='/account/ways']")
            try await walk.expect("Sign-in methods")
            #expect(try await walk.says("This is your only sign-in method"))
            #expect(
                try await walk.browser.run("return document.querySelector('[value=remove]')")
                    == .null
            )
            try await walk.press("facebook")
            try await walk.be(.paul, at: "facebook")
            try await walk.expect("Sign-in methods")
            #expect(try await walk.says("Facebook has been added."))

            let first = try await walk.browser.tab()
            let second = try await walk.browser.openTab()
            try await walk.open("/account/ways")
            try await walk.browser.show(first)
            try await remove("Facebook", walk)
            try await walk.expect("Sign-in methods")
            #expect(try await walk.says("Facebook has been removed"))
            // What the other tab still offers would leave nothing.
            try await walk.browser.show(second)
            try await remove("Example ID", walk)
            try await walk.expect("Error: Sign-in methods")
            #expect(
                try await walk.browser.focusedName() == "Your only sign-in method can’t be removed"
            )
            try await walk.open("/account")
            try await walk.expect("Ben Sample’s account")
            // A removed identity belongs to no account, and makes its own.
            try await walk.signOut()
            try await walk.signIn("facebook", as: .paul)
            try await walk.expect("Welcome")
            #expect(try await server.accounts().count == 2)
        }
    }

    private func remove(_ way: String, _ walk: Walk) async throws {
        try await walk.browser.run(
            """
            const button = [...document.querySelectorAll('button[value=remove]')]
                .find(button => button.innerText === arguments[0]);
            button.id = 'removing';
            """,
            [.string("Remove \(way)")]
        )
        try await walk.browser.click("#removing")
    }

    @Test(
        "WEB-SESS-7: signing out here leaves the other browser, there ends it, everywhere ends all",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func signOut(scripts: Bool) async throws {
        try await Walk.run(scripts) { here, server in
            try await here.register("google", as: .ann)
            try await here.elsewhere { there in
                try await there.signIn("google", as: .ann)
                try await there.expect("You’re signed in")
                try await here.signOut()
                #expect(try await here.says("You’re still signed in to Google"))
                try await here.open("/account/devices")
                try await here.expect("Sign in to Example")
                try await there.open("/account/devices")
                try await there.expect("Devices")
                #expect(try await there.says("You’re not signed in anywhere else."))

                // To where they wanted to go.
                try await here.start("google")
                try await here.be(.ann, at: "google")
                try await here.expect("Devices")
                try await here.press("end")
                try await here.expect("Devices")
                #expect(try await here.says("You’re signed out on that device."))
                try await there.browser.reload()
                try await there.expect("Sign in to Example")

                try await there.start("google")
                try await there.be(.ann, at: "google")
                try await there.expect("Devices")
                try await here.open("/logout")
                try await here.press("stay")
                try await here.expect("You’re signed in")
                try await here.open("/logout")
                try await here.press("everywhere")
                try await here.expect("You’re signed out")
                try await there.browser.reload()
                try await there.expect("Sign in to Example")
            }
            try await here.open("/logout")
            try await here.expect("You weren’t signed in")
        }
    }

    @Test(
        "PRV-A-19: a person who deletes their account is asked who they are, is signed out everywhere, and Apple is notified",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func delete(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.register("apple", as: .ann)
            server.clock.advance(by: 601)
            try await walk.open("/account")
            try await walk.browser.click("a[href='/account/delete']")
            try await walk.expect("Delete your account?")
            // The box is asked for first, by the browser itself.
            try await walk.press("delete")
            try await walk.expect("Delete your account?")
            try await walk.browser.click("#sure")
            try await walk.press("delete")
            try await walk.expect("Confirm it’s you")
            #expect(try await walk.says("Before you delete your account"))
            // Apple cannot be made to ask.
            try await walk.prove { try await server.mailedCode() }
            try await walk.expect("Delete your account?")
            #expect(try await server.accounts().count == 1)
            try await walk.browser.click("#sure")
            try await walk.press("delete")
            try await walk.browser.waitForTitle { !$0.hasPrefix("Delete") }
            #expect(try await server.accounts().isEmpty)
            #expect(server.standIns.log.count(.revocation, at: .apple) == 1)
            try await walk.open("/account")
            try await walk.expect("Sign in to Example")
            // Signing in again makes a new account.
            try await walk.start("apple")
            try await walk.be(.ann, at: "apple")
            try await walk.expect("Welcome")
        }
    }
}
