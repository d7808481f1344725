import PorticoProtocol
import PorticoTestSupport
import Testing

/// Signing in by internet handle with nothing of ours left out: `portico serve --demo`, its host, whose
/// authorization server is a realm of ours, and a real Chromium between them.
@Suite("End to end: signing in by internet handle", .serialized)
struct HandleWalkTests {
    @Test(
        "ATP-AR-1, ATP-CB-1: by handle, with scripts and without",
        .needs(.chromium),
        arguments: Scripts.onAndOff
    )
    func byHandle(scripts: Bool) async throws {
        try await HandleWalk.run(scripts) { walk in
            try await walk.signIn(HandleWalk.ann, typing: " @Ann.Handles.Test")
            try await walk.expectSession(of: HandleWalk.ann)
        }
    }

    @Test("A wrong password is said to be one, and costs nothing else", .needs(.chromium))
    func wrongPassword() async throws {
        try await HandleWalk.run { walk in
            try await walk.open()
            try await walk.enter(HandleWalk.ann)
            try await walk.browser.signIn(HandleWalk.ann, "not the password")
            try await walk.atHost("Error: Sign in to localhost")
            try await walk.prove(HandleWalk.ann)
            try await walk.allow()
            try await walk.expectSession(of: HandleWalk.ann)
        }
    }

    @Test("No one but whom the handle names finishes the sign-in", .needs(.chromium))
    func another() async throws {
        try await HandleWalk.run { walk in
            try await walk.open()
            try await walk.enter(HandleWalk.ann)
            let password = try await walk.stage.password(of: HandleWalk.bob)
            try await walk.browser.signIn(HandleWalk.bob, password)
            try await walk.expect("Error: Enter your internet handle")
            let said = try await walk.browser.text("main")
            #expect(said.contains("You signed in with a different account from"))
            try await walk.browser.open(walk.stage.origin + "/dashboard")
            #expect(try await walk.seal() == nil)
        }
    }

    @Test(
        "Two tabs finish, each its own sign-in, and the back button undoes none",
        .needs(.chromium)
    )
    func tabs() async throws {
        try await HandleWalk.run { walk in
            let first = try await walk.browser.tab()
            try await walk.open("?redirect=/account/ways")
            try await walk.enter(HandleWalk.ann)
            let second = try await walk.browser.openTab()
            try await walk.open()
            try await walk.enter(HandleWalk.ann)
            try await walk.prove(HandleWalk.ann)
            try await walk.allow()
            let seal = try await walk.seal()
            try await walk.browser.show(first)
            // The host's form is of before the sign-in in the other tab, and counts beside it.
            let password = try await walk.stage.password(of: HandleWalk.ann)
            try await walk.browser.signIn(HandleWalk.ann, password)
            try await walk.atHost("Allow localhost to use")
            try await walk.browser.click("button[value=allow]")
            try await walk.expect("Sign-in methods")
            try await walk.expectSession(of: HandleWalk.ann)
            // The question that was answered, once more.
            try await walk.browser.goBack()
            try await walk.browser.show(second)
            try await walk.browser.goBack()
            try await walk.browser.open(walk.stage.origin + "/dashboard")
            try await walk.expect("You’re signed in")
            try await walk.expectSession(of: HandleWalk.ann)
            #expect(seal != nil)
        }
    }

    @Test(
        "ATP-UI-2: at the host people see where they are signed in, and end it",
        .needs(.chromium)
    )
    func endedAtHost() async throws {
        try await HandleWalk.run { walk in
            try await walk.signIn(HandleWalk.ann)
            let page = walk.stage.host + "/realms/handles/account/apps"
            try await walk.browser.open(page)
            try await walk.expect("Connected apps")
            #expect(try await walk.browser.text("main").contains("localhost"))
            try await walk.browser.click("button[value=remove]")
            try await waitUntil("an empty list") {
                try await !walk.browser.source().contains("value=\"remove\"")
            }
            // The next sign-in asks again.
            try await walk.signOut()
            try await walk.open()
            try await walk.browser.type(HandleWalk.ann, into: "#handle")
            try await walk.browser.click("button.button")
            try await walk.expect("Continue at localhost")
            try await walk.browser.click("a.button")
            try await walk.atHost("Allow localhost to use")
            try await walk.allow()
            try await walk.expectSession(of: HandleWalk.ann)
        }
    }
}
