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

@Suite("What a browser is given to keep") struct SessionCookieTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    /// Comes back from Google, and shows the answer of the callback itself.
    private static func callback(
        _ visitor: TestVisitor,
        _ start: String = "/v1/auth/google"
    ) async throws -> Reply {
        let page = try await visitor.open(start)
        let back = try await visitor.answered(page, [("person", "ann")])
        return try await visitor.request(try #require(back.location))
    }

    @Test("SEED-ADR-14, WEB-BFF-2, WEB-COOKIE-8: the session is an opaque id of 256 bits")
    func session() async throws {
        var values: Set<String> = []
        for (query, age) in [("", 86_400), ("?remember=1", 2_592_000)] {
            let visitor = TestVisitor(server)
            let reply = try await Self.callback(visitor, "/v1/auth/google" + query)
            let cookie = try #require(
                reply.headers[values: .setCookie].first { $0.hasPrefix("__Host-session=") }
            )
            let parts = cookie.split(separator: ";").map { $0.trimming(" ") }
            #expect(
                Set(parts.dropFirst()) == [
                    "Path=/", "Max-Age=\(age)", "Secure", "HttpOnly", "SameSite=Lax",
                ]
            )
            let value = String(parts[0].dropFirst("__Host-session=".count))
            #expect(Base64URL.decode(value)?.count == 32)
            values.insert(value)
            // No body and no address has it, and the row has its hash alone.
            #expect(!reply.text.contains(value) && reply.location?.contains(value) == false)
            let row = try #require(
                try await server.database.liveByFirstStep(
                    cookie: Hash256(of: value),
                    at: server.clock.seconds
                )
            )
            #expect(row.session.form == .browser(cookieHash: Hash256(of: value)))
            #expect(!"\(row)".contains(value))
            // Revoked there, it is worth nothing here.
            _ = try await server.database.sessions.signOut(
                row.session.id,
                of: row.person.id,
                at: server.clock.seconds
            )
            #expect(try await visitor.session().status == 401)
        }
        #expect(values.count == 2)
    }

    @Test("WEB-BFF-9: the session endpoint tells who is signed in, and nothing else")
    func told() async throws {
        _ = try await visitor.signIn()
        let reply = try await visitor.session()
        #expect(Set(reply.json.map { $0.name }) == ["authenticated", "user", "session"])
        #expect(
            Set(reply.json.object("user")?.map { $0.name } ?? [])
                == ["id", "email", "email_verified", "name", "picture", "providers"]
        )
        #expect(
            Set(reply.json.object("session")?.map { $0.name } ?? []) == [
                "id", "expires_at", "device",
            ]
        )
        #expect(reply.headers[.cacheControl] == "no-store")
    }

    @Test("WEB-BFF-10: only what is listed goes on to the provider")
    func passedThrough() async throws {
        let plain = try await TestVisitor(server).request("/v1/auth/google").redirected
        let further = try await TestVisitor(server).request(
            "/v1/auth/google?prompt=create&scope=admin&client_id=evil&response_type=token"
                + "&redirect_uri=https%3A%2F%2Fevil.example&nonce=n&access_type=x&hd=evil.example"
                + "&login_hint=ann%40example.com&code_challenge=c"
        ).redirected
        #expect(Set(further.keys) == Set(plain.keys).union(["login_hint"]))
        for name in plain.keys where !["state", "nonce", "code_challenge"].contains(name) {
            #expect(further[name] == plain[name], "\(name)")
        }
        #expect(further["nonce"] != "n" && further["code_challenge"] != "c")
        let long = String(repeating: "a", count: 256)
        let cut = try await TestVisitor(server).request("/v1/auth/google?login_hint=\(long)")
        #expect(cut.redirected["login_hint"] == nil)
        // What signs somebody in at a provider does not come from a link (attack C31).
        for hint in ["login-token.abc", "Login-Token.abc"] {
            let dropped = try await TestVisitor(server).request(
                "/v1/auth/google?login_hint=\(hint)"
            )
            #expect(dropped.redirected["login_hint"] == nil)
        }
        for prompt in ["login", "select_account"] {
            let asked = try await TestVisitor(server).request("/v1/auth/keycloak?prompt=\(prompt)")
            #expect(asked.redirected["prompt"]?.contains(prompt) == true)
        }
    }

    @Test("WEB-BFF-3: a person who is asked is kept in a sealed cookie for ten minutes")
    func waiting() async throws {
        _ = try await TestVisitor(server).signIn("keycloak", as: .ann)
        let found = try await visitor.signIn("google", as: .ann)
        #expect(found.path == "/login/account")
        let value = try #require(visitor.cookies["__Host-pending"])
        let bytes = String(decoding: Base64URL.decode(value) ?? [], as: UTF8.self)
        for word in ["ann@", "example", "google", "keycloak"] {
            #expect(!value.contains(word) && !bytes.contains(word), "\(word)")
        }
        // With any one character changed, it identifies no one.
        let changed = value.dropLast() + (value.hasSuffix("A") ? "Q" : "A")
        visitor.cookies["__Host-pending"] = String(changed)
        #expect(try await visitor.open("/login/account").reply.status == 400)
        visitor.cookies["__Host-pending"] = value
        #expect(try await visitor.open("/login/account").reply.status == 200)
        server.clock.advance(by: 601)
        #expect(try await visitor.open("/login/account").reply.status == 400)
    }

    @Test("attack E28: a state of 1024 bytes and the longest way back fit; one more is refused")
    func longRequests() async throws {
        var app = TestApp()
        app.state = String(repeating: "s", count: 1024)
        let started = try await visitor.request(
            FormEncoding.appending(app.start, to: "/v1/auth/google")
        )
        try Self.expectFitting(started)
        let end = try await visitor.signIn("google", as: .ann, app.start)
        #expect(end.url.contains(app.state))
        app.state += "s"
        let refused = try await visitor.request(
            FormEncoding.appending(app.start, to: "/v1/auth/google")
        )
        #expect(refused.status == 400 && refused.headers[values: .setCookie].isEmpty)

        let path = "/" + String(repeating: "p", count: 1023)
        let web = try await visitor.request("/v1/auth/google?return_to=\(path)")
        try Self.expectFitting(web)
        _ = try await visitor.signIn()
        #expect(try await visitor.signIn("google", as: .ann, [("return_to", path)]).path == path)
        #expect(
            try await visitor.signIn("google", as: .ann, [("return_to", path + "p")]).path
                == "/dashboard"
        )
    }

    @Test("attack E28: claims that no cookie holds lose what is only shown, never the person")
    func longClaims() async throws {
        _ = try await TestVisitor(server).signIn("keycloak", as: .ann)
        let token = String(repeating: "r", count: 3500)
        server.standIns.configure(.google) {
            $0.tokenAnswer = .member("refresh_token", .string(token))
            $0.idToken = [
                .claim("name", .string(String(repeating: "n", count: 9000))),
                .claim(
                    "picture",
                    .string("https://pictures.example/" + String(repeating: "x", count: 1900))
                ),
            ]
        }
        let found = try await visitor.signIn("google", as: .ann)
        #expect(found.path == "/login/account")
        let pending = try #require(visitor.cookies["__Host-pending"])
        #expect("__Host-pending".utf8.count + pending.utf8.count <= 4096)
        let done = try await visitor.submit(found, [("action", "separate")])
        #expect(done.path == "/onboarding")
        #expect(try await server.accounts().count == 2)

        // A person who is not asked needs no cookie for it: the row has everything.
        let other = TestVisitor(server)
        let welcome = try await other.signIn("google", as: .ben)
        #expect(welcome.path == "/onboarding")
        for (name, value) in other.cookies { #expect(name.utf8.count + value.utf8.count <= 4096) }
    }

    /// Every cookie that is set is one that a browser keeps.
    private static func expectFitting(_ reply: Reply) throws {
        #expect(reply.status == 303)
        let cookies = reply.headers[values: .setCookie].map { $0.prefix { $0 != ";" } }
        #expect(cookies.count >= 2)
        for cookie in cookies { #expect(cookie.utf8.count - 1 <= 4096) }
    }
}

extension StringProtocol {
    fileprivate func trimming(_ characters: String) -> String {
        String(drop { characters.contains($0) })
    }
}
