import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("Tokens of a session by handle, in two processes") struct HandleProcessTests {
    @Test("ATP-TL-4, attack G20: 50 callers of two processes make one refresh, 20 times")
    func processes() async throws {
        let scene = try HandleScene(TestDatabase.inFile())
        let session = try await scene.signedIn(accessLives: 0)
        let database = try #require(scene.database.file)
        let place = MeetingPlace(
            folder: URL(filePath: database).deletingLastPathComponent().path,
            session: session.sessionID,
            seconds: scene.clock.seconds
        )
        setenv(MeetingPlace.variable, place.text, 1)
        async let other: Void = Self.otherProcess()
        let got = try await place.callers(as: "parent", scene.handles)
        await other
        // What each of the 50 has got, round by round.
        let rounds = 2...(MeetingPlace.rounds + 1)
        let right = rounds.map { Array(repeating: "A\($0)", count: MeetingPlace.callers) }
        #expect(got == right)
        #expect(try place.said(by: "child") == right)
        let once = (1...MeetingPlace.rounds).map { "R\($0)" }
        #expect(try place.sent() == once)
        // The folder goes with it.
        withExtendedLifetime(scene) {}
    }

    private static func otherProcess() async {
        await #expect(processExitsWith: .success) {
            let place = try MeetingPlace.ofEnvironment()
            let handles = HandleSessionStore(try SQLiteDatabase(file: place.database))
            let got = try await place.callers(as: "child", handles)
            try place.say(got, as: "child")
        }
    }
}

/// A folder that two processes share: the database, and beside it what the host is sent, and who is ready.
private struct MeetingPlace: Sendable {
    static let variable = "TEST_HANDLE_PROCESSES"
    static let rounds = 20
    /// Of each process.
    static let callers = 25

    let folder: String
    let session: String
    /// The time at the beginning.
    let seconds: Int64
    let clock: StoppedClock

    init(folder: String, session: String, seconds: Int64) {
        self.folder = folder
        self.session = session
        self.seconds = seconds
        clock = StoppedClock(at: Double(seconds))
    }

    var text: String { "\(folder)|\(session)|\(seconds)" }

    static func ofEnvironment() throws -> MeetingPlace {
        let text = ProcessInfo.processInfo.environment[variable] ?? ""
        let parts = text.split(separator: "|").map { String($0) }
        try #require(parts.count == 3)
        let seconds = Int64(parts[2])
        return MeetingPlace(
            folder: parts[0],
            session: parts[1],
            seconds: try #require(seconds)
        )
    }

    var database: String { folder + "/portico.sqlite" }

    /// All rounds of one process, whose callers begin when those of the other do.
    ///
    /// - Returns: The access tokens that they got, round by round.
    func callers(as name: String, _ handles: HandleSessionStore) async throws -> [[String]] {
        let tokens = HandleTokens(
            handles: handles,
            vault: HandleTokenVault(ring: HandleScene.ring),
            servers: WritingHost(file: folder + "/sent"),
            clock: Clock { [clock] in clock.now }
        )
        var got: [[String]] = []
        for round in 1...Self.rounds {
            let live = try await handles.live(session, at: clock.seconds)
            let held = try #require(live).handle
            try await meet(as: name, round)
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask {
                        let refused = SecretText("A\(round)")
                        return try await tokens.tokens(for: held, refused: refused)
                            .access.reveal()
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            got.append(answers)
            clock.advance(by: 30)
        }
        return got
    }

    /// Waits until the other process is as far, for at most a minute.
    private func meet(as name: String, _ round: Int) async throws {
        let other = name == "child" ? "parent" : "child"
        try Data().write(to: URL(filePath: "\(folder)/\(name)-\(round)"))
        for _ in 0..<30_000 {
            if FileManager.default.fileExists(atPath: "\(folder)/\(other)-\(round)") { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw Alone()
    }

    struct Alone: Error {}

    func say(_ got: [[String]], as name: String) throws {
        try JSONEncoder().encode(got).write(to: URL(filePath: "\(folder)/\(name)"))
    }

    func said(by name: String) throws -> [[String]] {
        let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        return try JSONDecoder().decode([[String]].self, from: data)
    }

    /// Every refresh token that the host was sent.
    func sent() throws -> [String] {
        try String(contentsOfFile: folder + "/sent", encoding: .utf8)
            .split(separator: "\n").map { String($0) }
    }
}

/// One host for several processes: it writes down every refresh token that it is sent, and takes each once,
/// `R1` for `A2` and `R2`, and so on.
private struct WritingHost: HandleTokenServers, HandleTokenServer {
    let file: String

    func server(of session: HandleSession) async throws(HandleServerFailure)
        -> any HandleTokenServer
    {
        self
    }

    func refresh(_ token: SecretText, with key: DPoPKey) async throws(HandleRefreshFailure)
        -> RefreshedTokens
    {
        // Long enough for others to come.
        try? await Task.sleep(for: .milliseconds(5))
        let line = Array((token.reveal() + "\n").utf8)
        let opened = open(file, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        guard opened >= 0 else { throw .failed(isUnspent: true) }
        defer { close(opened) }
        guard write(opened, line, line.count) == line.count else { throw .failed(isUnspent: true) }
        let sent = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let generation = sent.split(separator: "\n").count
        guard token.reveal() == "R\(generation)" else { throw .invalidGrant }
        return RefreshedTokens(
            access: SecretText("A\(generation + 1)"),
            refresh: SecretText("R\(generation + 1)"),
            expiresIn: 900,
            scope: "atproto"
        )
    }

    func revoke(_ token: SecretText, with key: DPoPKey) async -> Bool { false }
}

/// Proving again who one is, for people who have nothing but an internet handle.
@Suite struct HandleProofTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest.withHandles()
        visitor = TestVisitor(server)
    }

    /// Ann, who signed in by handle more than ten minutes ago, and nothing else.
    private func ann(_ query: [(name: String, value: String)] = []) async throws -> TestVisitor {
        let visitor = TestVisitor(server)
        _ = try await visitor.byHandle(.ann, query)
        server.clock.advance(by: 601)
        return visitor
    }

    /// Presses "Internet handle", and goes on at the host that the next page names, where `person`
    /// says yes.
    private func prove(
        _ visitor: TestVisitor,
        on page: TestVisitor.Visited,
        as person: TestHosts.Person = .ann
    ) async throws -> TestVisitor.Visited {
        server.hosts.forgetRequests()
        let shown = try await visitor.press(("way", "atproto"), on: page)
        #expect(shown.reply.status == 200)
        #expect(shown.reply.text.contains("pds.example.com"))
        let path = try shown.reply.loginLink()
        let begun = try await visitor.request(path, from: shown.url)
        #expect(begun.status == 302)
        // For the account's own DID, and by a new sign-in.
        let pushed = try #require(server.hosts.asked.last { $0.path == "/oauth/par" })
        #expect(pushed.form["login_hint"] == TestHosts.Person.ann.did)
        #expect(pushed.form["prompt"] == "login")
        let answer = try server.hosts.approve(begun.location, as: person)
        return try await visitor.open(answer)
    }

    @Test("WEB-SESS-8: ten minutes later an account by handle can be deleted after a new sign-in")
    func deleting() async throws {
        let visitor = try await ann()
        let page = try await visitor.open("/account/delete")
        let asked = try await visitor.press("delete", on: page, [("sure", "1")])
        #expect(asked.path.hasPrefix("/account/confirm?for=deleting"))
        #expect(try await server.accounts().count == 1)
        let before = try #require(visitor.cookies["__Host-session"])
        let back = try await prove(visitor, on: asked)
        #expect(back.path == "/account/delete")
        #expect(visitor.cookies["__Host-session"] != before)
        #expect(try await server.accounts().count == 1)
        _ = try await visitor.press("delete", on: back, [("sure", "1")])
        #expect(try await server.accounts().isEmpty)
    }

    @Test("WEB-SESS-8: the same for another way to sign in, and for an address")
    func adding() async throws {
        let visitor = try await ann()
        let details = try await visitor.open("/account/details")
        let typed = [("name", "Ann"), ("email", "ann@example.net")]
        let address = try await visitor.press("save", on: details, typed)
        #expect(address.path.hasPrefix("/account/confirm?for=changing-email"))
        let buttons = HTMLForm.all(in: address.reply.text).flatMap(\.buttons)
        #expect(buttons.contains { $0.name == "way" && $0.value == "atproto" })
        let ways = try await visitor.open("/account/ways")
        let asked = try await visitor.press(("way", "google"), on: ways)
        #expect(asked.path.hasPrefix("/account/confirm?for=adding"))
        let back = try await prove(visitor, on: asked)
        #expect(back.path == "/account/ways")
        let google = try await visitor.press(("way", "google"), on: back)
        _ = try await visitor.choose(.ben, at: google, "google")
        #expect(try await server.user(of: visitor).strings("providers") == ["atproto", "google"])
    }

    @Test(
        "The session that proves it lasts as long as the one before was to",
        arguments: [true, false]
    )
    func lasting(_ isRemembered: Bool) async throws {
        let visitor = try await ann(isRemembered ? [] : [("platform", "web")])
        let asked = try await visitor.open("/account/confirm?for=adding&return_to=/account/ways")
        _ = try await prove(visitor, on: asked)
        let seal = try #require(visitor.cookies["sid"])
        let session = try #require(try await server.handleSession(ofSeal: seal)).live.session
        #expect(session.idleSeconds == (isRemembered ? SidCookie.lifetime : SessionCookies.plain))
    }

    @Test("WEB-SESS-8: who signs in there as somebody else proves nothing, and the session stays")
    func otherPerson() async throws {
        let visitor = try await ann()
        let asked = try await visitor.open(
            "/account/confirm?for=deleting&return_to=/account/delete"
        )
        let back = try await prove(visitor, on: asked, as: .cat)
        #expect(back.path.hasPrefix("/oauth/callback"))
        #expect(try await server.user(of: visitor).string("name") == "ann.example.com")
        let page = try await visitor.open("/account/delete")
        let again = try await visitor.press("delete", on: page, [("sure", "1")])
        #expect(again.path.hasPrefix("/account/confirm?for=deleting"))
        #expect(try await server.accounts().count == 1)
    }

    @Test("WEB-SESS-8: where the account has an address a code proves it, and a handle does not")
    func address() async throws {
        _ = try await visitor.byHandle(.ann)
        try await add("ann@example.net", visitor)
        server.clock.advance(by: 601)
        let asked = try await visitor.open("/account/confirm?for=adding&return_to=/account/ways")
        let buttons = HTMLForm.all(in: asked.reply.text).flatMap(\.buttons)
        #expect(!buttons.contains { $0.name == "way" })
        #expect(try await visitor.proveByCode(asked).path == "/account/ways")
    }

    @Test("Decision 0030: an account found by its address leads to the page for handles")
    func found() async throws {
        let owner = TestVisitor(server)
        _ = try await owner.byHandle(.ann)
        try await add("ben@example.org", owner)
        let found = try await visitor.signIn("google", as: .ben)
        #expect(found.path == "/login/account")
        let page = try await visitor.press(("way", "atproto"), on: found)
        #expect(page.path.hasPrefix("/mobile-auth?"))
        // Whose account it is, is not told to who only has the address.
        #expect(!page.reply.text.contains("ann.example.com"))
        #expect(!page.reply.text.contains(TestHosts.Person.ann.did))
    }

    /// Adds a confirmed address to the account.
    private func add(_ address: String, _ visitor: TestVisitor) async throws {
        let asked = try await visitor.program(.post, "/v1/account/email", [("email", address)])
        #expect(asked.status == 200)
        let code = try #require(try await server.mailedCode())
        let path = "/v1/account/email/confirm"
        let done = try await visitor.program(.post, path, [("code", code)])
        #expect(done.status == 200)
    }
}

/// What answers at `/oauth/callback` do to their attempt, and what apps and people are told.
@Suite struct HandleAnswerTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest.withHandles()
        visitor = TestVisitor(server)
    }

    @Test(
        "ATP-CB-1, RFC 9207 §2.4: a refusal with iss missing or another is none: no app is told",
        arguments: [
            nil, "https://other.example.com", "https://pds.example.com/",
            "https://PDS.example.com", "",
        ] as [String?]
    )
    func issuerOfRefusal(_ issuer: String?) async throws {
        let app = TestApp()
        let begun = try await visitor.begin("ann.example.com", app.start)
        let wrong = try server.hosts.refuse(begun.location, changing: ["iss": issuer])
        let reply = try await visitor.request(wrong)
        #expect(reply.status == 403)
        #expect(reply.location == nil)
        // The attempt is as it was.
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(back.location?.hasPrefix(app.redirectURI) == true)
        #expect(back.redirected["code"] != nil)
    }

    @Test("/oauth/callback: a HEAD request spends nothing")
    func head() async throws {
        let good = try await visitor.approved("ann.example.com")
        #expect(try await visitor.request(good, .head).status == 405)
        #expect(!server.hosts.asked.contains { $0.path == "/oauth/token" })
        #expect(try await visitor.request(good).location == "/dashboard")
    }

    @Test(
        "A code that the server does not take: not finished, and the app waits for the person",
        arguments: [true, false]
    )
    func spentCode(_ isApp: Bool) async throws {
        let begun = try await visitor.begin("ann.example.com", isApp ? TestApp().start : [])
        let path = try server.hosts.approve(begun.location, as: .ann, changing: ["code": "none"])
        let reply = try await visitor.request(path)
        #expect(server.hosts.asked.last?.form["code"] == "none")
        #expect(reply.status == 403)
        #expect(reply.location == nil)
        #expect(reply.text.contains("Sign-in wasn’t finished"))
    }

    @Test(
        "RFC 6749 §4.1.2.1: an app gets one error for a host that fails, another for one of no use",
        arguments: [
            (TestHosts.Fault.serverError, "temporarily_unavailable"), (.bearer, "server_error"),
        ]
    )
    func toldToApp(_ fault: TestHosts.Fault, _ error: String) async throws {
        let app = TestApp()
        let path = try await visitor.approved("ann.example.com", app.start)
        server.hosts.set(fault)
        let reply = try await visitor.request(path)
        #expect(reply.location?.hasPrefix(app.redirectURI) == true)
        #expect(reply.redirected["error"] == error)
        #expect(reply.redirected["state"] == app.state)
    }

    @Test("Decision 0062: where sign-up is closed no account is made, and tokens are taken back")
    func signUpClosed() async throws {
        let server = try await BackendUnderTest(
            rules: AccountRules(isSignUpOpen: false),
            handles: [:]
        )
        let visitor = TestVisitor(server)
        let reply = try await visitor.byHandle()
        #expect(reply.redirected["error"] == "sign_up_closed")
        #expect(!visitor.cookies.keys.contains("sid"))
        #expect(try await server.accounts().isEmpty)
        #expect(try await server.revoked(1).count == 1)
    }

    @Test("Decision 0062: two processes that redeem a code each for one attempt begin one session")
    func twoProcesses() async throws {
        let begun = try await visitor.begin("ann.example.com")
        let cookies = visitor.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let first = try server.hosts.approve(begun.location, as: .ann)
        let second = try server.hosts.approve(begun.location, as: .ann)
        #expect(try await visitor.request(first).location == "/dashboard")
        // What the browser had when it asked.
        var fields: HTTPFields = [.cookie: cookies, .accept: "text/html"]
        fields[.known("X-Forwarded-For")] = visitor.address
        fields[.known("X-Forwarded-Proto")] = "https"
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: BackendUnderTest.host,
            path: second,
            headerFields: fields
        )
        let reply = try await otherProcess().send(request)
        #expect(server.hosts.asked.filter { $0.isGrant("authorization_code") }.count == 2)
        #expect(!reply.headers[values: .setCookie].contains { $0.hasPrefix("sid=") })
        try #require(reply.redirected["error"] == "invalid_state")
        #expect(try server.accountSessions() == 1)
        #expect(try await server.revoked(1).count == 1)
    }

    /// The same backend on the same database, with a memory of its own.
    private func otherProcess() throws -> InProcessServer {
        let (first, log) = (server.backend.signIn, WrittenLog(server.clock))
        let signIn = SignIn(
            directory: first.directory,
            accounts: first.accounts,
            sessions: first.sessions,
            people: first.apps.people,
            realms: first.apps.realms,
            handles: first.handles,
            ring: first.ring,
            clock: first.clock,
            activity: first.activity,
            logger: log.logger,
            pages: first.pages,
            publicURL: first.publicURL,
            identity: first.identity
        )
        let other = Backend(signIn, transport: server.backend.transport)
        let headers = SecurityHeaders(first.publicURL)
        let pipeline = RequestPipeline(
            guarding: HostGuard([first.publicURL]),
            proxies: TrustedProxies([NetworkRange("10.0.0.0/8")].compactMap(\.self)),
            headers: headers,
            log: log.access,
            clock: first.clock,
            services: [try other.service],
            notFound: { _ in Response(empty: .notFound, headers: headers) }
        )
        return InProcessServer(pipeline)
    }
}
