import Foundation
import HTTPTypes
import PorticoBackend
import PorticoBytes
import PorticoProtocol
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoTesting
import PorticoWeb
import Testing

/// Says what it was asked.
private struct EchoAPI: Responder {
    func respond(to request: Request) async -> Response {
        let fields = request.headers.map { "\($0.name.canonicalName): \($0.value)" }
        let text = ([request.head.path ?? ""] + fields + ["method: \(request.method)"])
            .joined(separator: "\n")
        var headers: HTTPFields = [.contentType: "text/plain", .setCookie: "evil=1"]
        headers[.location] = "https://evil.example/"
        return Response(status: .ok, headers: headers, bytes: Array(text.utf8))
    }
}

@Suite("The proxy to a team's own APIs") struct ProxyTests {
    private let server: BackendUnderTest
    private let visitor: TestVisitor

    init() async throws {
        server = try await BackendUnderTest(
            apis: [try ProxiedAPI("orders=https://orders.example.com/v2,google")],
            further: ["orders.example.com": InProcessServer(EchoAPI())]
        )
        visitor = try await server.signedIn()
    }

    /// One call by a person in a browser; Ann's, who is signed in at Google.
    private func send(
        _ path: String = "/bff/orders/x",
        _ further: HTTPFields = [.portico: "1"],
        by other: TestVisitor? = nil
    ) async throws -> Reply {
        let visitor = other ?? visitor
        return try await visitor.request(path, .get, [], from: "https://app.example.com/", further)
    }

    @Test("WEB-BFF-4: a request goes on with the person's token, and without cookies")
    func proxied() async throws {
        let reply = try await send(
            "/bff/orders/list?page=2",
            [.portico: "1", .accept: "application/json", .referer: "https://x.example/"]
        )
        #expect(reply.status == 200)
        #expect(reply.text.hasPrefix("/v2/list?page=2"))
        #expect(reply.text.contains("authorization: Bearer "))
        for word in ["cookie:", "referer:", "user-agent:", "x-portico:"] {
            #expect(!reply.text.contains(word), "\(word)")
        }
        #expect(reply.headers[.setCookie] == nil && reply.headers[.location] == nil)
        // One refresh serves many requests.
        _ = try await send("/bff/orders/list")
        let refreshes = server.standIns.log.requests(to: .token, at: .google)
            .filter { $0["grant_type"] == "refresh_token" }
        #expect(refreshes.count == 1)
    }

    @Test("RFC 9110 §8.6: HEAD is asked as GET, so that its answer has the same length")
    func head() async throws {
        for (method, asked) in [(HTTPRequest.Method.head, "GET"), (.get, "GET"), (.put, "PUT")] {
            let reply = try await visitor.request(
                "/bff/orders/list",
                method,
                [],
                from: "https://app.example.com/",
                [.portico: "1"]
            )
            #expect(reply.text.contains("method: \(asked)"))
        }
    }

    @Test(
        "attack E33: tricks with paths, hosts and headers reach nothing",
        arguments: [
            "/bff/orders/..%2f..%2fadmin", "/bff/orders/../admin", "/bff/unknown/x", "/bff/",
            "/bff",
            "/bff//orders/x", "/bff/orders//x", "/bff/orders/%2e%2e/x",
            // What is left where the API takes parameters off a segment, or backslashes for slashes.
            "/bff/orders/..;/admin", "/bff/orders/x/..;v=1/..;v=1/admin", "/bff/orders/.;/x",
            "/bff/orders/;/admin", "/bff/orders/..;", "/bff/orders/%2e%2e;/admin",
            "/bff/orders/..%3b/admin", "/bff/orders/..\\admin", "/bff/orders/..%5cadmin",
            "/bff/orders;/../admin", "/bff/..;/orders/x", "/bff/orders;v=1/x",
        ]
    )
    func tricks(_ path: String) async throws {
        let reply = try await send(path)
        #expect(reply.status == 404)
    }

    @Test("WEB-BFF-5, attack E33: without the header, from another site, to upgrade: refused")
    func forgery() async throws {
        #expect(try await send("/bff/orders/x", [:]).status == 403)
        let cookie = try #require(visitor.cookies["__Host-session"])
        let foreign = try await server.send(
            .get,
            "/bff/orders/x",
            headers: [.cookie: "__Host-session=\(cookie)", .portico: "1", .fetchSite: "cross-site"]
        )
        #expect(foreign.status == 403)
        let upgrade = try await send(
            "/bff/orders/x",
            [.portico: "1", .upgrade: "h2c"]
        )
        #expect(upgrade.status == 400)
        #expect(try await send(by: TestVisitor(server)).status == 401)
    }

    @Test("A person without an identity at the API's provider is told so")
    func noAccess() async throws {
        let paul = try await server.signedIn("facebook", as: .paul)
        let reply = try await send(by: paul)
        #expect(reply.refusal == "403 access_denied")
    }

    @Test(
        "attack E33: an absolute address, another Host and a method of its own reach nothing",
        arguments: [
            (HTTPRequest.Method.get, "http://169.254.169.254/", BackendUnderTest.host),
            (.get, "http://169.254.169.254/bff/orders/x", BackendUnderTest.host),
            (.get, "http://app.example.com/bff/orders/x", BackendUnderTest.host),
            (.get, "/bff/orders/x", "internal"), (.get, "/bff/orders/x", "orders.example.com"),
            (.get, "/bff/orders/x", "app.example.com:8443"),
            (.connect, "169.254.169.254:80", BackendUnderTest.host),
            (.trace, "/bff/orders/x", BackendUnderTest.host),
            (.options, "/bff/orders/x", BackendUnderTest.host),
        ]
    )
    func elsewhere(_ method: HTTPRequest.Method, _ target: String, _ host: String) async throws {
        var fields: HTTPFields = [
            .cookie: visitor.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        ]
        fields[.portico] = "1"
        for (name, value) in [("X-Forwarded-For", "192.0.2.1"), ("X-Forwarded-Proto", "https")] {
            fields[try #require(HTTPField.Name(name))] = value
        }
        let request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: host,
            path: target,
            headerFields: fields
        )
        let door = try #require(server.doors[BackendUnderTest.host])
        let reply = try await door.send(request)
        #expect([400, 404, 405, 421].contains(reply.status))
        #expect(!reply.text.contains("Bearer"))
    }

    @Test(
        "A body for an API may have 4 MiB, one for an address of ours 64 KiB, and not a byte more",
        arguments: [("/bff/orders/x", 4 << 20, 200), ("/v1/account/email", 64 << 10, 400)]
    )
    func bodies(_ path: String, _ longest: Int, _ status: Int) async throws {
        try await server.proveSessions()
        let cookie = try #require(visitor.cookies["__Host-session"])
        for (length, expected) in [(longest, status), (longest + 1, 413)] {
            let reply = try await server.send(
                .post,
                path,
                headers: [
                    .cookie: "__Host-session=\(cookie)", .portico: "1",
                    .contentType: "application/json",
                ],
                body: Array(repeating: 0x20, count: length)
            )
            #expect(reply.status == expected, "\(length)")
        }
    }

    @Test("OIDCRPL-6-3: what a sign-out gave back is not used for later sessions")
    func signedOut() async throws {
        let tablet = try await server.signedIn()
        var bearers: [Substring] = []
        func use(_ visitor: TestVisitor) async throws {
            let reply = try await send(by: visitor)
            #expect(reply.status == 200)
            bearers += try #require(reply.text.firstMatch(of: /Bearer (.+)/)).1.split(
                separator: " "
            )
        }
        try await use(visitor)
        _ = try await visitor.program(.post, "/v1/auth/logout")
        try await use(tablet)
        #expect(bearers.count == 2 && bearers[0] == bearers[1])
        _ = try await tablet.program(.post, "/v1/auth/logout")
        _ = try await visitor.signIn("google", as: .ann)
        try await use(visitor)
        #expect(bearers.count == 3 && bearers[2] != bearers[0])
    }

    @Test("OIDCRPL-6-3: a successor that comes while its person signs out is given back as well")
    func successor() async throws {
        server.standIns.configure(.google) {
            $0.tokenAnswer = .member("refresh_token", "the-successor")
            // Longer than a sign-out takes, on a busy machine too.
            $0.delay = .seconds(3)
        }
        let log = server.standIns.log
        let before = log.count(.token, at: .google)
        async let reply = send()
        for _ in 0..<100_000 where log.count(.token, at: .google) == before { await Task.yield() }
        try #require(log.count(.token, at: .google) > before)
        _ = try await visitor.program(.post, "/v1/auth/logout")
        #expect(try await reply.status == 403)
        let revoked = log.requests(to: .revocation, at: .google).compactMap { $0["token"] }
        // Whichever of the two was sent first.
        #expect(revoked.count == 2 && revoked.contains("the-successor"), "\(revoked)")
        #expect(try await server.token(at: "google") == nil)
    }

    @Test(
        "Only a refused refresh token requires a new sign-in; a provider's faults do not",
        arguments: [
            (.refused(status: 400, code: "invalid_grant"), "reauthentication_required"),
            (.refused(status: 503, code: "invalid_grant"), "provider_unreachable"),
            (.refused(status: 401, code: "invalid_client"), "provider_error"),
            (.refused(status: 429, code: "invalid_grant"), "provider_unreachable"),
            (.redirect(to: "https://evil.example/"), "provider_error"),
            (.html, "provider_error"), (.truncated, "provider_error"),
            (.errorWithStatusOK("invalid_grant"), "provider_error"),
            (.member("access_token", "a b"), "provider_error"),
        ] as [(StandInFaults.TokenAnswer, String)]
    )
    func refusals(answer: StandInFaults.TokenAnswer, error: String) async throws {
        server.standIns.configure(.google) { $0.tokenAnswer = answer }
        let reply = try await send()
        #expect(reply.json.string("error") == error)
        #expect(!reply.text.contains("v2/x"))
        // Nothing was lost by it.
        server.standIns.configure(.google) { $0.tokenAnswer = .right }
        #expect(try await send().status == 200)
    }

    @Test("BR77: a member that no rule needs does not end the access to an API")
    func foreignMember() async throws {
        for (name, value) in [
            ("expires_in", -1), ("expires_in", "soon"), ("error", .null), ("error", ""),
            ("refresh_token", ""), ("refresh_token", "R with spaces"), ("id_token", ""),
        ] as [(String, JSONValue)] {
            _ = try await visitor.signIn("google", as: .ann)
            server.standIns.configure(.google) { $0.tokenAnswer = .member(name, value) }
            server.clock.advance(by: 4000)
            #expect(try await send().status == 200, "\(name)")
            server.standIns.configure(.google) { $0.tokenAnswer = .right }
        }
    }

    @Test("A refresh whose answer was lost is repeated with its key, and the next has another")
    func repetition() async throws {
        let name = try #require(HTTPField.Name("Idempotency-Key"))
        func keys() -> [String] {
            server.standIns.log.requests(to: .token, at: .google)
                .filter { $0["grant_type"] == "refresh_token" }
                .compactMap { $0.headers[name] }
        }
        server.standIns.configure(.google) {
            $0.tokenAnswer = .refused(status: 502, code: "server_error")
        }
        for _ in 0..<2 { _ = try await send() }
        server.standIns.configure(.google) { $0.tokenAnswer = .right }
        #expect(try await send().status == 200)
        #expect(keys().count == 3 && Set(keys()).count == 1)
        server.clock.advance(by: 4000)
        #expect(try await send().status == 200)
        #expect(keys().count == 4 && Set(keys()).count == 2)
    }

    @Test("RFC 6749 §6: a refresh token in an answer takes the place of the one before")
    func rotation() async throws {
        server.standIns.configure(.google) {
            $0.tokenAnswer = .member("refresh_token", "the-successor")
        }
        #expect(try await send().status == 200)
        server.clock.advance(by: 4000)
        _ = try await send()
        let sent = server.standIns.log.requests(to: .token, at: .google)
            .compactMap { $0["refresh_token"] }
        #expect(sent.count == 2 && sent.last == "the-successor", "\(sent.count)")
    }

    @Test("RFC 6749 §6: what came with an answer that cannot be used is the next one to be sent")
    func kept() async throws {
        let before = try #require(try await server.token(at: "google"))
        server.standIns.configure(.google) {
            $0.tokenAnswer = .members(["refresh_token": "the-successor", "access_token": "a b"])
        }
        let reply = try await send()
        #expect(reply.json.string("error") == "provider_error")
        #expect(try await server.token(at: "google") != before)
        server.standIns.configure(.google) { $0.tokenAnswer = .right }
        _ = try await send()
        let sent = server.standIns.log.requests(to: .token, at: .google)
            .compactMap { $0["refresh_token"] }
        #expect(sent.count == 2 && sent.last == "the-successor", "\(sent.count)")
    }

    @Test("WEB-BFF-4: the API's redirect is not followed, and its cookies stay outside")
    func nothingElseComesBack() async throws {
        let reply = try await send()
        #expect(visitor.cookies["evil"] == nil)
        #expect(reply.headers[.cacheControl] == "no-store")
        #expect(reply.headers[values: .setCookie].isEmpty)
        #expect(!reply.text.contains("__Host-"))
    }
}

@Suite("The proxy, with tokens that are bound to a key")
struct BoundProxyTests {
    private static func server(_ fake: FakeProvider) async throws -> BackendUnderTest {
        let database = try TestDatabase.inMemory()
        let secret = SecretText("a secret")
        try await database.put(
            ProviderRecord(
                realmID: "home",
                name: "company",
                kind: "oidc",
                place: 0,
                isEnabled: true,
                settings: [
                    "clientID": "us", "issuer": .string(fake.issuer), "dpop": true,
                    "authentication": "client_secret_post",
                ],
                sealedSecret: ProviderSecrets(ring: TestRealm.ring).seal(
                    secret,
                    for: "company",
                    random: .system
                )
            )
        )
        let site = InProcessServer(TransportSite(fake))
        return try await BackendUnderTest(
            database: database,
            apis: [try ProxiedAPI("orders=https://orders.example.com/v2,company")],
            further: ["id.example.com": site, "orders.example.com": site]
        )
    }

    @Test("RFC 9449 §7.1, WEB-BFF-4: what is passed on has a proof of the key of the sign-in")
    func proxied() async throws {
        let fake = FakeProvider(clock: TestClock(at: StoppedClock().now))
        fake.serve("https://orders.example.com") { call in
            .json([
                "of": .string(call.person.subject),
                "authorization": .string(call.request.headerFields[.authorization] ?? ""),
            ])
        }
        let server = try await Self.server(fake)
        let visitor = TestVisitor(server)
        let start = try await visitor.request("/v1/auth/company")
        try await fake.browser.open(try #require(start.location))
        let callback = try #require(fake.browser.callback)
        let landed = try await visitor.open(callback)
        #expect(landed.reply.status == 200, "\(landed.reply.text.prefix(200))")
        for _ in 0..<2 {
            let reply = try await visitor.program(.get, "/bff/orders/list")
            #expect(reply.status == 200, "\(reply.text.prefix(200))")
            #expect(reply.text.contains(#""of":"person-1""#))
            #expect(reply.text.contains(#""authorization":"DPoP "#))
        }
        // The key is stored with the refresh token, and its nonce remembered.
        #expect(fake.count(.refresh) == 1 && fake.count(.api) == 2)
        #expect(!server.log.contains("DPoP "))
    }
}

@Suite("A proxied API as it is configured") struct ProxiedAPITests {
    private func refusal(_ text: String) -> ProxiedAPI.Refusal? {
        do throws(ProxiedAPI.Refusal) {
            _ = try ProxiedAPI(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "WEB-TLS-2: people's access tokens go by https, or to a loopback literal",
        arguments: [
            ("http://orders.example.com", ProxiedAPI.Refusal.insecure),
            ("HTTP://orders.example.com/v2", .insecure), ("http://localhost:8080", .insecure),
            ("http://10.0.0.7:8080", .insecure), ("http://127.0.0.1.example.com", .insecure),
            ("http://[fd00::7]", .insecure), ("http://127.0.0.1:8080", nil),
            ("http://[::1]:8080/v2", nil), ("https://orders.example.com/v2", nil),
            ("ftp://orders.example.com", .address), ("orders.example.com", .address),
        ] as [(String, ProxiedAPI.Refusal?)]
    )
    func address(_ address: String, _ expected: ProxiedAPI.Refusal?) {
        #expect(refusal("orders=\(address),google") == expected)
    }

    @Test(
        "what could be appended to in two ways, and what names no one, is refused",
        arguments: [
            ("orders=https://orders.example.com/v2/,google", .address),
            ("orders=https://orders.example.com/v2?x=1,google", .address),
            ("orders=https://ann@orders.example.com,google", .address),
            ("orders=https://orders.example.com", .provider),
            ("orders=https://orders.example.com,", .provider),
            ("orders=https://orders.example.com,Google", .provider),
            ("orders=https://orders.example.com,google,apple", .provider),
            ("Orders=https://orders.example.com,google", .name),
            ("or/ders=https://orders.example.com,google", .name),
            ("=https://orders.example.com,google", .name), ("orders", .name), ("", .name),
            (String(repeating: "a", count: 65) + "=https://orders.example.com,google", .name),
        ] as [(String, ProxiedAPI.Refusal)]
    )
    func shape(_ text: String, _ expected: ProxiedAPI.Refusal) {
        #expect(refusal(text) == expected)
    }

    @Test("it is told as it was configured, and goes where it says")
    func parts() throws {
        let api = try ProxiedAPI("orders=https://orders.example.com:8443/v2,keycloak")
        #expect(api.name == "orders" && api.provider == "keycloak")
        #expect(api.base.authority == "orders.example.com:8443" && api.base.path == "/v2")
        #expect(api.text == "orders=https://orders.example.com:8443/v2,keycloak")
    }
}
