import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// Signing in by handle, from the field to the session.
@Suite struct HandleSignInTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest.withHandles()
        visitor = TestVisitor(server)
    }

    @Test("ATP-AR-1, ATP-CA-1, ATP-CB-2: by handle in a browser, each request as it has to be")
    func web() async throws {
        let begun = try await visitor.begin("@Ann.example.com ")
        #expect(begun.status == 302)
        #expect(begun.location?.hasPrefix("https://pds.example.com/oauth/authorize?") == true)
        #expect(Set(begun.redirected.keys) == ["client_id", "request_uri"])
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(back.status == 302)
        #expect(back.location == "/dashboard")
        #expect(visitor.cookies.keys.contains("__Host-session"))
        #expect(visitor.cookies.keys.contains("sid"))
        #expect(!visitor.cookies.keys.contains { $0.hasPrefix("__Host-attempt") })

        let pushes = server.hosts.asked.filter { $0.path == "/oauth/par" }
        // The first one had no nonce yet.
        #expect(pushes.count == 2)
        let push = try #require(pushes.last)
        let clientID = "https://app.example.com/oauth-client-metadata.json"
        #expect(push.form["client_id"] == clientID)
        #expect(push.form["redirect_uri"] == "https://app.example.com/oauth/callback")
        #expect(push.form["login_hint"] == "ann.example.com")
        #expect(push.form["scope"] == "atproto transition:generic")
        #expect(push.form["code_challenge_method"] == "S256")
        let tokens = try #require(server.hosts.asked.last)
        #expect(tokens.isGrant("authorization_code"))
        #expect(tokens.form["redirect_uri"] == push.form["redirect_uri"])
        #expect(tokens.form["client_id"] == clientID)
        #expect(tokens.thumbprint == push.thumbprint)
        let key = try #require(server.backend.signIn.directory.handleKeys.first)
        for asked in server.hosts.asked {
            let assertion = try #require(asked.assertion)
            #expect(assertion.header.string("alg") == "ES256")
            #expect(assertion.header.string("kid") == key.keyID)
            #expect(assertion.claims.string("iss") == clientID)
            #expect(assertion.claims.string("sub") == clientID)
            #expect(assertion.claims.string("aud") == "https://pds.example.com")
            #expect(assertion.claims.int64("iat") == server.clock.seconds - 10)
        }
        let ids = server.hosts.asked.compactMap { $0.assertion?.claims.string("jti") }
        #expect(Set(ids).count == server.hosts.asked.count)

        let session = try #require(try await server.handleSession(back))
        #expect(session.handle.did == TestHosts.Person.ann.did)
        #expect(session.handle.handle == "ann.example.com")
        #expect(session.handle.host == "https://pds.example.com")
        #expect(session.handle.issuer == "https://pds.example.com")
        #expect(session.handle.clientID == clientID)
        #expect(session.handle.clientKeyID == key.keyID)
        #expect(session.handle.scope == "atproto transition:generic")
        #expect(session.handle.accessExpiresAt == server.clock.seconds + 3599)
        #expect(session.live.session.idleSeconds == SidCookie.lifetime)
        #expect(session.live.session.expiresAt == server.clock.seconds + HandleSessionCheck.longest)
        let kept = try #require(HandleTokenVault(ring: server.ring).open(session.handle))
        #expect(kept.key.thumbprint.text == push.thumbprint)
        #expect(kept.refresh != nil)
        let user = try await server.user(of: visitor)
        #expect(user.string("name") == "ann.example.com")
        #expect(user.strings("providers") == ["atproto"])
    }

    @Test("ATP-AR-6: state is random, new for each attempt, and holds nothing")
    func state() async throws {
        for _ in 1...5 { _ = try await TestVisitor(server).begin("ann.example.com") }
        let states = server.hosts.asked.compactMap { $0.form["state"] }
        #expect(Set(states).count == 5)
        // 16 random bytes.
        #expect(states.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil })
    }

    @Test("Decision 0062: a DID or a host begins as well, and a host has no login_hint")
    func starts() async throws {
        for (text, hint) in [
            (TestHosts.Person.bob.did, TestHosts.Person.bob.did),
            ("https://other.example.com", nil),
        ] {
            server.hosts.forgetRequests()
            let visitor = TestVisitor(server)
            let begun = try await visitor.begin(text)
            #expect(server.hosts.asked.last?.form["login_hint"] == hint)
            let back = try await visitor.request(server.hosts.approve(begun.location, as: .bob))
            #expect(back.location == "/dashboard")
            let session = try #require(try await server.handleSession(back))
            #expect(session.handle.did == TestHosts.Person.bob.did)
            #expect(session.handle.issuer == "https://other.example.com")
        }
        #expect(try await server.accounts().count == 1)
    }

    @Test(
        "Decision 0060: who did not tick the box has a session and cookies of a day",
        arguments: [
            ("/v1/auth/atproto?return_to=%2Freports", 86_400),
            ("/v1/auth/atproto", 86_400), ("/v1/auth/atproto?remember=1", 1_209_600),
            ("/mobile-auth?redirect=%2Freports", 1_209_600),
        ] as [(String, Int64)]
    )
    func remembered(_ start: String, _ seconds: Int64) async throws {
        let page = try await visitor.open(start)
        let form = try #require(HTMLForm.all(in: page.reply.text).first { $0.action == "/login" })
        let fields = form.hidden.filter { $0.0 != "ask" } + [("handle", "ann.example.com")]
        let begun = try await visitor.request(
            FormEncoding.appending(fields.map { (name: $0.0, value: $0.1) }, to: "/login"),
            from: page.url
        )
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(back.status == 302)
        func age(_ reply: Reply) -> String? {
            reply.headers[values: .setCookie].first { $0.hasPrefix("sid=") }.flatMap { field in
                field.split(separator: ";").first { $0.hasPrefix(" Max-Age=") }.map { String($0) }
            }
        }
        #expect(age(back) == " Max-Age=\(seconds)")
        let session = try #require(try await server.handleSession(back)).live.session
        #expect(session.idleSeconds == seconds)
        let longest = seconds == 86_400 ? 86_400 : HandleSessionCheck.longest
        #expect(session.expiresAt == server.clock.seconds + longest)
        // A cookie that is made again lasts no longer.
        server.clock.advance(by: 1000)
        let again = try await visitor.request("/api/auth/session")
        #expect(again.status == 200 && age(again) == " Max-Age=\(seconds)")
        server.clock.advance(by: Double(seconds))
        let over = try await visitor.request("/api/auth/session")
        #expect(over.location?.hasPrefix("/mobile-auth") == true, "\(over.status)")
    }

    @Test("Decision 0060: with sid.days sessions and cookies last as long, in browsers and apps")
    func days() async throws {
        let life: Int64 = 259_200
        let server = try await BackendUnderTest.withHandles(sessionsLast: life)
        let visitor = TestVisitor(server)
        let back = try await visitor.byHandle()
        let field = back.headers[values: .setCookie].first { $0.hasPrefix("sid=") }
        #expect(field?.contains("Max-Age=259200;") == true)
        let session = try #require(try await server.handleSession(back)).live.session
        #expect(session.idleSeconds == life)
        #expect(session.expiresAt == server.clock.seconds + HandleSessionCheck.longest)
        let app = TestApp()
        let handed = try await TestVisitor(server).byHandle(app.start)
        let code = try #require(handed.redirected["code"])
        let answer = try await app.redeem(code, at: server)
        #expect(answer.json.int64("expires_in") == life)
        let seal = try #require(answer.json.string("session_token"))
        #expect(try await server.handleSession(ofSeal: seal)?.live.session.idleSeconds == life)
        server.clock.advance(by: Double(life) + 1)
        let over = try await visitor.request("/api/auth/session")
        #expect(over.location?.hasPrefix("/mobile-auth") == true, "\(over.status)")
    }

    @Test(
        "ATP-M-8: redirect is a path of ours, and nothing else",
        arguments: [
            ("/reports?year=2", "/reports?year=2"), ("//evil.example", "/"),
            ("/\\evil.example", "/"), ("/%09/evil.example", "/"), ("/%5Cevil.example", "/"),
            ("https://evil.example/", "/"),
        ]
    )
    func redirect(_ asked: String, _ path: String) async throws {
        let back = try await TestVisitor(server).byHandle([("redirect", asked)])
        #expect(back.location == path)
    }

    @Test("ATP-M-1: an app gets a code that only it can redeem, for a seal and the cookie's name")
    func app() async throws {
        let app = TestApp()
        let query = app.start.filter { $0.name != "platform" } + [("mobile", "true")]
        let back = try await visitor.byHandle(query)
        #expect(back.location?.hasPrefix("https://app.example.com/auth/callback?code=") == true)
        #expect(back.redirected["state"] == app.state)
        #expect(!back.headers[values: .setCookie].contains { $0.hasPrefix("sid=") })
        let code = try #require(back.redirected["code"])
        let answer = try await app.redeem(code, at: server)
        #expect(answer.status == 200)
        #expect(answer.json.string("token_type") == "Cookie")
        #expect(answer.json.string("cookie_name") == "sid")
        #expect(answer.json.string("did") == TestHosts.Person.ann.did)
        #expect(answer.json.string("handle") == "ann.example.com")
        #expect(answer.json.int64("expires_in") == SidCookie.lifetime)
        #expect(answer.json.object("user")?.string("name") == "ann.example.com")
        let seal = try #require(answer.json.string("session_token"))
        let session = try #require(try await server.handleSession(ofSeal: seal))
        #expect(session.handle.did == TestHosts.Person.ann.did)
        // Decision 0013: a second presentation ends what the first one got.
        #expect(try await app.redeem(code, at: server).json.string("error") == "invalid_grant")
        #expect(try await server.handleSession(ofSeal: seal) == nil)
    }

    @Test("ATP-M-1: where there is no cookie to give, the app gets no other token")
    func noCookie() async throws {
        let app = TestApp()
        let back = try await TestVisitor(server).byHandle(app.start)
        let code = try #require(back.redirected["code"])
        try await server.setUp("atproto") { $0.isEnabled = false }
        let answer = try await app.redeem(code, at: server)
        #expect(answer.refusal == "400 invalid_grant")
        #expect(answer.json["session_token"] == nil)
    }

    @Test("ATP-M-1: of many presentations of a code at once, none gets a Bearer token")
    func together() async throws {
        for _ in 1...5 {
            let server = try await BackendUnderTest.withHandles()
            let app = TestApp()
            let back = try await TestVisitor(server).byHandle(app.start)
            let code = try #require(back.redirected["code"])
            let answers = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<15 { group.addTask { try await app.redeem(code, at: server) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let taken = answers.filter { $0.status == 200 }
            #expect(taken.count <= 1)
            #expect(taken.allSatisfy { $0.json.string("token_type") == "Cookie" })
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 400 })
        }
    }

    @Test("ATP-M-1: with another verifier the code is spent, and no session begins")
    func otherVerifier() async throws {
        let app = TestApp()
        let back = try await TestVisitor(server).byHandle(app.start)
        let code = try #require(back.redirected["code"])
        let wrong = try await TestApp().redeem(code, at: server)
        #expect(wrong.json.string("error") == "invalid_grant")
        #expect(try await app.redeem(code, at: server).json.string("error") == "invalid_grant")
    }

    @Test("ATP-M-3, ATP-M-4: the compatibility mode, from page to address, byte for byte")
    func compatibility() async throws {
        let page = try await visitor.open("/mobile-auth")
        #expect(page.reply.status == 200)
        let form = try #require(HTMLForm.all(in: page.reply.text).last)
        #expect(form.action == "/login")
        #expect(form.hidden.contains { $0 == ("mobile", "true") })
        // The literal request of apps that are there.
        let begun = try await visitor.request("/login?handle=ann.example.com&mobile=true")
        #expect(begun.status == 302)
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(back.status == 302)
        let location = try #require(back.location)
        let start = "com.example.moved:/auth-callback?session_token=Fe26.2*1*"
        #expect(location.hasPrefix(start))
        #expect(
            location.hasSuffix(
                "%7E2&did=did%3Aplc%3Aannannannannannannannann&handle=ann.example.com"
            )
        )
        #expect(!location.contains("~"))
        let seal = try #require(back.redirected["session_token"])
        let session = try #require(try await server.handleSession(ofSeal: seal))
        #expect(session.handle.handle == "ann.example.com")
        // The app has it, and the browser it came by has none.
        #expect(visitor.cookies["sid"] == nil)
        #expect(!visitor.cookies.keys.contains("__Host-session"))
    }

    @Test("ATP-M-2: a scheme in the request is not read")
    func scheme() async throws {
        let query = [("mobile", "true"), ("mobileScheme", "evil://"), ("scheme", "evil")]
        let back = try await TestVisitor(server).byHandle(query)
        #expect(back.location?.hasPrefix("com.example.moved:/auth-callback?") == true)
        let evil = try await TestVisitor(server).begin(
            "ann.example.com",
            [("mobile", "true"), ("redirect_uri", "evil:/callback")]
        )
        #expect(evil.status == 400)
    }

    @Test("ATP-M-4: a handle that the account does not confirm is not told")
    func unconfirmed() async throws {
        server.hosts.unconfirm(.ann)
        let back = try await visitor.returned(TestHosts.Person.ann.did, [("mobile", "true")])
        #expect(back.redirected["handle"] == "handle.invalid")
        #expect(try await server.accounts().first?.name == nil)
    }

    @Test("/login with pwa=true: the window that opened this one is told, and reads no secret")
    func popup() async throws {
        let begun = try await visitor.begin("ann.example.com", [("pwa", "true")])
        let opener = try #require(HTTPField.Name("Cross-Origin-Opener-Policy"))
        #expect(begun.headers[opener] == nil)
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(back.status == 200)
        #expect(back.headers[opener] == nil)
        let policy = try #require(back.headers[.contentSecurityPolicy])
        let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([A-Za-z0-9_-]{22})'/))
        #expect(back.text.contains("nonce=\"\(nonce.1)\""))
        #expect(back.text.contains(TestHosts.Person.ann.did))
        let seal = try #require(visitor.cookies["sid"])
        #expect(!back.text.contains(seal))
        #expect(try await server.handleSession(ofSeal: seal) != nil)
    }

    @Test("/login: POST /login begins as GET does, and answers 303; programs get JSON")
    func methods() async throws {
        let posted = try await TestVisitor(server).request(
            "/login",
            .post,
            [("handle", "ann.example.com")],
            from: "https://\(BackendUnderTest.host)/"
        )
        #expect(posted.status == 303)
        #expect(posted.redirected["request_uri"] != nil)
        let json = try await server.json("/login?handle=ann.example.com")
        #expect(json.status == 200)
        #expect(json.json.string("provider") == "atproto")
        let address = json.json.string("authorizationUrl") ?? ""
        #expect(address.hasPrefix("https://pds.example.com/oauth/authorize?"))
    }

    @Test("ATP-TL-6: two sign-ins of one person are two sessions, with tokens and keys apart")
    func twoDevices() async throws {
        let vault = HandleTokenVault(ring: server.ring)
        var kept: [HandleTokenVault.Tokens] = []
        for _ in 0..<2 {
            let back = try await TestVisitor(server).byHandle()
            let session = try #require(try await server.handleSession(back))
            kept.append(try #require(vault.open(session.handle)))
        }
        #expect(kept[0].refresh != kept[1].refresh)
        #expect(kept[0].key.thumbprint != kept[1].key.thumbprint)
        #expect(try await server.accounts().count == 1)
    }
}

/// What `/login` sends on to a host, and what it keeps to itself.
@Suite struct HandleLoginTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest.withHandles()
        visitor = TestVisitor(server)
    }

    @Test(
        "/login: prompt reaches the host where its value is known, and not otherwise",
        arguments: [
            ("login", "login"), ("select_account", "select_account"), ("consent", "consent"),
            ("create", "create"), ("none", nil), ("x", nil), ("login consent", nil),
        ] as [(String, String?)]
    )
    func prompt(_ asked: String, _ pushed: String?) async throws {
        let begun = try await TestVisitor(server).begin("ann.example.com", [("prompt", asked)])
        #expect(begun.status == 302)
        let push = try #require(server.hosts.asked.last)
        #expect(push.path == "/oauth/par")
        #expect(push.form["prompt"] == pushed)
    }

    @Test("/login: a browser that began with JSON comes back to its attempt")
    func json() async throws {
        let begun = try await visitor.open(
            "/login?handle=ann.example.com",
            headers: [.accept: "application/json"]
        )
        let address = try #require(begun.reply.json.string("authorizationUrl"))
        let back = try await visitor.request(server.hosts.approve(address, as: .ann))
        #expect(back.location == "/dashboard")
    }

    @Test("The page that asks: where the directory of DIDs is away, it is the one that is named")
    func directory() async throws {
        server.hosts.setAway("plc.directory")
        let page = try await TestVisitor(server).begin(TestHosts.Person.cat.did)
        #expect(page.status == 503)
        let words = page.text.replacing(/<[^>]*>/, with: "")
        #expect(words.contains("plc.directory isn’t answering"), "\(words)")
    }

    @Test("Decision 0027: a handle that is not found is logged, and what is mistyped is not")
    func told() async throws {
        func failures() -> [Substring] {
            server.log.split(separator: "\n").filter { $0.contains("event=handle.failed") }
        }
        for mistyped in ["a b.c", "ann"] {
            #expect(try await TestVisitor(server).begin(mistyped).status == 400)
        }
        #expect(failures().isEmpty)
        #expect(try await TestVisitor(server).begin("missing.example.com").status == 404)
        let told = failures()
        #expect(told.count == 1, "\(told)")
        #expect(told.first?.contains("why=not_found") == true, "\(told)")
    }

    @Test("Decision 0027: the log names the host that refuses, and its reason in a known word")
    func details() async throws {
        // Who refuses is not the host of the account, but where it has its sign-in.
        server.hosts.setIssuer(of: "pds.example.com", "other.example.com")
        func last() -> Substring {
            server.log.split(separator: "\n").last { $0.contains("event=handle.failed") } ?? ""
        }
        func failure(by fault: TestHosts.Fault) async throws -> Substring {
            server.hosts.set(fault)
            #expect(try await TestVisitor(server).begin("ann.example.com").status >= 500)
            return last()
        }
        for (fault, error) in [
            (.refusesClient, "invalid_client"), (.refuses("invalid_scope"), "invalid_scope"),
            (.refuses("invalid_client_metadata"), "invalid_client_metadata"),
        ] as [(TestHosts.Fault, String)] {
            let line = try await failure(by: fault)
            #expect(line.contains("why=without_sign_in"), "\(line)")
            #expect(line.contains("step=start"), "\(line)")
            #expect(line.contains("host=other.example.com"), "\(line)")
            #expect(line.contains("error=\(error)"), "\(line)")
        }
        for foreign in ["evil_word", "x\"\nevil", "x error=evil", "Invalid_scope"] {
            let line = try await failure(by: .refuses(foreign))
            #expect(line.contains("host=other.example.com"), "\(line)")
            #expect(!line.contains("error="), "\(line)")
        }
        #expect(!server.log.contains("evil") && !server.log.contains("Invalid_scope"))
        let broken = try await failure(by: .serverError)
        #expect(broken.contains("why=unreachable") && broken.contains("host=other.example.com"))
        #expect(!broken.contains("error="), "\(broken)")
        // When a code is redeemed, too.
        server.hosts.set(nil)
        let path = try await visitor.approved("ann.example.com")
        server.hosts.set(.refusesClient)
        _ = try await visitor.request(path)
        let late = last()
        #expect(late.contains("step=code") && late.contains("host=other.example.com"), "\(late)")
        #expect(late.contains("error=invalid_client"), "\(late)")
    }

    @Test("Decision 0027: the log names a host that is away")
    func awayHost() async throws {
        server.hosts.setAway("pds.example.com")
        #expect(try await TestVisitor(server).begin("ann.example.com").status == 503)
        let line = try #require(
            server.log.split(separator: "\n").last { $0.contains("event=handle.failed") }
        )
        #expect(line.contains("why=unreachable") && line.contains("host=pds.example.com"))
        #expect(!line.contains("error="), "\(line)")
    }

    @Test("/mobile-auth: the way to the other methods keeps the way back, and ticks no box")
    func otherMethods() async throws {
        let page = try await TestVisitor(server).open("/mobile-auth?return_to=/reports")
        let link = try #require(page.reply.text.firstMatch(of: /href="(\/login\?return_to=[^"]*)"/))
        #expect(link.1 == "/login?return_to=%2Freports")
    }
}
