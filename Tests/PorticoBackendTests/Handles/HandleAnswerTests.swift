import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

/// What answers at `/oauth/callback` do to their attempt, and what apps and people are told.
@Suite struct HandleAnswerTests {
    @Test(
        "ATP-CB-1, RFC 9207 §2.4: a refusal with iss missing or another is none: no app is told",
        arguments: [
            nil, "https://other.example.com", "https://pds.example.com/",
            "https://PDS.example.com", "",
        ] as [String?]
    )
    func issuerOfRefusal(_ issuer: String?) async throws {
        let server = try await BackendUnderTest.withHandles()
        let app = TestApp()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com", app.start)
        let wrong = try server.hosts.refuse(begun.location, changing: ["iss": issuer])
        let reply = try await visitor.request(wrong)
        #expect(reply.status == 403)
        #expect(reply.location == nil)
        // The attempt is as it was.
        let back = try await visitor.request(server.hosts.approve(begun.location, as: .ann))
        #expect(back.location?.hasPrefix(app.redirectURI) == true)
        #expect(back.redirected["code"] != nil)
    }

    @Test("/oauth/callback: a HEAD request spends nothing")
    func head() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com")
        let good = try server.hosts.approve(begun.location, as: .ann)
        #expect(try await visitor.request(good, .head).status == 405)
        #expect(!server.hosts.asked.contains { $0.path == "/oauth/token" })
        #expect(try await visitor.request(good).location == "/dashboard")
    }

    @Test(
        "A code that the server does not take: not finished, and the app waits for the person",
        arguments: [true, false]
    )
    func spentCode(_ isApp: Bool) async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com", isApp ? TestApp().start : [])
        let path = try server.hosts.approve(begun.location, as: .ann, changing: ["code": "none"])
        let reply = try await visitor.request(path)
        #expect(server.hosts.asked.last?.form["code"] == "none")
        #expect(reply.status == 403)
        #expect(reply.location == nil)
        #expect(reply.text.contains("Sign-in wasn’t finished"))
    }

    @Test(
        "RFC 6749 §4.1.2.1: an app gets one error for a host that fails, another for one of no use",
        arguments: [
            (TestHosts.Fault.serverError, "temporarily_unavailable"), (.bearer, "server_error"),
        ]
    )
    func toldToApp(_ fault: TestHosts.Fault, _ error: String) async throws {
        let server = try await BackendUnderTest.withHandles()
        let app = TestApp()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com", app.start)
        let path = try server.hosts.approve(begun.location, as: .ann)
        server.hosts.set(fault)
        let reply = try await visitor.request(path)
        #expect(reply.location?.hasPrefix(app.redirectURI) == true)
        #expect(reply.redirected["error"] == error)
        #expect(reply.redirected["state"] == app.state)
    }

    @Test("Decision 0062: where sign-up is closed no account is made, and tokens are taken back")
    func signUpClosed() async throws {
        let server = try await BackendUnderTest(
            rules: AccountRules(isSignUpOpen: false),
            handles: [:]
        )
        let visitor = TestVisitor(server)
        let reply = try await visitor.byHandle(at: server)
        #expect(reply.redirected["error"] == "sign_up_closed")
        #expect(!visitor.cookies.keys.contains("sid"))
        #expect(try await server.accounts().isEmpty)
        #expect(try await server.revoked(1).count == 1)
    }

    @Test("Decision 0062: two processes that redeem a code each for one attempt begin one session")
    func twoProcesses() async throws {
        let server = try await BackendUnderTest.withHandles()
        let visitor = TestVisitor(server)
        let begun = try await visitor.begin("ann.example.com")
        let cookies = visitor.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let first = try server.hosts.approve(begun.location, as: .ann)
        let second = try server.hosts.approve(begun.location, as: .ann)
        #expect(try await visitor.request(first).location == "/dashboard")
        // What the browser had when it asked.
        var fields: HTTPFields = [.cookie: cookies, .accept: "text/html"]
        fields[.known("X-Forwarded-For")] = visitor.address
        fields[.known("X-Forwarded-Proto")] = "https"
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: BackendUnderTest.host,
            path: second,
            headerFields: fields
        )
        let reply = try await Self.otherProcess(server).send(request)
        #expect(server.hosts.asked.filter { $0.isGrant("authorization_code") }.count == 2)
        #expect(!reply.headers[values: .setCookie].contains { $0.hasPrefix("sid=") })
        try #require(reply.redirected["error"] == "invalid_state")
        #expect(try server.accountSessions() == 1)
        #expect(try await server.revoked(1).count == 1)
    }

    /// The same backend on the same database, with a memory of its own.
    private static func otherProcess(_ server: BackendUnderTest) throws -> InProcessServer {
        let (first, log) = (server.backend, WrittenLog(server.clock))
        let other = Backend(
            directory: first.directory,
            accounts: first.accounts,
            handles: first.handles,
            ring: first.ring,
            clock: first.clock,
            activity: first.activity,
            logger: log.logger,
            pages: first.pages,
            publicURL: first.publicURL,
            identity: first.identity,
            transport: first.transport
        )
        let headers = SecurityHeaders(first.publicURL)
        let pipeline = RequestPipeline(
            guarding: HostGuard([first.publicURL]),
            proxies: TrustedProxies([NetworkRange("10.0.0.0/8")].compactMap(\.self)),
            headers: headers,
            log: log.access,
            clock: first.clock,
            services: [try other.service],
            notFound: { _ in Response(empty: .notFound, headers: headers) }
        )
        return InProcessServer(pipeline)
    }
}
