import HTTPTypes
import PorticoProtocol
import PorticoStandIns
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
        #expect(try await browser.address().hasPrefix(stage.host + "/"), sourceLocation: location)
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

/// A person with an internet handle at a real browser of 320 CSS pixels, and hosts that do what the test
/// says.
struct HostWalk: Sendable {
    let walk: Walk
    let server: RunningBackend
    let hosts: RunningHosts

    var browser: Browser { walk.browser }
    /// The person's host.
    var host: ATHost { hosts.first.host }
    var log: RequestLog<ATHostCall> { hosts.first.log }

    static let ann = ATHostPerson.ann.handle

    /// Runs `body` with servers and a browser of its own.
    ///
    /// - Parameter starts: How many sign-ins an address may begin in a minute.
    static func run(
        scripts: Bool = true,
        starts: Int = 1000,
        _ body: @escaping @Sendable (HostWalk) async throws -> Void
    ) async throws {
        try await RunningHosts.run { running in
            var limited = running
            limited.startsPerMinute = starts
            let hosts = limited
            try await RunningBackend.run(hosts: hosts) { server in
                try await Browser.use(scripts: scripts) { browser in
                    try await browser.look(width: 320, isDark: false)
                    let walk = Walk(browser: browser, origin: server.origin, scripts: scripts)
                    try await body(HostWalk(walk: walk, server: server, hosts: hosts))
                }
            }
        }
    }

    /// The page whose title begins so: one heading of the first rank, which the title says, too, and
    /// nothing to scroll to sideways.
    func page(_ title: String, location: SourceLocation = #_sourceLocation) async throws {
        try await walk.expect(title, location: location)
        let seen = try await browser.run(
            """
            const headings = [...document.querySelectorAll('h1')];
            const width = document.documentElement.scrollWidth;
            return [headings.length, width, headings[0].textContent.trim()].join(' ');
            """
        )
        let found = (seen.string ?? "").split(separator: " ", maxSplits: 2).map { String($0) }
        try #require(found.count == 3, sourceLocation: location)
        #expect(Array(found.prefix(2)) == ["1", "320"], sourceLocation: location)
        let isSaid = try await browser.title().contains(found[2])
        #expect(isSaid, "\(found[2])", sourceLocation: location)
    }

    // MARK: Steps

    /// From the page that asks for the handle to the name of the host.
    func enter(_ typed: String? = nil, location: SourceLocation = #_sourceLocation) async throws {
        if let typed { try await browser.type(typed, into: "#handle") }
        try await browser.click("button.button")
        try await page("Continue at localhost", location: location)
    }

    /// To the host, which asks who it is.
    func leave(location: SourceLocation = #_sourceLocation) async throws {
        try await walk.goOn()
        try await isAt(hosts.first, "Sign in to localhost", location: location)
    }

    func isAt(
        _ joined: JoinedHost,
        _ title: String,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        try await page(title, location: location)
        let address = try await browser.address()
        #expect(address.hasPrefix(joined.host.baseURL + "/"), sourceLocation: location)
    }

    /// Says who it is at a host.
    func prove(_ name: String = "alice") async throws {
        try await browser.signIn(name, TestRealm.passwords[name] ?? "")
    }

    /// Proves who it is, and says yes.
    func allow(at joined: JoinedHost, location: SourceLocation = #_sourceLocation) async throws {
        try await prove()
        try await isAt(joined, "Allow localhost to use", location: location)
        try await walk.press("allow")
    }

    /// From the name of the host to the end.
    func finish(
        _ title: String = "You’re signed in",
        location: SourceLocation = #_sourceLocation
    ) async throws {
        try await leave(location: location)
        try await allow(at: hosts.first, location: location)
        try await page(title, location: location)
    }

    // MARK: What was asked

    /// What the browser gets that asks us for the person's record at the host: status and handle.
    func record() async throws -> String {
        // Of the test, and so not of the page's policy.
        try await browser.command("Page.setBypassCSP", ["enabled": true])
        try await walk.open("/dashboard")
        let answer = try await browser.runAsynchronously(
            """
            const done = arguments[arguments.length - 1];
            fetch('/xrpc/com.atproto.server.getSession', {headers: {'X-Portico': '1'}})
                .then(async answer => done(answer.status + ' ' + (await answer.json()).handle))
                .catch(error => done(String(error)));
            """
        )
        return answer.string ?? ""
    }

    /// The refresh tokens that the host was sent.
    var refreshTokens: [String] {
        log.requests(to: .token).compactMap { $0.form["refresh_token"] }
    }

    /// Where the host sends the browser back to, without a code that is one.
    func callback() throws -> String {
        let pushed = log.requests(to: .pushed).last
        let state = try #require(pushed?.form["state"])
        return FormEncoding.appending(
            [
                (name: "state", value: state),
                (name: "iss", value: host.baseURL), (name: "code", value: "none"),
            ],
            to: "/oauth/callback"
        )
    }
}
