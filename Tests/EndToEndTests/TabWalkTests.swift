import HTTPTypes
import PorticoOutbound
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import Testing

/// Tabs, the back button and reloading, in a real Chromium.
@Suite("End to end: tabs, back and reload", .serialized, .sharesBrowsers)
struct TabWalkTests {
    @Test(
        "WEB-BFF-7: two tabs of one browser finish, each its own sign-in, in either order",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func tabs(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            let first = try await walk.browser.tab()
            let second = try await walk.browser.openTab()
            for newestFirst in [true, false] {
                try await walk.browser.show(first)
                try await walk.open("/login?return_to=/account/ways&prompt=select_account")
                try await walk.start("google")
                try await walk.browser.show(second)
                try await walk.open("/login?return_to=/account/devices&prompt=select_account")
                try await walk.start("facebook")
                for isSecond in newestFirst ? [true, false] : [false, true] {
                    try await walk.browser.show(isSecond ? second : first)
                    try await walk.be(isSecond ? .paul : .ben, at: isSecond ? "facebook" : "google")
                    if newestFirst {
                        try await walk.expect("Welcome")
                        try await walk.press("later")
                    }
                    try await walk.expect(isSecond ? "Devices" : "Sign-in methods")
                }
            }
            #expect(try await server.accounts().count == 2)
            #expect(server.standIns.log.count(.token, at: .google) == 2)
            // The browser is who signed in last.
            try await walk.browser.show(first)
            try await walk.open("/dashboard")
            #expect(try await walk.browser.text(".account").contains("Paul Phone"))
        }
    }

    @Test(
        "the late second tab shows that a person is already signed in",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func late(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            let first = try await walk.browser.tab()
            try await walk.open("/login?return_to=/account/ways")
            try await walk.start("google")
            let chooser = try await walk.browser.address()
            // The same sign-in in two tabs, as by duplicating one.
            let second = try await walk.browser.openTab()
            try await walk.browser.open(chooser)
            try await walk.browser.show(first)
            try await walk.be(.ann, at: "google")
            try await walk.expect("Welcome")
            try await walk.browser.show(second)
            try await walk.be(.ann, at: "google")
            try await walk.expect("Sign-in methods")
            #expect(server.standIns.log.count(.token, at: .google) == 1)
            // A choice that was open all the time.
            try await walk.open("/login?return_to=/account/devices")
            try await walk.expect("You’re already signed in")
            #expect(try await walk.browser.text("a.button") == "Continue as Ann Example")
            try await walk.goOn()
            try await walk.expect("Devices")
        }
    }

    @Test(
        "a question that was answered in another tab is not asked again",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func answered(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.register("google", as: .ann)
            try await walk.signOut()
            try await walk.signIn("apple", as: .ann)
            try await walk.expect("You already have an account")
            let first = try await walk.browser.tab()
            let second = try await walk.browser.openTab()
            try await walk.open("/login/account")
            try await walk.expect("You already have an account")
            try await walk.browser.show(first)
            try await walk.press("separate")
            try await walk.expect("Welcome")
            try await walk.browser.show(second)
            try await walk.press("separate")
            try await walk.expect("You’re already signed in")
            #expect(try await server.accounts().count == 2)
            try await walk.browser.goBack()
            try await walk.expect("You’re already signed in")
        }
    }

    @Test(
        "attack E27: the back button after each step leads on, and nothing is done twice",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func back(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.open("/login")
            try await walk.start("google")
            try await walk.browser.goBack()
            try await walk.expect("Sign in to Example")
            try await walk.start("google")
            try await walk.be(.ann, at: "google")
            try await walk.expect("Welcome")
            // To the provider, and the same answer given once more: the person is in already.
            try await walk.browser.goBack()
            try await walk.be(.ann, at: "google")
            try await walk.expect("You’re signed in")
            #expect(server.standIns.log.count(.token, at: .google) == 1)

            try await walk.open("/onboarding")
            try await walk.press("save")
            try await walk.expect("You’re signed in")
            try await walk.browser.goBack()
            try await walk.expect("Welcome")
            try await walk.press("save")
            try await walk.expect("You’re signed in")
            try await walk.browser.goBack()
            try await walk.browser.goBack()
            #expect(try await server.accounts().count == 1)

            // After signing out, Back shows nothing of the account.
            try await walk.open("/account")
            try await walk.expect("Ann Example’s account")
            try await walk.signOut()
            try await walk.browser.goBack()
            try await walk.expect("You weren’t signed in")
            try await walk.browser.goBack()
            try await walk.expect("Sign in to Example")
        }
    }

    @Test(
        "WEB-SESS-4: after signing out, Back shows no page that the browser has kept whole",
        .needs(.chromium),
        arguments: Scripts.on
    )
    func keptPages(scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, _ in
            try await walk.register("google", as: .ann)
            try await walk.signOut()
            // Chromium keeps the page that a sign-in led to, in spite of `no-store`.
            try await walk.signIn("google", as: .ann, at: "/login?return_to=/account")
            try await walk.expect("Ann Example’s account")
            try await walk.open("/help")
            try await walk.expect("Help")
            try await walk.signOut()
            try await walk.browser.goBack()
            try await walk.expect("You weren’t signed in")
            try await walk.browser.goBack()
            try await walk.expect("Help")
            try await walk.browser.goBack()
            try await walk.expect("Sign in to Example")
            #expect(try await !walk.browser.text("body").contains("Ann Example"))
        }
    }

    @Test(
        "attack E27: a callback that is opened again leads on; after signing out it signs no one in",
        .needs(.chromium),
        arguments: ["google", "facebook"],
        Scripts.on
    )
    func reload(_ provider: String, scripts: Bool) async throws {
        try await Walk.run(scripts) { walk, server in
            try await walk.open("/login?return_to=/account/ways")
            try await walk.start(provider)
            let callback = try await Self.callback(of: .ben, at: try await walk.browser.address())
            let kind: StandInKind = provider == "google" ? .google : .facebook
            try await walk.browser.open(callback)
            try await walk.expect("Welcome")
            try await walk.browser.open(callback)
            try await walk.expect("Sign-in methods")
            try await walk.browser.reload()
            try await walk.expect("Sign-in methods")
            #expect(server.standIns.log.count(.token, at: kind) == 1)
            #expect(try await server.accounts().count == 1)
            // No one is signed in any more: the old answer signs no one in.
            try await walk.signOut()
            try await walk.browser.open(callback)
            try await walk.expect("Error: Sign in to Example")
            #expect(server.standIns.log.count(.token, at: kind) == 1)
        }
    }

    /// Where a provider would send the browser, which knows it then.
    private static func callback(of person: StandInPerson, at chooser: String) async throws
        -> String
    {
        let outbound = OutboundClient()
        var request = HTTPRequest(.post, to: try #require(HTTPAddress(chooser)))
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        let reply = try await outbound.send(
            request,
            body: FormEncoding.encode([(name: "person", value: person.id)]),
            limits: HTTPLimits(bytes: 1 << 16, seconds: 30)
        )
        try await outbound.shutdown()
        return try #require(reply.response.headerFields[.location])
    }
}
