import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSQLite
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("Signing out by the cookie sid") struct HandleSignOutTests {
    private let server: HostedBackend

    init() async throws {
        server = try await HostedBackend()
    }

    private static let path = "/api/auth/logout"

    @Test("IRON-S-10, IRON-S-15: signed out by the cookie alone, a copied sid is dead at once")
    func signedOut() async throws {
        let (_, seal) = try await server.signedIn()
        let (_, other) = try await server.signedIn()
        let reply = try await server.send(.post, Self.path, [.cookie: "sid=\(seal)"])
        #expect(reply.status == 200)
        #expect(reply.json == ["success": true])
        let cookies = reply.headers[values: .setCookie]
        #expect(cookies == ["sid=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax"])
        #expect(reply.headers[.cacheControl] == "no-store")
        for path in ["/api/auth/session", "/mobile/refresh-token", "/xrpc/com.example.method"] {
            let copied = try await server.call(path, seal)
            #expect(copied.status == 401 && copied.json.string("reason") == "SESSION_EXPIRED")
            // Another device of the same person.
            #expect(try await server.call(path, other).status == 200)
        }
        let events = try await server.scene.database.events.latest([.signedOut])
        #expect(events.count == 1)
        // Twice is no error.
        #expect(try await server.send(.post, Self.path, [.cookie: "sid=\(seal)"]).status == 200)
        #expect(try await server.send(.post, Self.path, [:]).sid == "")
    }

    @Test("ATP-DP-1: the host is told, with proof and assertion, and no one waits for it")
    func revoked() async throws {
        let (session, seal) = try await server.signedIn()
        let key = try #require(server.scene.vault.open(session)).key
        let isOpen = Locked(false)
        server.network.beforeRevocation.withLock {
            $0 = { while !isOpen.withLock({ $0 }) { await Task.yield() } }
        }
        #expect(try await server.send(.post, Self.path, [.cookie: "sid=\(seal)"]).status == 200)
        // It was answered before the host has.
        isOpen.withLock { $0 = true }
        let events = server.scene.database.events
        try await waitUntil("the host is told") {
            try await !events.latest([.handleRevoked]).isEmpty
        }
        let revocations = server.network.revocations
        #expect(revocations.count == 1)
        let told = try #require(revocations.first)
        #expect(told.url == "https://as.example.com/oauth/revoke" && told.method == "POST")
        #expect(told.form["token"] == "R1")
        #expect(told.proof?.thumbprint == key.thumbprint)
        #expect(told.claims["ath"] == nil)
        let assertion = try JWT(parsing: try #require(told.form["client_assertion"]))
        let claims = try assertion.uncheckedClaims()
        #expect(claims.string("aud") == "https://as.example.com")
        // As whom the session began.
        #expect(claims.string("iss") == session.clientID)
        #expect(claims.int64("iat") == server.clock.seconds - 10)
        let kept = try await events.latest([.handleRevoked])
        #expect(kept.map(\.reason) == [nil])
    }

    @Test("Of 26 hosts that are to be told, that of whoever has just signed out is told at once")
    func first() async throws {
        for _ in 0..<25 {
            let other = try await server.scene.signedIn(refresh: "R9", clientKeyID: server.keyID)
            try await server.scene.signOut(other.sessionID)
        }
        server.clock.advance(by: 1)
        let (_, seal) = try await server.signedIn()
        #expect(try await server.send(.post, Self.path, [.cookie: "sid=\(seal)"]).status == 200)
        try await waitUntil("the host is told") { !server.network.revocations.isEmpty }
        #expect(server.network.revocations.map { $0.form["token"] } == ["R1"])
    }

    @Test("A host that does not answer keeps no one signed in, and is told later")
    func away() async throws {
        let (_, seal) = try await server.signedIn()
        server.network.state.withLock { $0.issuer = "not a server" }
        #expect(try await server.send(.post, Self.path, [.cookie: "sid=\(seal)"]).status == 200)
        #expect(try await server.call("/api/auth/session", seal).status == 401)
        try await waitUntil("the server is looked for") {
            !server.network.asked("oauth-protected-resource").isEmpty
        }
        #expect(server.network.revocations.isEmpty)
        server.network.state.withLock { $0.issuer = "https://as.example.com" }
        try await waitUntil("the host is told") {
            server.clock.advance(by: 60)
            try await server.backend.revokeHandleTokens()
            return server.network.revocations.count == 1
        }
    }

    @Test("ATP-CA-6: where the key is withdrawn the host is not told, and the tokens are forgotten")
    func keyWithdrawn() async throws {
        let (session, _) = try await server.signedIn()
        let database = server.scene.database
        let key = try #require(server.keyID)
        _ = try await database.configuration.withdrawHandleKey(key, at: server.clock.seconds)
        try await server.backend.signIn.directory.refresh()
        try await server.scene.signOut(session.sessionID)
        try await server.backend.revokeHandleTokens()
        #expect(server.network.revocations.isEmpty)
        let events = try await database.events.latest([.handleRevoked])
        #expect(events.map(\.reason) == ["key_withdrawn"])
    }

    @Test(
        "WEB-CSRF-4: another site's page signs no one out",
        arguments: ["cross-site", "same-site", "same-origin, cross-site", ""]
    )
    func forged(_ site: String) async throws {
        let (_, seal) = try await server.signedIn()
        var fields: HTTPFields = [.cookie: "sid=\(seal)"]
        fields[.portico] = "1"
        fields[.fetchSite] = site
        let reply = try await server.send(.post, Self.path, fields)
        #expect(reply.refusal == "403 forbidden")
        #expect(reply.headers[.setCookie] == nil)
        #expect(try await server.call("/api/auth/session", seal).status == 200)
        // A bearer is sent by no one else.
        var bearer: HTTPFields = [.authorization: "Bearer \(seal)"]
        bearer[.fetchSite] = site
        #expect(try await server.send(.post, Self.path, bearer).status == 200)
        #expect(try await server.call("/api/auth/session", seal).status == 401)
    }

    @Test("By GET no one is signed out", arguments: [HTTPRequest.Method.get, .head, .put, .delete])
    func otherMethods(_ method: HTTPRequest.Method) async throws {
        let (_, seal) = try await server.signedIn()
        #expect(try await server.call(Self.path, seal, method).status == 405)
        #expect(try await server.call("/api/auth/session", seal).status == 200)
    }

    @Test("An app with a bearer that is none is told that nothing was ended")
    func wrongBearer() async throws {
        let (_, seal) = try await server.signedIn()
        let reply = try await server.send(
            .post,
            Self.path,
            [.authorization: "Bearer x", .cookie: "sid=\(seal)"]
        )
        #expect(reply.status == 401 && reply.json.string("reason") == "INVALID_COOKIE")
        #expect(try await server.call("/api/auth/session", seal).status == 200)
    }

    @Test("Signed out by the browser's other cookie, sid goes too, and its session is over")
    func byTheOtherCookie() async throws {
        let value = String(repeating: "a", count: 43)
        let (_, seal) = try await server.signedIn(
            form: .browser(cookieHash: Hash256(of: value))
        )
        let reply = try await server.send(
            .post,
            "/v1/auth/logout",
            [.cookie: "sid=\(seal); __Host-session=\(value)", .portico: "1"]
        )
        #expect(reply.status == 200 && reply.sid == "")
        #expect(try await server.call("/api/auth/session", seal).status == 401)
        let without = try await server.send(.post, "/v1/auth/logout", [.portico: "1"])
        #expect(without.status == 200 && without.sid == nil)
        try await server.backend.revokeHandleTokens()
        #expect(server.network.revocations.map { $0.form["token"] } == ["R1"])
    }

    @Test(
        "WEB-SESS-4, WEB-COOKIE-7: of several cookies sid none gives access, and each one's session ends",
        arguments: [path, "/v1/auth/logout", "/v1/auth/logout?everywhere=true"]
    )
    func several(_ path: String) async throws {
        let (_, one) = try await server.signedIn()
        let (_, other) = try await server.signedIn()
        let cookie = "sid=\(one); sid=planted; sid=\(other)"
        #expect(try await server.send(.get, "/api/auth/session", [.cookie: cookie]).status == 401)
        let page = try await server.send(.get, "/logout", [.cookie: cookie, .accept: "text/html"])
        #expect(page.status == 200 && page.formAction == "/logout")
        for seal in [one, other] {
            #expect(try await server.call("/api/auth/session", seal).status == 200)
        }
        let reply = try await server.send(.post, path, [.cookie: cookie, .portico: "1"])
        #expect(reply.status == 200 && reply.sid == "")
        for seal in [one, other] {
            #expect(try await server.call("/api/auth/session", seal).status == 401)
        }
    }

    @Test("WEB-SESS-4: a browser that is told it is signed out has no session left")
    func otherCookie() async throws {
        for sids in [["its own"], ["another"], ["its own", "planted"], []] {
            let server = try await HostedBackend()
            let value = String(repeating: "a", count: 43)
            let (_, own) = try await server.signedIn(
                form: .browser(cookieHash: Hash256(of: value))
            )
            let (_, another) = try await server.signedIn()
            let seals = ["its own": own, "another": another, "planted": "planted"]
            let fields = sids.map { "sid=\(seals[$0] ?? "")" } + ["__Host-session=\(value)"]
            let reply = try await server.send(
                .post,
                Self.path,
                [.cookie: fields.joined(separator: "; ")]
            )
            let names = reply.headers[values: .setCookie].map { $0.prefix { $0 != "=" } }
            #expect(names == ["sid", "__Host-session"], "\(sids)")
            #expect(try await server.call("/api/auth/session", own).status == 401, "\(sids)")
            // One that the browser did not bring goes on.
            let status = try await server.call("/api/auth/session", another).status
            #expect(status == (sids == ["another"] ? 401 : 200), "\(sids)")
        }
    }

    @Test("WEB-CSRF-4: a browser that says nothing but Origin is believed that")
    func origin() async throws {
        let (_, seal) = try await server.signedIn()
        for origin in ["https://evil.example", "null", "https://app.example.com.evil.example"] {
            let fields: HTTPFields = [.cookie: "sid=\(seal)", .origin: origin]
            #expect(try await server.send(.post, Self.path, fields).status == 403, "\(origin)")
        }
        #expect(try await server.call("/api/auth/session", seal).status == 200)
        let own: HTTPFields = [.cookie: "sid=\(seal)", .origin: "https://app.example.com"]
        #expect(try await server.send(.post, Self.path, own).status == 200)
        #expect(try await server.call("/api/auth/session", seal).status == 401)
    }
}

@Suite("Revoking tokens of sessions by handle") struct HandleRevocationTests {
    private let scene: HandleScene

    init() throws {
        scene = try HandleScene()
    }

    @Test("decision 0056: after a sign-out its refresh token is revoked, once, with its own key")
    func revoked() async throws {
        let (one, two) = (try await scene.signedIn(), try await scene.signedIn(refresh: "R9"))
        try await scene.revocation.round()
        #expect(scene.host.revoked.isEmpty)
        try await scene.signOut(one.sessionID)
        for _ in 1...3 {
            try await scene.revocation.round()
            scene.clock.advance(by: 3600)
        }
        #expect(scene.host.revoked == ["R1"])
        #expect(try await scene.stored(two.sessionID) == ["A1", "R9"])
    }

    @Test("decision 0056: a host that does not answer is told later, ten times at most")
    func later() async throws {
        let session = try await scene.signedIn(refresh: nil)
        try await scene.signOut(session.sessionID)
        scene.host.set(.serverError)
        for (round, minutes) in [1, 2, 4, 8, 16, 32, 64, 128, 256, 360].enumerated() {
            for _ in 1...2 { try await scene.revocation.round() }
            #expect(scene.host.revoked.count == round + 1)
            scene.clock.advance(by: Double(minutes * 60))
        }
        try await scene.revocation.round()
        #expect(scene.host.revoked == Array(repeating: "A1", count: 10))
        #expect(try await scene.handles.takeDue(limit: 1, at: .max, retryAt: .max).isEmpty)
    }

    @Test("decision 0056: who moved away is given up at once")
    func givenUp() async throws {
        let session = try await scene.signedIn()
        try await scene.signOut(session.sessionID)
        scene.host.set(.movedAway)
        try await scene.revocation.round()
        #expect(scene.host.revoked.isEmpty)
        #expect(try await scene.handles.takeDue(limit: 1, at: .max, retryAt: .max).isEmpty)
        let events = try await scene.database.events.latest([.handleRevoked])
        #expect(events.map(\.reason) == ["moved_away"])
    }

    @Test("decision 0056: tokens that do not open are given up at once, and no host is looked for")
    func lost() async throws {
        let (session, other) = (try await scene.signedIn(), try await scene.signedIn())
        let (id, sealed) = (session.sessionID, other.sealed)
        try await scene.database.database.write { transaction in
            _ = try transaction.run(
                "UPDATE handle_sessions SET sealed = $1 WHERE session_id = $2",
                [SQLValue(sealed), .text(id)]
            )
        }
        try await scene.signOut(id)
        try await scene.revocation.round()
        #expect(scene.host.looked == 0)
        #expect(try await scene.handles.takeDue(limit: 1, at: .max, retryAt: .max).isEmpty)
        let events = try await scene.database.events.latest([.handleRevoked])
        #expect(events.map(\.reason) == ["lost"])
    }

    /// One host never answers.
    private struct Hanging: HandleTokenServers {
        static let host = "https://hangs.example.com"
        let others: CountingHost

        func server(of session: HandleSession) async throws(HandleServerFailure)
            -> any HandleTokenServer
        {
            guard session.host == Self.host else { return try await others.server(of: session) }
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {}
            throw .unreachable
        }
    }

    @Test("decision 0067: however many of a host that hangs are due, another is told at once")
    func hangs() async throws {
        for _ in 1...50 {
            let session = try await scene.signedIn(host: Hanging.host)
            try await scene.signOut(session.sessionID)
        }
        scene.clock.advance(by: 1)
        try await scene.signOut(try await scene.signedIn(refresh: "R7").sessionID)
        var revocation = scene.revocation(Hanging(others: scene.host))
        #expect(revocation.patience == .seconds(10))
        // Enough for one that answers, however busy the machine is.
        revocation.patience = .seconds(2)
        try await revocation.round()
        #expect(scene.host.revoked == ["R7"])
        // It did not answer in time, and is tried again.
        let left = try await scene.handles.takeDue(limit: 100, at: .max, retryAt: .max)
        #expect(left.count == 50 && left.filter { $0.tries == 2 }.count == 10)
    }
}

/// What a sign-in by handle leaves in the browser and in the windows that it runs in.
@Suite("Windows of a sign-in by handle") struct HandleWindowTests {
    @Test("a browser where a person is signed in stays that person's, in apps of another too")
    func oneBrowserOnePerson() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        _ = try await visitor.byHandle(.ann)
        let seal = try #require(visitor.cookies["sid"])
        let begun = try await visitor.begin(
            "bob.example.com",
            [("mobile", "true"), ("app", "moved")]
        )
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .bob))
        #expect(back.redirected["did"] == TestHosts.Person.bob.did)
        #expect(visitor.cookies["sid"] == seal)
        let token = try #require(back.redirected["session_token"])
        #expect(try await server.handleSession(ofSeal: token) != nil)
        // Nor does an app leave one in a browser that has none.
        let other = TestVisitor(server)
        let first = try await other.begin(
            "bob.example.com",
            [("mobile", "true"), ("app", "moved")]
        )
        _ = try await other.request(server.hosts.approve(first.location, as: .bob))
        #expect(other.cookies["sid"] == nil && other.cookies["__Host-session"] == nil)
    }

    @Test("what begins again after an error asks the host for the same: prompt, and a window's end")
    func beginsAgain() async throws {
        for prompt in ["login", "select_account", "consent", "create"] {
            let server = try await BackendUnderTest.withHandles()
            let visitor = TestVisitor(server)
            let begun = try await visitor.begin(
                "ann.example.com",
                [("prompt", prompt), ("pwa", "true")]
            )
            let error = try server.hosts.approve(begun.location, as: .ann)
                .replacing(/code=[^&]*/, with: "error=server_error")
            let page = try await visitor.open(error)
            server.hosts.forgetRequests()
            let again = try await visitor.submit(page, [("handle", "ann.example.com")], form: 0)
            #expect(again.reply.status == 200, "the name of the host comes first")
            let path = try again.reply.loginLink()
            _ = try await visitor.request(path, from: again.url)
            let pushed = try #require(server.hosts.asked.last { $0.path == "/oauth/par" })
            #expect(pushed.form["prompt"] == prompt)
            #expect(path.contains("pwa=true"))
        }
    }

    @Test(
        "decision 0026: every page in the window of a web app keeps its opener, and leads on with pwa=true",
        arguments: [true, false]
    )
    func openers(isPopup: Bool) async throws {
        let server = try await BackendUnderTest.withHandles()
        let opener = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
        let pwa = isPopup ? [("pwa", "true")] : []
        let visitor = TestVisitor(server)
        func ask(_ handle: String) async throws -> Reply {
            try await visitor.request("/login", .post, [("handle", handle)] + pwa)
        }
        // Opened; mistyped; the name of the host; not finished; at another host.
        var pages = [
            try await visitor.request(FormEncoding.appending(pwa, to: "/mobile-auth")),
            try await ask("what is it?"), try await ask("ann @ example"),
            try await ask("nobody.example.com"),
            try await visitor.request(
                FormEncoding.appending(
                    [("handle", "ann.example.com"), ("ask", "host")] + pwa,
                    to: "/login"
                )
            ),
        ]
        var begun = try await visitor.begin("ann.example.com", pwa)
        let error = try server.hosts.approve(begun.location, as: .ann)
            .replacing(/code=[^&]*/, with: "error=server_error")
        pages.append(try await visitor.request(error))
        begun = try await visitor.begin("https://other.example.com", pwa)
        server.hosts.set(.otherSubject(TestHosts.Person.ann.did))
        pages.append(try await visitor.request(server.hosts.approve(begun.location, as: .bob)))
        #expect(pages.last?.status == 409)
        for page in pages {
            #expect((page.headers[opener] == nil) == isPopup, "\(page.status) \(page.text)")
            #expect(page.text.contains("pwa") == isPopup, "\(page.status) \(page.text)")
        }
    }
}
