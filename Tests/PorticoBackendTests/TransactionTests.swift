import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoProvider
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

/// docs/decisions/0034, counted where the database runs its transactions.
@Suite("What a sign-in writes") struct TransactionTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    private static let providers = ["google", "facebook", "apple", "keycloak"]

    @Test(
        "Nothing is stored before a person has proven who they are: no start, no page, no wrong answer",
        arguments: providers
    )
    func unproven(_ provider: String) async throws {
        let before = server.transactions
        for path in ["/", "/login", "/signup?return_to=/orders", "/logout", "/login/account"] {
            _ = try await visitor.open(path)
        }
        _ = try await visitor.request("/v1/auth/\(provider)?remember=1")
        _ = try await visitor.request(
            FormEncoding.appending(TestApp().start, to: "/v1/auth/\(provider)")
        )
        _ = try await server.post("/v1/auth/\(provider)/native/nonce", [])
        _ = try await visitor.session()
        // Cancelled, refused, made up, and down at the last moment.
        let page = try await visitor.open("/v1/auth/\(provider)")
        let back = try await visitor.submit(page, [("cancel", "1")])
        if provider == "apple" { _ = try await visitor.submit(back, []) }
        _ = try await visitor.open("/v1/auth/\(provider)/callback?code=c&state=s")
        _ = try await server.post("/v1/auth/\(provider)/callback", [("code", "c"), ("state", "s")])
        let standIn: StandInKind =
            switch provider {
            case "google": .google
            case "facebook": .facebook
            case "apple": .apple
            default: .openID
            }
        server.standIns.configure(standIn) { $0.failing = [.token] }
        _ = try await visitor.signIn(provider)
        server.standIns.configure(standIn) {
            $0.failing = []
            $0.idToken = [.forged]
            $0.profile = ["id": nil]
        }
        _ = try await visitor.signIn(provider)
        #expect(server.transactions == before)
        #expect(try server.keptRows() == 0)
        #expect(visitor.cookies["__Host-session"] == nil)
    }

    @Test(
        "decision 0034: a sign-in in a browser is one transaction, for every person and every method",
        arguments: providers
    )
    func web(_ provider: String) async throws {
        for isNew in [true, false] {
            let before = server.transactions
            let visitor = TestVisitor(server)
            let end = try await visitor.signIn(provider)
            #expect(end.path == (isNew ? "/onboarding" : "/dashboard"))
            #expect(server.transactions == before + 1)
            // What follows it reads.
            for _ in 0..<3 { #expect(try await visitor.session().status == 200) }
            _ = try await visitor.open("/dashboard")
            #expect(server.transactions == before + 1)
        }
    }

    @Test("decision 0034: an app's sign-in is two, one for the code and one for its redemption")
    func app() async throws {
        let app = TestApp()
        let before = server.transactions
        let end = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        #expect(server.transactions == before + 1)
        let code = try #require(end.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1
        let redeemed = try await app.redeem(String(code), at: server)
        #expect(redeemed.status == 200)
        #expect(server.transactions == before + 2)

        let token = try #require(redeemed.json.string("refresh_token"))
        for (key, count) in [("k", 3), ("k", 3)] {
            let reply = try await server.post(
                "/v1/auth/refresh",
                [("refresh_token", token)],
                headers: [.idempotencyKey: key]
            )
            #expect(reply.status == 200)
            // The repetition is computed again, without a write.
            #expect(server.transactions == before + count)
        }
    }

    @Test("decision 0034: what an app brings from its system is one, and so is One Tap")
    func native() async throws {
        let made = try await server.post("/v1/auth/google/native/nonce", [])
        let nonce = try #require(made.json.string("nonce"))
        var before = server.transactions
        let token = try server.googleToken(nonce: nonce)
        let reply = try await server.post(
            "/v1/auth/google/native",
            [("id_token", token), ("nonce", nonce)]
        )
        #expect(reply.status == 200)
        #expect(server.transactions == before + 1)
        before = server.transactions
        let credential = try server.googleToken(.ben, for: nil)
        let tapped = try await server.post(
            "/v1/auth/google/one-tap",
            [("credential", credential), ("g_csrf_token", "t")],
            headers: [.cookie: "g_csrf_token=t"]
        )
        #expect(tapped.location == "/onboarding")
        #expect(server.transactions == before + 1)
    }

    @Test("decision 0034: no request of a person or of a provider makes more than one")
    func others() async throws {
        let owner = try await server.signedIn("google", as: .ann)
        var before = server.transactions
        func expectOne(_ what: Comment) {
            #expect(server.transactions == before + 1, what)
            before = server.transactions
        }
        let found = try await visitor.signIn("facebook", as: .ann)
        #expect(found.path == "/login/account")
        expectOne("the question is put")
        let asked = try await visitor.submit(found, [("action", "mailbox")])
        expectOne("the code is mailed")
        let code = try #require(try await server.mailedCode())
        let other = BackendUnderTest.otherCode(than: code)
        let wrong = try await visitor.submit(asked, [("action", "confirm"), ("code", other)])
        expectOne("a wrong code")
        let joined = try await visitor.submit(wrong, [("action", "confirm"), ("code", code)])
        #expect(joined.path == "/dashboard")
        expectOne("the right code")
        #expect(try await visitor.program(.delete, "/v1/account/unlink/facebook").status == 200)
        expectOne("a way is removed")
        #expect(try await owner.program(.post, "/v1/auth/logout").status == 200)
        expectOne("signed out here")

        _ = try await server.signedIn("facebook", as: .paul)
        expectOne("another person")
        let request = try #require(server.standIns.signedRequest(about: .paul))
        let gone = try await server.post(
            "/v1/auth/facebook/data-deletion",
            [("signed_request", request)]
        )
        #expect(gone.status == 200)
        expectOne("Facebook's data deletion")
        #expect(try await server.accounts().count == 1)
        _ = try await visitor.signIn("keycloak", as: .layla)
        expectOne("a third")
        let logout = try server.standIns.logoutToken(about: .layla, sessionID: nil)
        let told = try await server.post(
            "/v1/auth/keycloak/backchannel-logout",
            [("logout_token", logout ?? "")]
        )
        #expect(told.status == 200)
        expectOne("the provider's logout")
        _ = try await visitor.signIn("keycloak", as: .layla)
        expectOne("she returns")
        #expect(try await visitor.program(.delete, "/v1/account").status == 200)
        expectOne("the account is deleted")
    }
}

@Suite("What the backend's log says") struct BackendLogTests {
    @Test("WEB-LOG-2: the line of a refused request says why")
    func refused() async throws {
        let server = try await BackendUnderTest()
        let callback = "/v1/auth/google/callback?code=c&state=s"
        _ = try await server.send(.get, callback, headers: [.accept: "application/json"])
        _ = try await server.post("/v1/auth/refresh", [("refresh_token", "none")])
        for (path, error) in [
            ("/v1/auth/google/callback", "invalid_state"), ("/v1/auth/refresh", "invalid_grant"),
        ] {
            let line = server.log.split(separator: "\n").first {
                $0.contains("message=request ") && $0.contains("path=\(path) ")
            }
            #expect(line?.contains("error=\(error)") == true, "\(server.log)")
        }
    }

    @Test("WEB-SESS-7: a sign-in from elsewhere is told by mail, one from one's own browser is not")
    func newDevice() async throws {
        let server = try await BackendUnderTest()
        func notices() async throws -> Int {
            var count = 0
            for mail in try await server.database.outbox.latest(limit: 100) {
                if case .newDevice = mail.draft.message { count += 1 }
            }
            return count
        }
        let own = try await server.signedIn("google", as: .ann)
        let before = try await notices()
        _ = try await own.signIn("google", as: .ann)
        #expect(try await notices() == before)
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        #expect(try await notices() == before + 1)
    }

    @Test("WEB-LOG-1: no token, code, verifier, secret, cookie or mailbox of a run is in the log")
    func secrets() async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn("google", as: .ann)
        try await server.proveSessions()
        // The name of the provider that was used last is no secret.
        var secrets = visitor.cookies.filter { $0.key != "__Host-last-app" }.map(\.value)
        _ = try await visitor.program(.post, "/v1/account/email", [("email", "new@example.org")])

        let app = TestApp()
        let end = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = try #require(end.code)
        let tokens = try await app.redeem(code, at: server)
        let refresh = try #require(tokens.json.string("refresh_token"))
        _ = try await server.post(
            "/v1/auth/refresh",
            [("refresh_token", refresh)],
            headers: [.idempotencyKey: "the-key-of-one-rotation"]
        )
        // Refused ones as well: their lines say why.
        _ = try await server.post("/v1/auth/refresh", [("refresh_token", refresh)])
        _ = try await app.redeem(code, at: server)
        let token = try server.googleToken(.ben, for: nil)
        _ = try await server.post("/v1/auth/google/native", [("id_token", token)])
        let logout = try #require(
            try server.standIns.logoutToken(about: .ann, sessionID: nil, changes: ["nonce": "n"])
        )
        _ = try await server.post(
            "/v1/auth/keycloak/backchannel-logout",
            [("logout_token", logout)]
        )
        _ = try await visitor.open("/v1/auth/google/callback?code=stolen-code&state=stolen-state")
        _ = try await visitor.program(.post, "/v1/auth/logout?everywhere=true")

        secrets += [
            code, app.verifier.reveal(), refresh, token, logout, "the-key-of-one-rotation",
            "stolen-code", "stolen-state", "ann@example.com", "new@example.org",
        ]
        secrets += tokens.json.string("session_token").map { [$0] } ?? []
        for request in server.standIns.log.requests(to: .token, at: .google) {
            for name in ["code", "code_verifier", "client_secret"] {
                if let value = request[name] { secrets.append(value) }
            }
        }
        let revoked = server.standIns.log.requests(to: .revocation, at: .google)
        secrets += try [#require(revoked.first?["token"])]
        #expect(secrets.count > 18)
        let log = server.log
        for event in ["hand_off.refused", "refresh.replayed", "provider.failed"] {
            #expect(log.contains(event), "\(event)")
        }
        // A long value would be cut short in the log: no piece of one is there, either.
        for secret in secrets {
            var rest = Substring(secret)
            while !rest.isEmpty, rest.count >= 20 || rest.startIndex == secret.startIndex {
                #expect(!log.contains(rest.prefix(40)), "\(secret.prefix(12))…")
                rest = rest.dropFirst(40)
            }
        }
    }

    @Test("WEB-LOG-2, attack H14: what a browser calls itself begins no line of the log")
    func lines() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server, userAgent: "a\u{1B}[31m FAKE event=sign_in \u{2028}x")
        _ = try await visitor.signIn("google", as: .ann)
        _ = try await visitor.open("/v1/auth/google/callback?error=x%0Aevent=fake&state=%1B%5B31m")
        #expect(!server.log.contains("\u{1B}") && !server.log.contains("\u{2028}"))
        #expect(!server.log.contains("event=fake"))
    }
}

/// What every row of every service owes, whatever it answers.
@Suite("Every row of the Provider and of the backend")
struct ServiceRowTests {
    private struct Row: Sendable {
        let methods: [HTTPRequest.Method]
        let path: String
        let scripts: Set<ScriptOrigins>
        let method: HTTPRequest.Method
        let audience: Audience
    }

    private static func rows<Context>(_ table: RouteTable<Context>) -> [Row] {
        table.routes.map { route in
            let path = route.path.description.replacing("{realm}", with: "test")
                .replacing(/\{[^}]+\}/, with: "google")
            let address = table.find(path)?.address
            return Row(
                methods: address?.methods ?? [],
                path: path,
                scripts: Set(address?.routes.map(\.scripts) ?? []),
                method: route.method,
                audience: route.audience
            )
        }
    }

    private typealias Send = (HTTPRequest.Method, String, HTTPFields, [UInt8]) async throws -> Reply

    private func expectRules(_ rows: [Row], _ send: Send) async throws {
        try #require(rows.count > 30)
        for row in rows {
            let what: Comment = "\(row.method) \(row.path)"
            // RFC 9110 §15.5.6.
            let wrong = try await send(HTTPRequest.Method("BREW") ?? .trace, row.path, [:], [])
            #expect(wrong.status == 405, what)
            let allowed = wrong.headers[.allow] ?? ""
            #expect(allowed == row.methods.map(\.rawValue).joined(separator: ", "), what)
            // Fetch §3.2: another origin's script reads public documents only, and a preflight says no more.
            let foreign: HTTPFields = [
                .origin: "https://evil.example", .accessControlRequestMethod: row.method.rawValue,
            ]
            let preflight = try await send(.options, row.path, foreign, [])
            let reader = preflight.headers[.accessControlAllowOrigin]
            #expect(reader == (row.scripts.contains(.any) ? "*" : nil), what)
            guard row.method == .post else { continue }
            // A form is bounded, and no one is signed in by one that is too long or not ours.
            let long: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            let tooLong = try await send(
                .post,
                row.path,
                long,
                Array("a=\(String(repeating: "b", count: 70_000))".utf8)
            )
            #expect((200..<500).contains(tooLong.status), what)
            #expect(
                tooLong.headers[values: .setCookie].allSatisfy { !$0.contains("session") },
                what
            )
            let foreignPost: HTTPFields = [
                .contentType: "application/x-www-form-urlencoded", .fetchSite: "cross-site",
                .origin: "https://evil.example",
            ]
            let forged = try await send(.post, row.path, foreignPost, Array("action=allow".utf8))
            #expect((200..<500).contains(forged.status), what)
            #expect(forged.headers[values: .setCookie].allSatisfy { !$0.contains("session") }, what)
        }
    }

    @Test("a wrong method, a foreign origin, a body too long, a form of another site: the Provider")
    func provider() async throws {
        let server = try await ProviderUnderTest()
        // What is at the root is there on a realm's own host only (RealmHostTests, ATMetadataTests).
        let rows = Self.rows(try server.provider.service.routes)
            .filter { $0.path.hasPrefix("/realms/test") || $0.path.hasSuffix("/realms/test") }
        try await expectRules(rows) {
            try await server.send($0, $1, headers: $2, body: $3)
        }
    }

    @Test("a wrong method, a foreign origin, a body too long, a form of another site: the backend")
    func backend() async throws {
        let server = try await BackendUnderTest()
        try await expectRules(Self.rows(try server.backend.service.routes)) {
            try await server.send($0, $1, headers: $2, body: $3)
        }
    }
}
