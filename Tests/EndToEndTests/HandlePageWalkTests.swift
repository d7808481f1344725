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

/// What few people meet who sign in by handle, in a real Chromium.
@Suite("End to end: rare pages of signing in by internet handle", .serialized)
struct HandleRareWalkTests {
    @Test(
        "SEED-TIJS-6: a web app that opens a window is told of the sign-in at another site, and the window closes",
        .needs(.chromium)
    )
    func popup() async throws {
        try await HostWalk.run { walk in
            // An app's page at our origin, which has no policy against windows of its own, is here the page
            // itself: it keeps its opener.
            try await walk.walk.open("/mobile-auth?pwa=true")
            try await walk.page("Enter your internet handle")
            let app = try await walk.browser.tab()
            try await walk.browser.run(
                """
                window.told = [];
                addEventListener('message', event =>
                    told.push([event.origin, JSON.stringify(event.data)]));
                window.popup = open('/mobile-auth?pwa=true', 'sign-in', 'width=400,height=600');
                """
            )
            let window = try #require(try await walk.browser.otherTab())
            try await walk.browser.show(window)
            try await walk.browser.look(width: 320, isDark: false)
            try await walk.enter(HostWalk.ann)
            try await walk.leave()
            try await walk.allow(at: walk.hosts.first)
            try await waitUntil("the window closes") {
                try await walk.browser.otherTab(than: app) == nil
            }
            try await walk.browser.show(app)
            let told = try await walk.browser.run("return window.told")
            let messages = (told.array ?? []).map { $0.strings ?? [] }
            #expect(messages.map(\.first) == [walk.server.origin])
            let text = try #require(messages.first?.last)
            let result = try JSONObject(parsing: Array(text.utf8))
            #expect(result.string("type") == "oauth-callback" && result.bool("success") == true)
            #expect(result.string("did") == ATHostPerson.ann.did)
            #expect(result.string("handle") == HostWalk.ann)
            let kept = try await walk.browser.run("return localStorage['pwa-oauth-result']")
            #expect(kept.string == text)
            try await walk.walk.open("/dashboard")
            try await walk.page("You’re signed in")
        }
    }
}
