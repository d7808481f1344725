import PorticoProtocol
import PorticoStandIns
import PorticoTestSupport
import Testing

/// What few people meet who sign in by handle, in a real Chromium.
@Suite("End to end: rare pages of signing in by internet handle", .serialized)
struct HandleRareWalkTests {
    @Test(
        "handle pages: what cannot be read is said, and what may be meant is a button, never sent by itself",
        .needs(.chromium)
    )
    func mistyped() async throws {
        try await HostWalk.run { walk in
            try await walk.walk.open("/mobile-auth?redirect=/account/ways")
            try await walk.page("Enter your internet handle")
            try await walk.browser.type("what is it?", into: "#handle")
            try await walk.browser.click("button.button")
            try await walk.page("Error: Enter your internet handle")
            #expect(try await walk.walk.says("We can’t read that handle"))
            #expect(walk.log.count(.directory) == 0)
            try await walk.browser.type("ann@\(ATHost.domain)", into: "#handle")
            try await walk.browser.click("button.button")
            try await walk.page("Did you mean ann.\(ATHost.domain)?")
            #expect(walk.log.count(.directory) == 0)
            try await walk.walk.press(HostWalk.ann)
            try await walk.page("Continue at localhost")
            try await walk.finish("Sign-in methods")
        }
    }

    @Test(
        "handle pages: who begins too often is told how long to wait, and what was typed stays",
        .needs(.chromium)
    )
    func tooMany() async throws {
        try await HostWalk.run(starts: 5) { walk in
            try await walk.walk.open("/mobile-auth?redirect=/account/ways")
            for _ in 1...5 {
                try await walk.enter(HostWalk.ann)
                try await walk.browser.goBack()
                try await walk.page("Enter your internet handle")
            }
            try await walk.browser.type(HostWalk.ann, into: "#handle")
            try await walk.browser.click("button.button")
            try await walk.page("Error: Enter your internet handle")
            #expect(try await walk.walk.says("Too many tries"))
            let field = try await walk.browser.run("return document.getElementById('handle').value")
            #expect(field.string == HostWalk.ann)
            walk.server.clock.advance(by: 61)
            try await walk.enter()
            try await walk.finish("Sign-in methods")
        }
    }

    @Test(
        "handle pages, not finished: a host that ends it of itself is no refusal, and the person begins again",
        .needs(.chromium),
        arguments: ["access_denied", "server_error"]
    )
    func notFinished(_ error: String) async throws {
        try await HostWalk.run { walk in
            try await walk.walk.open("/mobile-auth?redirect=/account/ways")
            try await walk.enter(HostWalk.ann)
            try await walk.leave()
            let answer = try walk.callback().replacing("code=none", with: "error=\(error)")
            try await walk.walk.open(answer)
            try await walk.page("Error: Enter your internet handle")
            #expect(try await walk.walk.says("Sign-in wasn’t finished"))
            #expect(try await walk.server.accounts().isEmpty)
            try await walk.enter(HostWalk.ann)
            try await walk.finish("Sign-in methods")
        }
    }

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
