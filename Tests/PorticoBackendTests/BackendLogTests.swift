import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

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
        let own = TestVisitor(server)
        _ = try await own.signIn("google", as: .ann)
        let before = try await notices()
        _ = try await own.signIn("google", as: .ann)
        #expect(try await notices() == before)
        _ = try await TestVisitor(server).signIn("google", as: .ann)
        #expect(try await notices() == before + 1)
    }

    @Test(
        "WEB-LOG-1: no token, code, verifier, secret, cookie or mailbox of a whole run is in the log"
    )
    func secrets() async throws {
        let server = try await BackendUnderTest()
        let visitor = TestVisitor(server)
        _ = try await visitor.signIn("google", as: .ann)
        try await server.proveSessions()
        // The name of the provider that was used last is no secret.
        var secrets = visitor.cookies.filter { $0.key != "__Host-last-app" }.map(\.value)
        _ = try await visitor.program(.post, "/v1/account/email", [("email", "new@example.org")])

        let app = TestApp()
        let end = try await TestVisitor(server).signIn("google", as: .ann, app.start)
        let code = String(try #require(end.url.firstMatch(of: /code=([A-Za-z0-9_-]+)/)).1)
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
