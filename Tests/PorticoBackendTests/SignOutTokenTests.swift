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

@Suite("What a sign-out gives back to providers") struct SignOutTokenTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    /// How a person signs out.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case program = "a page's program"
        case everywhere = "a page's program, everywhere"
        case page = "the page"
        case pageEverywhere = "the page, everywhere"
        case app = "an app, with its bearer token"
        case list = "the list of sessions, for a program"
        case devices = "the page of devices"
        case otherDevices = "the page of devices, all others"

        var testDescription: String { rawValue }
    }

    @Test(
        "OIDCRPL-6-3: with the identity's last session its token is revoked, in one transaction",
        arguments: Way.allCases
    )
    func revoked(_ way: Way) async throws {
        let before: Int
        let token: String?
        switch way {
        case .program, .everywhere, .page, .pageEverywhere:
            let visitor = try await server.signedIn("google", as: .ann)
            let page = try await visitor.open("/logout")
            (before, token) = (server.transactions, try await server.openedToken(at: "google"))
            try await Self.signOut(visitor, way, page)
            #expect(try await visitor.session().status == 401)
        case .app:
            let bearer = try await appToken()
            (before, token) = (server.transactions, try await server.openedToken(at: "google"))
            let done = try await logout(bearer)
            #expect(done.status == 200)
            #expect(done.text == #"{"success":true}"#)
            #expect(try await logout(bearer).status == 401)
        case .list, .devices, .otherDevices:
            let (visitor, phone) = try await twoWays()
            let page = try await visitor.open("/account/devices")
            let id = try #require(try await phone.session().json.object("session")?.string("id"))
            (before, token) = (server.transactions, try await server.openedToken(at: "google"))
            try await Self.endOther(visitor, way, page, id)
            #expect(try await phone.session().status == 401)
            #expect(try await visitor.session().status == 200)
            #expect(server.standIns.log.count(.revocation, at: .apple) == 0)
        }
        #expect(server.transactions == before + 1)
        let asked = server.standIns.log.requests(to: .revocation, at: .google)
        #expect(asked.count == 1)
        #expect(token != nil && asked.first?["token"] == token)
        #expect(asked.first?["token_type_hint"] == "refresh_token")
        #expect(try await server.token(at: "google") == nil)
    }

    @Test("WEB-SESS-4: where a person is signed out the browser drops the pages that it has kept")
    func keptPages() async throws {
        let name = try #require(HTTPField.Name("Clear-Site-Data"))
        let signedIn = try await visitor.signIn("google", as: .ben)
        #expect(signedIn.reply.headers[name] == nil)
        let page = try await visitor.open("/logout")
        #expect(page.reply.headers[name] == nil)
        let done = try await visitor.submit(page, to: "/logout", [("action", "here")])
        #expect(done.reply.headers[name] == "\"cache\"")
        _ = try await visitor.signIn("google", as: .ben)
        let told = try await visitor.program(.post, "/v1/auth/logout")
        #expect(told.headers[name] == "\"cache\"")
        #expect(try await visitor.session().status == 401)
        // So does a sign-in in the place of another person.
        _ = try await visitor.signIn("google", as: .ben)
        let choice = try await visitor.open("/v1/auth/google?prompt=select_account")
        let form = try #require(HTMLForm.all(in: choice.reply.text).first)
        let chosen = try await visitor.request(
            choice.url.replacing(choice.path, with: form.action),
            .post,
            form.hidden + [("person", "layla")],
            from: choice.url
        )
        let taken = try await visitor.request(try #require(chosen.location))
        #expect(taken.status == 303 && taken.headers[name] == "\"cache\"")
    }

    private static func signOut(_ visitor: TestVisitor, _ way: Way, _ page: TestVisitor.Visited)
        async throws
    {
        switch way {
        case .program:
            #expect(try await visitor.program(.post, "/v1/auth/logout").status == 200)
        case .everywhere:
            let path = "/v1/auth/logout?everywhere=true"
            #expect(try await visitor.program(.post, path).status == 200)
        default:
            let action = way == .pageEverywhere ? "everywhere" : "here"
            let done = try await visitor.submit(page, to: "/logout", [("action", action)])
            #expect(done.reply.status == 200)
        }
    }

    private static func endOther(
        _ visitor: TestVisitor,
        _ way: Way,
        _ page: TestVisitor.Visited,
        _ id: String
    ) async throws {
        switch way {
        case .list:
            let reply = try await visitor.program(.delete, "/v1/account/sessions/\(id)")
            #expect(reply.status == 200)
        case .devices:
            let fields = [("action", "end"), ("id", id)]
            let done = try await visitor.submit(page, to: "/account/devices", fields)
            #expect(done.path == "/account/devices?done=ended")
        default:
            let done = try await visitor.press("end-others", on: page)
            #expect(done.path == "/account/devices?done=others")
        }
    }

    /// Signed in with Apple here, and with Google on a phone.
    private func twoWays() async throws -> (TestVisitor, TestVisitor) {
        let visitor = try await server.signedIn("apple", as: .mia)
        try await server.proveSessions()
        _ = try await visitor.link("google", as: .ann)
        let phone = try await server.signedIn("google", as: .ann)
        let (one, two) = (try await server.user(of: visitor), try await server.user(of: phone))
        #expect(one.string("id") == two.string("id"))
        return (visitor, phone)
    }

    private func appToken() async throws -> String {
        let app = TestApp()
        let end = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(end.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let redeemed = try await app.redeem(String(code), at: server)
        return try #require(redeemed.json.string("session_token"))
    }

    private func logout(_ token: String) async throws -> Reply {
        try await server.post("/v1/auth/logout", [], headers: [.authorization: "Bearer \(token)"])
    }

    @Test("OIDCRPL-6-3: nothing is revoked while another device is left, everything with the last")
    func left() async throws {
        let (one, two) = (TestVisitor(server), TestVisitor(server))
        for visitor in [one, two] { _ = try await visitor.signIn("google", as: .ann) }
        let token = try await appToken()
        let log = server.standIns.log
        for visitor in [one, two] {
            #expect(try await visitor.program(.post, "/v1/auth/logout").status == 200)
            #expect(log.count(.revocation, at: .google) == 0)
            #expect(try await server.token(at: "google") != nil)
        }
        #expect(try await logout(token).status == 200)
        #expect(log.count(.revocation, at: .google) == 1)
        #expect(try await server.token(at: "google") == nil)
        // A returning person brings a new one.
        _ = try await one.signIn("google", as: .ann)
        #expect(try await server.token(at: "google") != nil)
    }

    @Test("OIDCRPL-6-3: a way that was linked and not used is given up with the last session")
    func linked() async throws {
        let (visitor, phone) = try await twoWays()
        #expect(try await visitor.program(.post, "/v1/auth/logout").status == 200)
        let log = server.standIns.log
        #expect(log.count(.revocation, at: .apple) == 1)
        #expect(log.count(.revocation, at: .google) == 0)
        #expect(try await phone.program(.post, "/v1/auth/logout").status == 200)
        #expect(log.count(.revocation, at: .apple) == 1)
        #expect(log.count(.revocation, at: .google) == 1)
    }

    @Test("OIDCRPL-6-3: a provider that is down is asked once, and keeps no one signed in")
    func down() async throws {
        _ = try await visitor.signIn("google", as: .ann)
        server.standIns.configure(.google) { $0.failing = [.revocation] }
        let before = server.standIns.log.count(.revocation, at: .google)
        let reply = try await visitor.program(.post, "/v1/auth/logout")
        #expect(reply.status == 200)
        #expect(try await visitor.session().status == 401)
        #expect(try await server.token(at: "google") == nil)
        #expect(server.standIns.log.count(.revocation, at: .google) == before + 1)
    }

    @Test(
        "OIDCRPL-6-3: a provider that never answers is waited for a while, and the others are asked",
        .timeLimit(.minutes(1))
    )
    func silent() async throws {
        let (visitor, _) = try await twoWays()
        server.standIns.configure(.google) { $0.delay = .seconds(3600) }
        let account = try #require(try await server.accounts().first)
        let departure = AccountDeparture(
            accounts: server.database.accounts,
            sessions: server.database.sessions,
            directory: server.backend.signIn.directory,
            ring: server.ring,
            patience: .milliseconds(500)
        )
        let report = try #require(
            try await departure.signOutEverywhere(account.id, at: server.clock.seconds)
        )
        #expect(report.revocations.map(\.provider) == ["apple", "google"])
        #expect(report.revocations.map(\.outcome) == [.revoked, .notRevoked])
        #expect(try await visitor.session().status == 401)
    }

    @Test("OIDCRPL-6-3: sign-outs of all devices at once ask the provider once")
    func race() async throws {
        for round in 1...20 {
            var visitors: [TestVisitor] = []
            for _ in 0..<4 {
                visitors.append(TestVisitor(server))
                _ = try await visitors.last?.signIn("google", as: .ann)
            }
            try await withThrowingTaskGroup { group in
                for (index, visitor) in visitors.enumerated() {
                    let path = "/v1/auth/logout" + (index == 0 ? "?everywhere=true" : "")
                    group.addTask { _ = try await visitor.program(.post, path) }
                }
                try await group.waitForAll()
            }
            #expect(server.standIns.log.count(.revocation, at: .google) == round)
        }
    }
}

extension BackendUnderTest {
    /// What is kept of the first account's identity at a provider.
    func token(at provider: String) async throws -> String? {
        try await identity(at: provider).sealedToken
    }

    func openedToken(at provider: String) async throws -> String? {
        let identity = try await identity(at: provider)
        let vault = SealedAtRest(ring: ring, purpose: "provider token")
        let sealed = try #require(identity.sealedToken.flatMap { Base64URL.decode($0) })
        let key = try #require(identity.key)
        let owner = "\(key.issuer) \(key.subject)"
        return String(decoding: try vault.open(sealed, for: owner), as: UTF8.self)
    }

    private func identity(at provider: String) async throws -> Identity {
        let account = try #require(try await accounts().first)
        let identities = try await database.accounts.identities(of: account.id)
        return try #require(identities.first { $0.provider == provider })
    }
}

/// What was sealed into a request is judged again by today's register when it is used
/// (docs/decisions/0092).
@Suite("What an operator takes away during a sign-in") struct TakenAwayTests {
    /// What can be taken away of an app.
    enum Loss: String, CaseIterable {
        case disabled, removed, redirect, mode
    }

    private static let redirect = "com.example.moved:/auth-callback"

    private func take(_ loss: Loss, from server: BackendUnderTest) async throws {
        var app = Client.moved
        switch loss {
        case .disabled: app.isEnabled = false
        case .redirect: app.redirectURIs = [RedirectURI("com.example.other:/auth-callback")]
        case .mode: app.handOff.form = .code
        case .removed:
            #expect(try await server.database.deleteApp(app) == .changed)
            _ = try await server.backend.signIn.directory.refresh()
            return
        }
        try await server.database.put(app)
        try await server.backend.signIn.directory.refresh()
    }

    /// Refused on a page: no one is led to the app, and no session begins.
    private func expectEnd(_ reply: Reply, _ before: Int64, at server: BackendUnderTest) throws {
        #expect(reply.status == 400)
        #expect(reply.location == nil && !reply.text.contains("com.example.moved:"))
        #expect(!reply.text.contains("session_token") && !reply.text.contains("Fe26.2"))
        #expect(try server.accountSessions() == before)
    }

    @Test(
        "decision 0092: a sign-in by handle for an app that lost what it began with ends on a page",
        arguments: Loss.allCases,
        [false, true]
    )
    func handle(_ loss: Loss, isRefused: Bool) async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin(
            "ann.example.com",
            [("mobile", "true"), ("app", "moved"), ("redirect_uri", Self.redirect)]
        )
        try await take(loss, from: server)
        let answer =
            isRefused
            ? try server.hosts.refuse(begun.location)
            : try server.hosts.approve(begun.location, as: .ann)
        try expectEnd(try await visitor.request(answer), 0, at: server)
    }

    @Test("decision 0092: what is taken away while the host answers counts, and its tokens go back")
    func meanwhile() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin(
            "ann.example.com",
            [("mobile", "true"), ("app", "moved"), ("redirect_uri", Self.redirect)]
        )
        let answer = try server.hosts.approve(begun.location, as: .ann)
        server.hosts.beforeTokens {
            // `try?`: the test sees by the answer whether it happened.
            try? await self.take(.mode, from: server)
        }
        try expectEnd(try await visitor.request(answer), 0, at: server)
        #expect(try await server.revoked(1).count == 1)
    }

    @Test(
        "decision 0092: the same at any provider, also where the answer is an error, or too late",
        arguments: Loss.allCases,
        ["code", "error", "late"]
    )
    func provider(_ loss: Loss, _ end: String) async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let start = FormEncoding.appending(
            [("platform", "mobile"), ("app", "moved"), ("redirect_uri", Self.redirect)],
            to: "/v1/auth/google"
        )
        let page = try await visitor.open(start)
        let chosen = try await visitor.answered(page, [("person", StandInPerson.ben.id)])
        var answer = try #require(chosen.location)
        if end == "error" {
            answer = answer.replacing(/code=[^&]*/, with: "error=access_denied")
        }
        if end == "late" { server.clock.advance(by: 3600) }
        try await take(loss, from: server)
        try expectEnd(try await visitor.request(answer), 0, at: server)
    }

    @Test(
        "decision 0092: a question about an account is not answered for an app that lost it meanwhile",
        arguments: Loss.allCases
    )
    func question(_ loss: Loss) async throws {
        let server = try await BackendUnderTest.withHandles()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        let query: [(name: String, value: String)] = [
            ("platform", "mobile"), ("app", "moved"), ("redirect_uri", Self.redirect),
        ]
        let asked = try await visitor.signIn("keycloak", as: .ann, query)
        try #require(asked.path.hasPrefix("/login/account"), "\(asked.path) \(asked.reply.text)")
        let before = try server.accountSessions()
        try await take(loss, from: server)
        for page in ["/login/account", "/login/code"] {
            try expectEnd(try await visitor.request(page), before, at: server)
        }
        let form = try #require(HTMLForm.all(in: asked.reply.text).first)
        for action in ["separate", "create", "add", "mailbox", "cancel"] {
            let reply = try await visitor.request(
                "/login/account",
                .post,
                form.hidden + [("action", action)],
                from: asked.url
            )
            try expectEnd(reply, before, at: server)
        }
    }

    @Test(
        "decision 0092: nor for a provider that is gone, or is another by now",
        arguments: [true, false]
    )
    func questionOfProvider(isGone: Bool) async throws {
        let server = try await BackendUnderTest()
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        let visitor = TestVisitor(server)
        let asked = try await visitor.signIn("keycloak", as: .ann)
        try #require(asked.path.hasPrefix("/login/account"), "\(asked.path) \(asked.reply.text)")
        let before = try server.accountSessions()
        let configuration = server.database.configuration
        var record = try #require(
            try await configuration.configuration().providers.first { $0.name == "keycloak" }
        )
        if isGone {
            record.isEnabled = false
        } else {
            record.settings["issuer"] = .string("http://\(BackendUnderTest.standInHost)/another")
        }
        try await configuration.put(record)
        try await server.backend.signIn.directory.refresh()
        let form = try #require(HTMLForm.all(in: asked.reply.text).first)
        let reply = try await visitor.request(
            "/login/account",
            .post,
            form.hidden + [("action", "separate")],
            from: asked.url
        )
        #expect(reply.status == 404)
        #expect(try server.accountSessions() == before)
    }

    @Test("decision 0092: a code is redeemed for a redirect that is still registered, or is spent")
    func code() async throws {
        let server = try await BackendUnderTest()
        let app = TestApp(redirectURI: "http://127.0.0.1:4711/callback")
        let end = try await TestVisitor(server).signIn("google", as: .ben, app.start)
        let code = try #require(end.reply.text.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        var notes = BackendUnderTest.notes
        notes.redirectURIs.removeAll { $0.kind == .loopback }
        try await server.database.put(notes)
        try await server.backend.signIn.directory.refresh()
        #expect(try await app.redeem(String(code), at: server).status == 400)
        // Spent by it.
        try await server.database.put(BackendUnderTest.notes)
        try await server.backend.signIn.directory.refresh()
        #expect(try await app.redeem(String(code), at: server).status == 400)
    }
}
