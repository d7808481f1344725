import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

/// WEB-SESS-8: what proves that the holder of a session is its account's person.
@Suite("Proving who one is") struct ReauthenticationTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    /// Everything that programs may change only after a recent proof.
    private static let changes: [(HTTPRequest.Method, String)] = [
        (.delete, "/v1/account"), (.delete, "/v1/account/unlink/google"),
        (.post, "/v1/account/link/keycloak"), (.post, "/v1/account/email"),
    ]

    private static func expectRefused(
        _ visitor: TestVisitor,
        _ comment: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (method, path) in changes {
            let reply = try await visitor.program(method, path, [("email", "new@example.org")])
            #expect(reply.status == 403, comment, sourceLocation: sourceLocation)
            #expect(
                reply.json.string("error") == "reauthentication_required",
                comment,
                sourceLocation: sourceLocation
            )
        }
    }

    @Test(
        "WEB-SESS-8: a recent sign-in proves nothing if the provider does not report when it asked",
        arguments: ["google", "apple", "facebook"]
    )
    func silent(_ provider: String) async throws {
        _ = try await visitor.signIn(provider, as: .ann, [("prompt", "login")])
        try await Self.expectRefused(visitor, "\(provider)")
        #expect(try await server.accounts().count == 1)
        #expect(try await server.user(of: visitor).strings("providers") == [provider])
        #expect(try await server.mailedCode() == nil)
    }

    @Test(
        "WEB-SESS-8: a provider's word on when it asked counts, unless it is old, missing or to come",
        arguments: [
            (0, true), (-599, true), (-601, false), (59, true), (3600, false), (nil, false),
        ] as [(Int64?, Bool)]
    )
    func authTime(_ row: (seconds: Int64?, isProof: Bool)) async throws {
        let time = row.seconds.map { JSONValue.integer(server.clock.seconds + $0) }
        server.standIns.configure(.openID) { $0.idToken = [.claim("auth_time", time)] }
        _ = try await visitor.signIn("keycloak", as: .ben)
        let link = try await visitor.program(.post, "/v1/account/link/facebook")
        #expect(link.status == (row.isProof ? 200 : 403))
    }

    @Test("WEB-SESS-1, WEB-SESS-8: a mailed code proves it for ten minutes, with another cookie")
    func code() async throws {
        _ = try await visitor.signIn("google", as: .ben, [("remember", "1")])
        let before = visitor.cookies["__Host-session"]
        let sent = try await visitor.program(.post, "/v1/account/reauthentication")
        #expect(sent.status == 200 && sent.json.int64("expires_in") == 600)
        let mail = try #require(try await server.database.outbox.latest(limit: 1).first)
        #expect(mail.draft.to == "ben@example.org")
        let code = try #require(try await server.mailedCode())
        let path = "/v1/account/reauthentication/confirm"
        let wrong = [("code", BackendUnderTest.otherCode(than: code))]
        let refused = try await visitor.program(.post, path, wrong)
        #expect(refused.json.string("error") == "invalid_grant")
        #expect(refused.headers[values: .setCookie].isEmpty)
        try await Self.expectRefused(visitor, "a wrong code")

        let proven = try await visitor.program(.post, path, [("code", code)])
        #expect(proven.status == 200)
        // For as long as the session's own lasts.
        #expect(proven.headers[.setCookie]?.contains("Max-Age=2592000") == true)
        let thief = TestVisitor(server)
        thief.cookies = visitor.cookies.merging(["__Host-session": before ?? ""]) { $1 }
        #expect(try await thief.session().status == 401)
        #expect(try await visitor.program(.post, "/v1/account/link/facebook").status == 200)
        #expect(try await visitor.program(.post, path, [("code", code)]).status == 400)
        server.clock.advance(by: 601)
        try await Self.expectRefused(visitor, "ten minutes later")
        #expect(try await server.accounts().count == 1)
    }

    @Test("WEB-SESS-8: a code proves the session that asked for it, and no other of the account")
    func otherSession() async throws {
        let (owner, thief) = (TestVisitor(server), TestVisitor(server))
        for visitor in [owner, thief] { _ = try await visitor.signIn("google", as: .ben) }
        _ = try await owner.program(.post, "/v1/account/reauthentication")
        let code = [("code", try #require(try await server.mailedCode()))]
        let path = "/v1/account/reauthentication/confirm"
        #expect(try await thief.program(.post, path, code).status == 400)
        try await Self.expectRefused(thief, "another session")
        #expect(try await owner.program(.post, path, code).status == 200)
        try await Self.expectRefused(thief, "another session")
        // Ending sessions takes nothing from the person: it needs no proof.
        #expect(try await owner.program(.post, "/v1/auth/logout?everywhere=true").status == 200)
        #expect(try await thief.session().status == 401)
    }

    @Test("WEB-CSRF-4: another site has no code sent, and confirms none")
    func forgery() async throws {
        _ = try await visitor.signIn("google", as: .ben)
        let cookie = try #require(visitor.cookies["__Host-session"])
        for path in ["/v1/account/reauthentication", "/v1/account/reauthentication/confirm"] {
            let fields: HTTPFields = [.cookie: "__Host-session=\(cookie)"]
            let reply = try await server.post(path, [("code", "000000")], headers: fields)
            #expect(reply.status == 403)
        }
        #expect(try await server.mailedCode() == nil)
    }

    @Test("WEB-SESS-8, PRV-G-13: One Tap and an app's token are silent; a code proves the session")
    func native() async throws {
        let credential = try server.googleToken(.ben, for: nil)
        visitor.cookies = ["g_csrf_token": "t"]
        _ = try await visitor.open(
            "/v1/auth/google/one-tap",
            method: .post,
            form: [("credential", credential), ("g_csrf_token", "t")],
            from: "https://\(BackendUnderTest.host)"
        )
        #expect(try await visitor.session().status == 200)
        try await Self.expectRefused(visitor, "One Tap")

        // Even where the token tells a time: no one here has asked for it.
        for provider in ["google", "keycloak"] {
            let made = try await server.post("/v1/auth/\(provider)/native/nonce", [])
            let nonce = try #require(made.json.string("nonce"))
            let token = try #require(
                try server.standIns.identityToken(
                    of: .ben,
                    at: provider == "google" ? .google : .openID,
                    nonce: nonce,
                    changes: [
                        "auth_time": .integer(server.clock.seconds),
                        "email": .string("\(provider)@example.org"),
                    ]
                )
            )
            let reply = try await server.post(
                "/v1/auth/\(provider)/native",
                [("id_token", token), ("nonce", nonce)]
            )
            guard reply.status == 200 else { continue }
            let bearer = "Bearer \(try #require(reply.json.string("session_token")))"
            func send(_ method: HTTPRequest.Method, _ path: String, _ form: [(String, String)] = [])
                async throws -> Reply
            {
                try await server.send(
                    method,
                    path,
                    headers: [
                        .authorization: bearer,
                        .contentType: "application/x-www-form-urlencoded",
                    ],
                    body: FormEncoding.encode(form.map { (name: $0.0, value: $0.1) })
                )
            }
            #expect(try await send(.delete, "/v1/account").status == 403)
            #expect(try await send(.post, "/v1/account/reauthentication").status == 200)
            let code = [("code", try #require(try await server.mailedCode()))]
            let proven = try await send(.post, "/v1/account/reauthentication/confirm", code)
            #expect(proven.status == 200)
            #expect(proven.headers[values: .setCookie].isEmpty)
            #expect(try await send(.delete, "/v1/account").status == 200)
        }
    }

    /// Ben, signed in more than ten minutes ago, is asked who he is before he adds Google.
    private func asked() async throws -> (TestVisitor, TestVisitor.Visited) {
        let visitor = try await server.signedIn("keycloak", as: .ben)
        server.clock.advance(by: 601)
        let ways = try await visitor.open("/account/ways")
        let page = try await visitor.press(("way", "facebook"), on: ways)
        #expect(page.path.hasPrefix("/account/confirm?for=adding"))
        return (visitor, page)
    }

    @Test(
        "WEB-SESS-8, attack D18: a provider that answers by an old session, whatever it is asked, proves nothing; the page says so, and a code does",
        arguments: [true, false]
    )
    func ignored(tellsTime: Bool) async throws {
        let (visitor, page) = try await self.asked()
        let session = visitor.cookies["__Host-session"]
        server.leaveSession(of: .ben)
        if !tellsTime { server.standIns.configure(.openID) { $0.idToken = [.withoutAuthTime] } }
        let back = try await visitor.press(("way", "keycloak"), on: page)
        let request = try #require(
            server.standIns.log.requests(to: .authorization, at: .openID).last
        )
        #expect(request["prompt"] == "login" && request["max_age"] == "0")
        #expect(back.path.hasPrefix("/account/confirm?for=adding"))
        #expect(back.path.contains("reason=not_reauthenticated"))
        #expect(back.reply.text.contains("didn’t ask you to sign in again"))
        #expect(visitor.cookies["__Host-session"] == session)
        try await Self.expectRefused(visitor, "an old session")

        let asked = try await visitor.press("code", on: back)
        #expect(asked.path.hasPrefix("/account/confirm/code?for=adding"))
        #expect(asked.reply.text.contains("b…@example.org"))
        let code = ("code", try #require(try await server.mailedCode()))
        let done = try await visitor.press("confirm", on: asked, [code])
        #expect(done.path == "/account/ways")
        #expect(visitor.cookies["__Host-session"] != session)
        #expect(try await visitor.program(.post, "/v1/account/link/facebook").status == 200)
    }

    @Test("WEB-SESS-8: a person who is asked again continues automatically, however long they take")
    func renewed() async throws {
        let (visitor, page) = try await self.asked()
        let keycloak = try await visitor.press(("way", "keycloak"), on: page)
        server.clock.advance(by: 300)
        // Asked as soon as they came; what took so long came after it.
        let asked = server.clock.seconds - 290
        server.standIns.configure(.openID) { $0.idToken = [.claim("auth_time", .integer(asked))] }
        let done = try await visitor.choose(.ben, at: keycloak, "keycloak")
        #expect(done.path == "/account/ways")
        #expect(try await visitor.program(.post, "/v1/account/link/facebook").status == 200)
    }

    @Test(
        "WEB-SESS-8: an identity to be added is asked again by its provider, if the provider supports it",
        arguments: [
            ("keycloak", ["prompt": "login", "max_age": "0"]),
            ("google", ["prompt": "select_account consent", "max_age": nil]),
            ("facebook", ["auth_type": "reauthenticate", "prompt": nil, "max_age": nil]),
            ("apple", ["prompt": nil, "max_age": nil, "auth_type": nil]),
        ] as [(String, [String: String?])]
    )
    func added(_ provider: String, _ expected: [String: String?]) async throws {
        let own = provider == "keycloak" ? "google" : "keycloak"
        _ = try await visitor.signIn(own, as: .ben)
        try await server.proveSessions()
        let byProgram = try await visitor.program(.post, "/v1/account/link/\(provider)")
        let ways = try await visitor.open("/account/ways")
        let byPage = try await visitor.press(("way", provider), on: ways)
        for address in [byProgram.json.string("authorizationUrl") ?? "", byPage.url] {
            let query = try FormParameters(decoding: address.drop { $0 != "?" }.dropFirst().utf8)
            for (name, value) in expected { #expect(query[name] == value, "\(name)") }
        }
    }

    @Test("WEB-ACC-1: what a person left at a provider is not added to another's account")
    func leftBehind() async throws {
        _ = try await visitor.signIn("google", as: .ben)
        try await server.proveSessions()
        server.leaveSession(of: .mia)
        let ways = try await visitor.open("/account/ways")
        let back = try await visitor.press(("way", "keycloak"), on: ways)
        #expect(back.path.hasPrefix("/account/ways?error=authentication_failed"))
        #expect(back.reply.text.contains("didn’t ask you to sign in again"))
        #expect(try await server.user(of: visitor).strings("providers") == ["google"])
    }

    @Test("WEB-SESS-8: without an address or a provider's time a sign-in is all there is")
    func nothingElse() async throws {
        _ = try await visitor.signIn("facebook", as: .paul)
        #expect(try await visitor.program(.post, "/v1/account/link/keycloak").status == 200)
        let none = try await visitor.program(.post, "/v1/account/reauthentication")
        #expect(none.json.string("error") == "conflict")
        server.clock.advance(by: 601)
        try await Self.expectRefused(visitor, "ten minutes later")
        let page = try await visitor.open("/account/confirm?for=deleting&return_to=/account/delete")
        let facebook = try await visitor.press(("way", "facebook"), on: page)
        let request = try #require(
            server.standIns.log.requests(to: .authorization, at: .facebook).last
        )
        #expect(request["auth_type"] == "reauthenticate")
        let back = try await visitor.choose(.paul, at: facebook, "facebook")
        #expect(back.path == "/account/delete")
        // Where the provider told a time, it counts, also an old one.
        server.standIns.configure(.openID) {
            $0.idToken = [.claim("auth_time", .integer(server.clock.seconds - 601))]
        }
        let other = try await server.signedIn("keycloak", as: .paul)
        try await Self.expectRefused(other, "an old time")
        _ = try await visitor.submit(
            back,
            to: "/account/delete",
            [("action", "delete"), ("sure", "1")]
        )
        #expect(try await server.accounts().count == 1)
    }
}
