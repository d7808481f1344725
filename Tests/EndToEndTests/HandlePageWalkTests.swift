import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// What people meet who sign in by handle, where not all goes well, in a real Chromium: each page has one
/// heading, fits a screen of 320 pixels, and its way on works.
@Suite("End to end: pages of signing in by internet handle", .serialized)
struct HandlePageWalkTests {
    @Test(
        "ATP-DP-4, ATP-TL-4: of a browser that stays signed in, the tokens are refreshed across a new nonce",
        .needs(.chromium)
    )
    func refresh() async throws {
        try await HostWalk.run { walk in
            try await walk.walk.open("/mobile-auth")
            try await walk.enter(HostWalk.ann)
            try await walk.finish()
            #expect(try await walk.record() == "200 \(HostWalk.ann)")
            for _ in 1...2 {
                // Longer than an access token lives, and than any nonce is good.
                walk.server.clock.advance(by: 16 * 60)
                walk.log.clear()
                #expect(try await walk.record() == "200 \(HostWalk.ann)")
                let sent = walk.refreshTokens
                #expect(sent.count == 2)
                #expect(Set(sent).count == 1, "the same one, with the new nonce")
            }
            // The token is still good, the nonce is not.
            walk.server.clock.advance(by: 180)
            walk.log.clear()
            #expect(try await walk.record() == "200 \(HostWalk.ann)")
            #expect(walk.log.count(.xrpc) == 2)
            #expect(walk.refreshTokens.isEmpty)
        }
    }

    /// What is wrong with what was typed, or with its host.
    enum Trouble: String, CaseIterable, Sendable {
        case nobody, anothersHandle, unreachable, withoutSignIn, withoutServer

        var typed: String { self == .nobody ? "nobody.\(ATHost.domain)" : HostWalk.ann }

        var told: String {
            switch self {
            case .nobody: "We can’t find nobody.handles.test"
            case .anothersHandle: "That handle isn’t confirmed"
            case .unreachable: "localhost isn’t answering"
            case .withoutSignIn, .withoutServer: "localhost doesn’t offer sign-in for apps"
            }
        }

        func happen(to faults: inout ATHostFaults) {
            switch self {
            case .nobody, .anothersHandle: break
            case .unreachable: faults.down = [.resourceMetadata]
            case .withoutSignIn: faults.gone = [.resourceMetadata]
            case .withoutServer: faults.gone = [.serverMetadata]
            }
        }
    }

    @Test(
        "handle pages: no such handle, another's, a host that is down or has no sign-in: own words, and the way on",
        .needs(.chromium),
        arguments: Trouble.allCases
    )
    func told(_ trouble: Trouble) async throws {
        try await HostWalk.run { walk in
            walk.host.configure { trouble.happen(to: &$0) }
            if trouble == .anothersHandle {
                let names = JSONValue.array([.string("at://other.handles.test")])
                walk.hosts.first.didMembers.withLock { $0 = ["alsoKnownAs": names] }
            }
            try await walk.walk.open("/mobile-auth?redirect=/account/ways")
            try await walk.page("Enter your internet handle")
            try await walk.browser.type(trouble.typed, into: "#handle")
            try await walk.browser.click("button.button")
            try await walk.page("Error: Enter your internet handle")
            #expect(try await walk.walk.says(trouble.told))
            #expect(try await walk.walk.path().hasPrefix("/login?"))
            let field = try await walk.browser.run("return document.getElementById('handle').value")
            #expect(field.string == trouble.typed)
            #expect(walk.log.count(.pushed) == 0)
            // The same again, or another one: from that page, and to where the person wanted to go.
            walk.host.repair()
            walk.hosts.first.didMembers.withLock { $0 = [:] }
            walk.server.clock.advance(by: 61)
            try await walk.enter(trouble == .nobody ? HostWalk.ann : nil)
            try await walk.finish("Sign-in methods")
        }
    }

    @Test(
        "handle pages, expired: who comes back after ten minutes begins again, and gets to where they wanted",
        .needs(.chromium)
    )
    func expired() async throws {
        try await HostWalk.run { walk in
            try await walk.walk.open("/mobile-auth?redirect=/account/ways")
            try await walk.enter(HostWalk.ann)
            try await walk.leave()
            walk.server.clock.advance(by: 601)
            try await walk.walk.open(try walk.callback())
            try await walk.page("Error: Enter your internet handle")
            #expect(try await walk.walk.says("This took too long"))
            #expect(walk.log.count(.token) == 0)
            try await walk.enter(HostWalk.ann)
            try await walk.finish("Sign-in methods")
        }
    }

    @Test(
        "handle pages, two servers: whose account is at another host is asked first, and signs in there",
        .needs(.chromium)
    )
    func elsewhere() async throws {
        try await HostWalk.run { walk in
            let (first, second) = (walk.hosts.first, walk.hosts.second)
            var moved = ATHostPerson.ann
            moved.movedTo = second.host.baseURL
            walk.host.setPeople([moved, .bob])
            try await walk.walk.open("/mobile-auth?redirect=/account/ways")
            try await walk.enter(first.host.baseURL)
            try await walk.leave()
            try await walk.allow(at: first)
            try await walk.page("Your account is at localhost")
            #expect(try await walk.walk.says(ATHostPerson.ann.did))
            #expect(try await walk.server.accounts().isEmpty)
            #expect(second.log.count(.pushed) == 0)
            try await walk.walk.press("continue")
            try await walk.isAt(second, "Sign in to localhost")
            try await walk.allow(at: second)
            try await walk.page("Sign-in methods")
            #expect(try await walk.server.accounts().count == 1)
        }
    }

    @Test(
        "handle pages, hand-off and late answer: an app gets a button, and what comes again says so",
        .needs(.chromium)
    )
    func answered() async throws {
        try await HostWalk.run { walk in
            try await walk.walk.open(
                "/login?handle=\(HostWalk.ann)&platform=mobile&app=notes&state=s1"
                    + "&redirect_uri=com.example.notes:/callback"
                    + "&code_challenge=\(CodeVerifier(random: .system).challenge.text)"
            )
            try await walk.isAt(walk.hosts.first, "Sign in to localhost")
            try await walk.allow(at: walk.hosts.first)
            // The hand-off: a browser opens an app at the person's wish only.
            try await walk.page("Return to Notes")
            let link = try await walk.browser.run(
                "return document.querySelector('a.button').getAttribute('href')"
            )
            #expect(link.string?.hasPrefix("com.example.notes:/callback?code=") == true)
            #expect(link.string?.contains("state=s1") == true)
            let asked = walk.log.count(.token)
            try await walk.walk.open(try walk.callback())
            try await walk.page("This sign-in is finished")
            #expect(try await walk.walk.says("It works only once."))
            #expect(walk.log.count(.token) == asked)
        }
    }

    @Test(
        "handle pages, a web app's window: without scripts it says that it can be closed, and leads on",
        .needs(.chromium)
    )
    func popup() async throws {
        try await HostWalk.run(scripts: false) { walk in
            try await walk.walk.open("/mobile-auth?pwa=true")
            try await walk.enter(HostWalk.ann)
            try await walk.finish()
            #expect(try await walk.walk.says("You can close this window"))
            #expect(try await walk.walk.path().hasPrefix("/oauth/callback?"))
            try await walk.walk.goOn()
            try await walk.page("You’re signed in")
            #expect(try await walk.walk.path() == "/dashboard")
        }
    }

    @Test(
        "decision 0064: an account without a DID is told so at the host, and another one signs in",
        .needs(.chromium)
    )
    func withoutDID() async throws {
        try await HostWalk.run { walk in
            try await walk.walk.open("/mobile-auth?redirect=/account/ways")
            try await walk.enter(walk.host.baseURL)
            try await walk.leave()
            try await walk.prove("bob")
            try await walk.isAt(walk.hosts.first, "Error: This account has no DID yet")
            #expect(walk.log.count(.token) == 0)
            try await walk.walk.press("switch")
            try await walk.isAt(walk.hosts.first, "Sign in to localhost")
            try await walk.allow(at: walk.hosts.first)
            try await walk.page("Sign-in methods")
            #expect(try await walk.server.accounts().count == 1)
        }
    }
}
