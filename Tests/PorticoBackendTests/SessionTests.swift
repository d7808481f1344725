import Foundation
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

@Suite("Sessions and the account") struct SessionTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest()
        visitor = TestVisitor(server)
    }

    private static let programs: HTTPFields = {
        var fields: HTTPFields = [.accept: "application/json"]
        fields[.portico] = "1"
        return fields
    }()

    private static func send(
        _ visitor: TestVisitor,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ headers: HTTPFields = programs
    ) async throws -> Reply {
        try await visitor.request(path, method, [], from: "https://app.example.com/", headers)
    }

    @Test(
        "Decision 0029: without a session the answer says why",
        arguments: [
            (nil, "NO_COOKIE"), ("short", "INVALID_COOKIE"),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "SESSION_EXPIRED"),
        ] as [(String?, String)]
    )
    func absence(_ cookie: String?, _ reason: String) async throws {
        if let cookie { visitor.cookies = ["__Host-session": cookie] }
        let reply = try await visitor.session()
        #expect(reply.status == 401)
        #expect(reply.json.bool("authenticated") == false)
        #expect(reply.json.string("error") == "unauthorized")
        #expect(reply.json.string("reason") == reason)
        #expect(reply.json.string("message") != nil)
    }

    @Test("WEB-COOKIE-7: two session cookies are none")
    func twoCookies() async throws {
        _ = try await visitor.signIn()
        let cookie = try #require(visitor.cookies["__Host-session"])
        let reply = try await server.send(
            .get,
            "/v1/auth/session",
            headers: [.cookie: "__Host-session=\(cookie); __Host-session=\(cookie)"]
        )
        #expect(reply.status == 401)
    }

    @Test(
        "WEB-CSRF-4: signing out needs the header, or a page of ours",
        arguments: [
            ("none", false), ("cross-site", false), ("same-site", false), ("same-origin", true),
        ]
    )
    func forgery(_ site: String, _ isAllowed: Bool) async throws {
        _ = try await visitor.signIn()
        let cookie = try #require(visitor.cookies["__Host-session"])
        var fields: HTTPFields = [.cookie: "__Host-session=\(cookie)"]
        if site != "none" { fields[.fetchSite] = site }
        let reply = try await server.send(.post, "/v1/auth/logout", headers: fields)
        #expect(reply.status == (isAllowed ? 200 : 403))
        #expect(try await visitor.session().status == (isAllowed ? 401 : 200))
    }

    @Test("Sign out here leaves the other device; everywhere ends all")
    func everywhere() async throws {
        let one = TestVisitor(server)
        let two = TestVisitor(server)
        let three = TestVisitor(server)
        for visitor in [one, two, three] { _ = try await visitor.signIn() }
        #expect(try await Self.send(one, .post, "/v1/auth/logout").status == 200)
        #expect(try await one.session().status == 401)
        #expect(try await two.session().status == 200)
        _ = try await Self.send(two, .post, "/v1/auth/logout?everywhere=true")
        #expect(try await three.session().status == 401)
    }

    @Test("WEB-SESS-7: sessions are listed, and one can be ended from another device")
    func list() async throws {
        let one = TestVisitor(server)
        let two = TestVisitor(server, userAgent: "Mozilla/5.0 (iPhone) Safari/605.1.15")
        _ = try await one.signIn()
        _ = try await two.signIn()
        let list = try await Self.send(one, .get, "/v1/account/sessions")
        let sessions = list.json.array("sessions")?.compactMap(\.object) ?? []
        #expect(
            Set(sessions.compactMap { $0.string("device") }) == [
                "Firefox · Linux", "Safari · iPhone",
            ]
        )
        let other = try #require(sessions.first { $0.bool("current") == false }?.string("id"))
        #expect(try await Self.send(one, .delete, "/v1/account/sessions/\(other)").status == 200)
        #expect(try await two.session().status == 401)
        let unknown = UniqueID(random: .system).text
        #expect(try await Self.send(one, .delete, "/v1/account/sessions/\(unknown)").status == 404)
    }

    @Test("PRV-A-19, SEED-ADR-5: deleting the account ends everything, and tells Apple")
    func deletion() async throws {
        _ = try await visitor.signIn("apple")
        try await server.proveSessions()
        let held = try await Self.send(visitor, .get, "/v1/account")
        #expect(held.json.array("providers")?.count == 1)
        #expect(held.json.array("sessions")?.count == 1)
        let deleted = try await Self.send(visitor, .delete, "/v1/account")
        #expect(deleted.status == 200)
        #expect(deleted.json.bool("provider_tokens_revoked") == true)
        #expect(server.standIns.log.count(.revocation, at: .apple) == 1)
        #expect(try await visitor.session().status == 401)
        #expect(try await server.accounts().isEmpty)
        // The same person registers anew, with another id.
        let welcome = try await TestVisitor(server).signIn("apple")
        #expect(welcome.path == "/onboarding")
    }

    @Test("WEB-SESS-8: ten minutes after the proof, sensitive changes ask for a new one")
    func recent() async throws {
        _ = try await visitor.signIn()
        try await server.proveSessions()
        server.clock.advance(by: 601)
        for (method, path) in [
            (HTTPRequest.Method.delete, "/v1/account"), (.delete, "/v1/account/unlink/google"),
            (.post, "/v1/account/link/facebook"), (.post, "/v1/account/email"),
        ] {
            let reply = try await Self.send(visitor, method, path)
            #expect(reply.refusal == "403 reauthentication_required")
        }
        #expect(try await server.accounts().count == 1)
    }

    @Test("WEB-SESS-8: a provider's session that is old, or to come, is no new proof")
    func authTime() async throws {
        for (ago, isProof) in [(601, false), (599, true), (-100_000, false)] {
            let visitor = TestVisitor(server)
            let time = server.clock.seconds - Int64(ago)
            server.standIns.configure(.openID) {
                $0.idToken = [.claim("auth_time", .integer(time))]
            }
            _ = try await visitor.signIn("keycloak", as: .ben)
            let reply = try await Self.send(visitor, .post, "/v1/account/link/facebook")
            #expect((reply.status == 200) == isProof)
            let page = try await visitor.open("/account/ways")
            let end = try await visitor.submit(page, to: "/account/ways", [("way", "facebook")])
            #expect(end.path.hasPrefix("/account/confirm?for=") != isProof)
            server.clock.advance(by: 601)
            let later = try await Self.send(visitor, .post, "/v1/account/link/facebook")
            #expect(later.json.string("error") == "reauthentication_required")
            // Asked once more by the provider, they have proven it.
            server.standIns.repair()
            let asked = try await visitor.open(
                "/v1/auth/keycloak?return_to=/account/ways&prompt=login"
            )
            _ = try await visitor.choose(.ben, at: asked, "keycloak")
            #expect(try await Self.send(visitor, .post, "/v1/account/link/facebook").status == 200)
        }
    }

    @Test("PRV-G-4: Google, which knows no prompt=login, is asked for the choice of an account")
    func googlePrompt() async throws {
        let google = try await server.send(.get, "/v1/auth/google?prompt=login")
        #expect(google.location?.contains("prompt=select_account") == true)
        let other = try await server.send(.get, "/v1/auth/keycloak?prompt=login")
        #expect(other.location?.contains("prompt=login") == true)
        #expect(other.location?.contains("max_age=0") == true)
    }

    @Test("WEB-SESS-5: blocking an account ends its sessions, and lets it in no more")
    func blocked() async throws {
        _ = try await visitor.signIn()
        let account = try #require(try await server.accounts().first)
        _ = try await server.database.block(account.id, true, at: server.clock.seconds)
        #expect(try await visitor.session().status == 401)
        let page = try await TestVisitor(server).signIn()
        #expect(page.path.hasPrefix("/login?error=account_blocked"))
    }

    @Test("SEED-ADR-19: the association files are made of the registered apps")
    func association() async throws {
        let apple = try await server.send(.get, "/.well-known/apple-app-site-association")
        #expect(apple.status == 200)
        #expect(apple.headers[.contentType] == "application/json")
        #expect(
            apple.json.object("webcredentials")?.strings("apps") == ["ABCDE12345.com.example.notes"]
        )
        #expect(apple.text.contains("\"/auth/callback\""))
        // RFC 3986 §6.2.3: a browser opens "/" where a redirect has no path.
        var pathless = BackendUnderTest.notes
        pathless.redirectURIs = ["https://app.example.com", "https://app.example.com:8443?x=/y"]
            .map { RedirectURI($0) }
        let other = try await BackendUnderTest(apps: [pathless])
        let file = try await other.send(.get, "/.well-known/apple-app-site-association")
        let details = file.json.object("applinks")?.array("details")?.compactMap(\.object)
        #expect(
            details?.first?.array("components")?.compactMap { $0.object?.string("/") } == [
                "/", "/",
            ]
        )
        let android = try await server.send(.get, "/.well-known/assetlinks.json")
        #expect(android.headers[.contentType] == "application/json")
        #expect(android.text.contains("com.example.notes"))
    }

    @Test("Rate limits hold per address behind a trusted proxy, whatever X-Forwarded-For adds")
    func limits() async throws {
        let server = try await BackendUnderTest(limits: .init())
        let other = TestVisitor(server, from: "198.51.100.7")
        for count in 0..<63 {
            // A client writes what it likes further left; the proxy's own word is the last.
            let visitor = TestVisitor(server, from: "203.0.113.\(count), 192.0.2.9")
            let reply = try await visitor.request("/v1/auth/google")
            #expect(reply.status == (count < 60 ? 303 : 429), "\(count)")
            if count >= 60 { #expect(reply.headers[.retryAfter] != nil) }
        }
        #expect(try await other.request("/v1/auth/google").status == 303)
        #expect(try await other.request("/v1/auth/facebook").status == 303)
    }
}

/// A service behind a proxy believes these headers (docs/nginx.md).
@Suite("What a proxy's question about a session is told in headers") struct SessionHeaderTests {
    private static func field(_ name: String, _ reply: Reply) throws -> String? {
        reply.headers[try #require(HTTPField.Name(name))]
    }

    @Test(
        "WEB-BFF-9: person, session, address and whether it is proven, as in the body",
        arguments: [
            ("google", StandInPerson.ann, "ann@example.com", "true"),
            ("keycloak", .uma, "ann@example.com", "false"), ("facebook", .paul, nil, nil),
        ] as [(String, StandInPerson, String?, String?)]
    )
    func headers(
        _ provider: String,
        _ person: StandInPerson,
        _ email: String?,
        _ isVerified: String?
    ) async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn(provider, as: person)
        let reply = try await visitor.session()
        let user = try #require(reply.json.object("user"))
        #expect(try Self.field("X-Portico-User", reply) == user.string("id"))
        #expect(
            try Self.field("X-Portico-Session", reply)
                == reply.json.object("session")?.string("id")
        )
        #expect(try Self.field("X-Portico-Email", reply) == email)
        #expect(user.string("email") == email)
        #expect(try Self.field("X-Portico-Email-Verified", reply) == isVerified)
        #expect(user.bool("email_verified") == (isVerified == "true"))
        // In a browser it is no app's session.
        #expect(try Self.field("X-Portico-App", reply) == nil)
    }

    @Test("An address that a header cannot hold is in the body only, and so is what is said of it")
    func unwritable() async throws {
        let server = try await BackendUnderTest()
        server.standIns.configure(.openID) {
            $0.profile = ["email": "änn@example.com"]
            $0.idToken = [.claim("email", "änn@example.com")]
        }
        let visitor = try await server.signedIn("keycloak", as: .ann)
        let reply = try await visitor.session()
        #expect(reply.json.object("user")?.string("email") == "änn@example.com")
        #expect(try Self.field("X-Portico-Email", reply) == nil)
        #expect(try Self.field("X-Portico-Email-Verified", reply) == nil)
        #expect(try Self.field("X-Portico-User", reply) != nil)
    }
}

@Suite("Very many sessions of one account") struct ManySessionsTests {
    @Test("WEB-SESS-7: a hundred sessions are shown at most, and this one is among them")
    func shown() async throws {
        let server = try await BackendUnderTest()
        let visitor = try await server.signedIn("google", as: .ann)
        // All others are seen after it.
        server.clock.advance(by: 60)
        for _ in 0..<110 { _ = try await TestVisitor(server).signIn("google", as: .ann) }
        for path in ["/v1/account/sessions", "/v1/account"] {
            let sessions = try await visitor.program(.get, path).json.array("sessions") ?? []
            #expect(sessions.count == 100)
            #expect(sessions.count { $0.object?.bool("current") == true } == 1)
        }
        let page = try await visitor.open("/account/devices")
        #expect(page.reply.text.contains("id=\"device-100\""))
        #expect(!page.reply.text.contains("id=\"device-101\""))
        let done = try await visitor.submit(
            page,
            to: "/account/devices",
            [("action", "end-others")]
        )
        #expect(done.path == "/account/devices?done=others")
        let left = try await visitor.program(.get, "/v1/account/sessions").json.array("sessions")
        #expect(left?.count == 1)
    }
}
