import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@Suite("What a sign-out gives back to providers") struct SignOutTokenTests {
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
        let server = try await BackendUnderTest()
        let before: Int
        let token: String?
        switch way {
        case .program, .everywhere, .page, .pageEverywhere:
            let visitor = TestVisitor(server)
            _ = try await visitor.signIn("google", as: .ann)
            let page = try await visitor.open("/logout")
            (before, token) = (server.transactions, try await server.openedToken(at: "google"))
            try await Self.signOut(visitor, way, page)
            #expect(try await visitor.session().status == 401)
        case .app:
            let bearer = try await Self.appToken(server)
            (before, token) = (server.transactions, try await server.openedToken(at: "google"))
            let done = try await Self.logout(bearer, server)
            #expect(done.status == 200)
            #expect(done.text == #"{"success":true}"#)
            #expect(try await Self.logout(bearer, server).status == 401)
        case .list, .devices, .otherDevices:
            let (visitor, phone) = try await Self.twoWays(server)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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

    private static func signOut(
        _ visitor: TestVisitor,
        _ way: Way,
        _ page: TestVisitor.Visited
    )
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
    private static func twoWays(_ server: BackendUnderTest) async throws -> (
        TestVisitor, TestVisitor
    ) {
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("apple", as: .mia)
        try await server.proveSessions()
        let begun = try await visitor.program(.post, "/v1/account/link/google")
        let page = try await visitor.open(try #require(begun.json.string("authorizationUrl")))
        _ = try await visitor.choose(.ann, at: page, "google")
        let phone = TestVisitor(server)
        _ = try await phone.signIn("google", as: .ann)
        let (one, two) = (try await server.user(of: visitor), try await server.user(of: phone))
        #expect(one.string("id") == two.string("id"))
        return (visitor, phone)
    }

    private static func appToken(_ server: BackendUnderTest) async throws -> String {
        let app = TestApp()
        let end = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(end.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let redeemed = try await app.redeem(String(code), at: server)
        return try #require(redeemed.json.string("session_token"))
    }

    private static func logout(_ token: String, _ server: BackendUnderTest) async throws -> Reply {
        try await server.post(
            "/v1/auth/logout",
            [],
            headers: [.authorization: "Bearer \(token)"]
        )
    }

    @Test("OIDCRPL-6-3: nothing is revoked while another device is left, everything with the last")
    func left() async throws {
        let server = try await BackendUnderTest()
        let (one, two) = (TestVisitor(server), TestVisitor(server))
        for visitor in [one, two] { _ = try await visitor.signIn("google", as: .ann) }
        let token = try await Self.appToken(server)
        let log = server.standIns.log
        for visitor in [one, two] {
            #expect(try await visitor.program(.post, "/v1/auth/logout").status == 200)
            #expect(log.count(.revocation, at: .google) == 0)
            #expect(try await server.token(at: "google") != nil)
        }
        #expect(try await Self.logout(token, server).status == 200)
        #expect(log.count(.revocation, at: .google) == 1)
        #expect(try await server.token(at: "google") == nil)
        // A returning person brings a new one.
        _ = try await one.signIn("google", as: .ann)
        #expect(try await server.token(at: "google") != nil)
    }

    @Test("OIDCRPL-6-3: a way that was linked and not used is given up with the last session")
    func linked() async throws {
        let server = try await BackendUnderTest()
        let (visitor, phone) = try await Self.twoWays(server)
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
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
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
        let server = try await BackendUnderTest()
        let (visitor, _) = try await Self.twoWays(server)
        server.standIns.configure(.google) { $0.delay = .seconds(3600) }
        let account = try #require(try await server.accounts().first)
        let departure = AccountDeparture(
            accounts: server.database.accounts,
            directory: server.backend.directory,
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
        let server = try await BackendUnderTest()
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
        let owner = "\(identity.key.issuer) \(identity.key.subject)"
        return String(decoding: try vault.open(sealed, for: owner), as: UTF8.self)
    }

    private func identity(at provider: String) async throws -> Identity {
        let account = try #require(try await accounts().first)
        let identities = try await database.accounts.identities(of: account.id)
        return try #require(identities.first { $0.provider == provider })
    }
}
