import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

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
            _ = try await server.backend.directory.refresh()
            return
        }
        try await server.database.put(app)
        try await server.backend.directory.refresh()
    }

    /// Refused on a page: nobody is led to the app, and no session begins.
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
        let form = try #require(HTMLForm.all(in: page.reply.text).first)
        let chosen = try await visitor.request(
            "http://\(BackendUnderTest.standInHost)\(form.action)",
            .post,
            form.hidden + [("person", StandInPerson.ben.id)],
            from: page.url
        )
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
        try await server.backend.directory.refresh()
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
        try await server.backend.directory.refresh()
        #expect(try await app.redeem(String(code), at: server).status == 400)
        // Spent by it.
        try await server.database.put(BackendUnderTest.notes)
        try await server.backend.directory.refresh()
        #expect(try await app.redeem(String(code), at: server).status == 400)
    }
}
