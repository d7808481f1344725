import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// Two cookies can each name a session. A browser is one person's, or nobody's (docs/decisions/0091).
@Suite("Whose is this browser?") struct WhoseBrowserTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest.withHandles()
        visitor = TestVisitor(server)
    }

    private static let ours = "https://\(BackendUnderTest.host)/"

    /// A seal of somebody's session: of an app, or of a browser.
    private func seal(of person: TestHosts.Person, ofApp isApp: Bool) async throws -> String {
        let elsewhere = TestVisitor(server, from: "198.51.100.9")
        guard isApp else {
            _ = try await elsewhere.byHandle(person)
            return try #require(elsewhere.cookies["sid"])
        }
        let back = try await elsewhere.byHandle(person, [("mobile", "true"), ("app", "moved")])
        return try #require(back.redirected["session_token"])
    }

    private func handleSession(_ visitor: TestVisitor) async throws -> Reply {
        try await visitor.request("/api/auth/session", .get, [], from: Self.ours)
    }

    @Test(
        "decision 0091: a sign-in ends the session that sid opens, by whichever way, and removes the cookie",
        arguments: [true, false],
        ["google", "handle"]
    )
    func replaces(isApp: Bool, way: String) async throws {
        let planted = try await seal(of: .bob, ofApp: isApp)
        visitor.cookies["sid"] = planted
        if way == "google" {
            _ = try await visitor.signIn("google", as: .ann)
            #expect(visitor.cookies["sid"] == nil)
        } else {
            _ = try await visitor.byHandle(.ann)
            #expect(visitor.cookies["sid"] != planted)
            #expect(try await handleSession(visitor).json.string("did") == TestHosts.Person.ann.did)
        }
        // It is over, not only forgotten here.
        #expect(try await server.handleSession(ofSeal: planted) == nil)
        #expect(try await visitor.session().status == 200)
        try await server.backend.revokeHandleTokens()
        #expect(server.hosts.revoked.count == 1)
    }

    @Test("decision 0091: a person's own app stays signed in where they sign in with a browser")
    func ownApp() async throws {
        let own = try await seal(of: .ann, ofApp: true)
        visitor.cookies["sid"] = own
        _ = try await visitor.byHandle(.ann)
        #expect(visitor.cookies["sid"] != own)
        #expect(try await server.handleSession(ofSeal: own) != nil)
    }

    @Test(
        "decision 0091: a request with two people's sessions is refused by every address, and cured",
        arguments: [
            "/api/auth/session", "/mobile/refresh-token", "/v1/auth/session", "/v1/account",
            "/v1/account/sessions", "/xrpc/com.atproto.server.getSession",
        ],
        [true, false]
    )
    func twoPeople(_ path: String, isApp: Bool) async throws {
        let planted = try await seal(of: .bob, ofApp: isApp)
        _ = try await visitor.signIn("google", as: .ann)
        visitor.cookies["sid"] = planted
        var fields: HTTPFields = [.accept: "application/json"]
        fields[.portico] = "1"
        let refused = try await visitor.request(path, .get, [], from: Self.ours, fields)
        #expect(refused.status == 401)
        #expect(refused.json.string("reason") == "INVALID_COOKIE")
        #expect(!refused.text.contains(TestHosts.Person.bob.did))
        #expect(!refused.text.contains("ann"))
        #expect(refused.sid == "" && visitor.cookies["sid"] == nil)
        #expect(try await server.handleSession(ofSeal: planted) == nil)
        #expect(server.hosts.asked.allSatisfy { !$0.path.hasPrefix("/xrpc/") })
        // Cured: the browser is the one person's, also where the cookie comes back.
        visitor.cookies["sid"] = planted
        let user = try await server.user(of: visitor)
        #expect(user.string("name")?.isEmpty == false)
        #expect(try await visitor.session().status == 200)
    }

    @Test("decision 0091: a page that two people's cookies open leads to who is signed in")
    func page() async throws {
        let planted = try await seal(of: .bob, ofApp: true)
        _ = try await visitor.signIn("google", as: .ann)
        visitor.cookies["sid"] = planted
        let refused = try await visitor.request("/account/devices", from: Self.ours)
        #expect(refused.status == 303)
        #expect(refused.location?.hasPrefix("/login?return_to=") == true)
        #expect(visitor.cookies["sid"] == nil)
        #expect(try await visitor.request("/account/devices", from: Self.ours).status == 200)
    }

    /// How a browser's person signs out.
    enum Way: String, CaseIterable {
        case page, everywhere, program, programEverywhere, handles, device, list
    }

    private func signOut(_ visitor: TestVisitor, _ way: Way) async throws {
        switch way {
        case .page, .everywhere:
            let page = try await visitor.open("/logout", from: Self.ours)
            let action = way == .page ? "sign-out" : "everywhere"
            let end = try await visitor.submit(page, to: "/logout", [("action", action)])
            #expect(end.reply.status == 200)
        case .program: _ = try await visitor.program(.post, "/v1/auth/logout")
        case .programEverywhere:
            _ = try await visitor.program(.post, "/v1/auth/logout?everywhere=true")
        case .handles: _ = try await visitor.program(.post, "/api/auth/logout")
        case .device:
            let page = try await visitor.open("/account/devices", from: Self.ours)
            let id = try await visitor.session().json.object("session")?.string("id") ?? ""
            _ = try await visitor.submit(page, to: "/account/devices", [("id", id)])
        case .list:
            let id = try await visitor.session().json.object("session")?.string("id") ?? ""
            _ = try await visitor.program(.delete, "/v1/account/sessions/\(id)")
        }
    }

    @Test(
        "decision 0091: every sign-out ends all that the browser has, of whichever person",
        arguments: Way.allCases
    )
    func signsOut(_ way: Way) async throws {
        let left: String
        switch way {
        case .device, .list:
            // Of one person: the page of a second is not shown. Another device has a form there.
            _ = try await TestVisitor(server).byHandle(.ann)
            _ = try await visitor.byHandle(.ann)
            left = try #require(visitor.cookies["sid"])
        default:
            left = try await seal(of: .bob, ofApp: true)
            _ = try await visitor.signIn("google", as: .ann)
            visitor.cookies["sid"] = left
        }
        let cookie = try #require(visitor.cookies["__Host-session"])
        try await signOut(visitor, way)
        #expect(visitor.cookies["sid"] == nil && visitor.cookies["__Host-session"] == nil)
        #expect(try await server.handleSession(ofSeal: left) == nil)
        visitor.cookies["__Host-session"] = cookie
        #expect(try await visitor.session().status == 401)
    }

    @Test("decision 0091: a browser that has only sid can sign out on the page, too")
    func onlySid() async throws {
        let left = try await seal(of: .bob, ofApp: true)
        visitor.cookies["sid"] = left
        let page = try await visitor.open("/logout", from: Self.ours)
        let end = try await visitor.submit(page, to: "/logout", [("action", "sign-out")])
        #expect(end.reply.status == 200 && visitor.cookies["sid"] == nil)
        #expect(try await server.handleSession(ofSeal: left) == nil)
    }

    @Test("a team's service learns by sid who is there: by the cookie, and as a bearer")
    func admission() async throws {
        let seal = try await self.seal(of: .bob, ofApp: true)
        let session = try #require(try await server.handleSession(ofSeal: seal))
        let ways: [HTTPFields] = [
            [.cookie: "sid=\(seal)"], [.authorization: "Bearer \(seal)"],
            [.cookie: "a=b; sid=\(seal); c=d"],
        ]
        for fields in ways {
            let reply = try await server.send(.get, "/v1/auth/session", headers: fields)
            #expect(reply.status == 200)
            #expect(reply.headers[.porticoUser] == session.live.person.id)
            #expect(reply.headers[.porticoSession] == session.handle.sessionID)
            #expect(reply.headers[.porticoApp] == "moved")
            #expect(reply.headers[values: .setCookie].isEmpty)
            #expect(!reply.text.contains(seal))
        }
        for fields in [
            [.cookie: "sid=\(seal.dropLast(3))"], [.cookie: "sid=\(seal); sid=\(seal)"],
            [.authorization: "Bearer \(seal)x"],
        ] as [HTTPFields] {
            let reply = try await server.send(.get, "/v1/auth/session", headers: fields)
            #expect(reply.status == 401 && reply.json.string("reason") == "INVALID_COOKIE")
        }
        // An app that the operator withdraws is no one's any more.
        var moved = Client.moved
        moved.isEnabled = false
        try await server.database.put(moved)
        try await server.backend.signIn.directory.refresh()
        for fields in ways {
            let reply = try await server.send(.get, "/v1/auth/session", headers: fields)
            #expect(reply.status == 401 && reply.json.string("reason") == "SESSION_EXPIRED")
        }
    }

    @Test("a browser whose own session is over is told so, whoever else sid names")
    func stale() async throws {
        let planted = try await seal(of: .bob, ofApp: true)
        _ = try await visitor.signIn("google", as: .ann)
        server.clock.advance(by: 2 * 86_400)
        visitor.cookies["sid"] = planted
        let reply = try await visitor.session()
        #expect(reply.status == 401 && reply.json.string("reason") == "SESSION_EXPIRED")
    }

    @Test("an app signs out at /v1/auth/logout by its seal, and by nothing that is none")
    func appSignsOut() async throws {
        let seal = try await self.seal(of: .bob, ofApp: true)
        func logout(_ bearer: String) async throws -> Int {
            let fields: HTTPFields = [.authorization: "Bearer \(bearer)"]
            return try await server.send(.post, "/v1/auth/logout", headers: fields).status
        }
        #expect(try await logout("\(seal)x") == 401)
        #expect(try await server.handleSession(ofSeal: seal) != nil)
        #expect(try await logout(seal) == 200)
        #expect(try await server.handleSession(ofSeal: seal) == nil)
        #expect(try await logout(seal) == 401)
    }

    @Test(
        "WEB-CSRF-2: a browser that does not say where a link comes from is shown the host, once",
        arguments: [HTTPRequest.Method.get, .post]
    )
    func unsaid(_ method: HTTPRequest.Method) async throws {
        let path = "/login?handle=ann.example.com&redirect=%2Freports"
        let shown =
            method == .get
            ? try await server.send(.get, path, headers: [.accept: "text/html"])
            : try await server.post(
                "/login",
                [("handle", "ann.example.com"), ("redirect", "/reports")],
                headers: [.accept: "text/html"]
            )
        #expect(shown.status == 200 && server.hosts.asked.isEmpty)
        let cookies = shown.headers[values: .setCookie]
        #expect(cookies.allSatisfy { !$0.contains("attempt") })
        let cookie = try #require(cookies.first { $0.contains("visit-app=") })
        let link = try #require(shown.text.firstMatch(of: /href="(\/login\?handle=[^"]*)"/))
        let next = String(link.1).replacing("&amp;", with: "&")
        let own = String(cookie.prefix { $0 != ";" })
        // Only in the browser that was shown it, and for that handle only.
        for (path, cookie) in [
            (next, "a=b"), (next.replacing("ann.", with: "bob."), own),
            (next.replacing(/shown=[^&]*/, with: "shown=1"), own),
        ] {
            let reply = try await server.send(
                .get,
                path,
                headers: [.accept: "text/html", .cookie: cookie]
            )
            #expect(reply.status == 200 && reply.location == nil, "\(path)")
        }
        let left = try await server.send(.get, next, headers: [.accept: "text/html", .cookie: own])
        #expect(left.status == 302)
        #expect(left.location?.hasPrefix("https://pds.example.com/oauth/authorize?") == true)
    }

    @Test("how long a sign-in by handle lasts is a setting of the operator's")
    func life() throws {
        let passwords = try IronPasswords(session: SecretText(BackendUnderTest.sealPassword))
        let url = try PublicURL("https://\(BackendUnderTest.host)")
        let moment = Clock { StoppedClock().now }.moment()
        let cookie = SidCookie(CookiePolicy(url), passwords: passwords, lasting: 3 * 86_400)
        let content = SidCookie.Content(did: TestHosts.Person.ann.did)
        let seal = try cookie.seal(content, at: moment)
        #expect(try cookie.set(seal, for: 90 * 86_400).value.contains("Max-Age=259200;"))
        let headers: HTTPFields = [.cookie: "sid=\(seal)"]
        for (days, isGood) in [(2.9, true), (3.1, false)] {
            let clock = StoppedClock()
            clock.advance(by: days * 86_400)
            let later = Clock { clock.now }.moment()
            let presented = cookie.presented(headers, at: later)
            #expect((presented != .invalid) == isGood)
        }
    }
}
