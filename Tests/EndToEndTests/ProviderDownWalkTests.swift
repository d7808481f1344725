import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

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
