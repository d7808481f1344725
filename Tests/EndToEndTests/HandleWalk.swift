import HTTPTypes
import PorticoProtocol
import PorticoTestSupport
import Testing

/// A person with an internet handle at a real browser: pages of ours, and of the demo's host, which is
/// another site.
struct HandleWalk: Sendable {
    let stage: Stage
    let browser: Browser

    static let ann = "ann.handles.test"
    static let bob = "bob.handles.test"

    /// Runs `body` with a stage and a browser of its own.
    static func run(_ scripts: Bool = true, _ body: (HandleWalk) async throws -> Void) async throws
    {
        try await Stage.run { stage in
            try await Browser.use(scripts: scripts) { browser in
                try await body(HandleWalk(stage: stage, browser: browser))
            }
        }
    }

    /// The page whose title begins so.
    func expect(_ title: String, location: SourceLocation = #_sourceLocation) async throws {
        do {
            try await browser.waitForTitle { $0.hasPrefix(title) }
        } catch {
            let page = try await browser.text("body")
            Issue.record("no page “\(title)”, but: \(page)", sourceLocation: location)
            throw error
        }
    }

    // MARK: Steps

    /// Opens the page that asks for the handle: bare, it would be for the demo's app.
    func open(_ query: String = "?return_to=/dashboard") async throws {
        try await browser.open(stage.origin + "/mobile-auth" + query)
        try await expect("Enter your internet handle")
    }

    /// From that page to the host's own.
    func enter(_ typed: String) async throws {
        try await browser.type(typed, into: "#handle")
        try await browser.click("button.button")
        try await leave()
    }

    /// From the name of the host to the host.
    func leave() async throws {
        try await expect("Continue at localhost")
        try await browser.click("a.button")
        try await atHost("Sign in to localhost")
    }

    /// A page of the host's.
    func atHost(_ title: String, location: SourceLocation = #_sourceLocation) async throws {
        try await expect(title, location: location)
        #expect(
            try await browser.address().hasPrefix(stage.host + "/"),
            sourceLocation: location
        )
    }

    /// Proves who it is at the host, which asks whether we may.
    func prove(_ handle: String) async throws {
        try await browser.signIn(handle, try await stage.password(of: handle))
        try await atHost("Allow localhost to use")
    }

    func allow() async throws {
        try await browser.click("button[value=allow]")
        try await expect("You’re signed in")
        #expect(try await browser.address() == stage.origin + "/dashboard")
    }

    /// All of it.
    ///
    /// - Parameter typed: If it is not the handle.
    func signIn(_ handle: String, typing typed: String? = nil) async throws {
        try await open()
        try await enter(typed ?? handle)
        try await prove(handle)
        try await allow()
    }

    func signOut() async throws {
        try await browser.open(stage.origin + "/logout")
        try await browser.click("button[value=here]")
        try await expect("You’re signed out")
    }

    // MARK: The session

    /// The value of the cookie `sid`; `nil` without it. A page of ours must be open.
    func seal() async throws -> String? {
        try await browser.cookies().first { $0.string("name") == "sid" }?.string("value")
    }

    func session(_ seal: String?) async throws -> Reply {
        try await stage.get(
            stage.origin + "/api/auth/session",
            headers: [.cookie: "sid=\(seal ?? "")"]
        )
    }

    /// What the person's host says of them, as an app asks by us.
    func atHost(_ seal: String?) async throws -> Reply {
        var fields: HTTPFields = [.cookie: "sid=\(seal ?? "")"]
        if let name = HTTPField.Name("X-Portico") { fields[name] = "1" }
        return try await stage.get(
            stage.origin + "/xrpc/com.atproto.server.getSession",
            headers: fields
        )
    }

    /// In this browser.
    func expectSession(of handle: String, location: SourceLocation = #_sourceLocation)
        async throws
    {
        let seal = try await seal()
        let session = try await session(seal)
        #expect(session.json.string("handle") == handle, sourceLocation: location)
        let answer = try await atHost(seal)
        #expect(answer.status == 200, sourceLocation: location)
        #expect(answer.json.string("handle") == handle, sourceLocation: location)
    }
}
