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
