import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

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
            #expect(try await server.accounts().first?.email?.isRelay == true)
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
