import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

/// Sign-in by handle with nothing of ours left out: the backend, and at the other end the stand-in of a
/// host with a realm of ours behind it, which reads the backend's document and keys.
struct JoinedScene: Sendable {
    let server: BackendUnderTest
    let joined: JoinedHost

    init(apps: [Client] = [.moved, .notes]) async throws {
        let sites = LateSites()
        let joined = try await JoinedHost(documentsBy: sites)
        let server = try await BackendUnderTest(
            apps: apps,
            handles: [
                HandleSetting.directory.rawValue: .string(JoinedHost.origin),
                HandleSetting.defaultDomain.rawValue: .string(ATHost.domain),
            ],
            at: joined
        )
        sites.answer { request in try await server.send(.get, request.path ?? "/") }
        self.joined = joined
        self.server = server
    }

    var host: ATHost { joined.host }
    var log: RequestLog<ATHostCall> { joined.log }
    var clock: StoppedClock { server.clock }

    // MARK: In the browser

    /// From a page of ours to the page of the host.
    func begin(
        _ typed: String,
        _ visitor: TestVisitor,
        _ query: [(name: String, value: String)] = []
    ) async throws -> TestVisitor.Visited {
        try await visitor.open(
            FormEncoding.appending([(name: "handle", value: typed)] + query, to: "/login"),
            from: "https://\(BackendUnderTest.host)/"
        )
    }

    /// Signs in on the page of the host, and answers its question.
    func finish(
        _ page: TestVisitor.Visited,
        _ visitor: TestVisitor,
        as name: String = "alice",
        _ answer: String = "allow"
    ) async throws -> TestVisitor.Visited {
        #expect(page.url.hasPrefix("\(JoinedHost.origin)/"), "\(page.reply.text)")
        let question = try await visitor.submit(
            page,
            [("username", name), ("password", TestRealm.passwords[name] ?? "")]
        )
        return try await visitor.submit(question, [("action", answer)])
    }

    /// All of it.
    ///
    /// - Returns: The value of the cookie `sid`.
    func signIn(
        _ typed: String = ATHostPerson.ann.handle,
        as name: String = "alice",
        by visitor: TestVisitor? = nil
    ) async throws -> String {
        let visitor = visitor ?? TestVisitor(server)
        let page = try await finish(try await begin(typed, visitor), visitor, as: name)
        #expect(page.path == "/dashboard", "\(page.url) \(page.reply.text)")
        return try #require(visitor.cookies["sid"])
    }

    // MARK: With the cookie

    func session(_ seal: String) async throws -> Reply {
        try await server.send(.get, "/api/auth/session", headers: [.cookie: "sid=\(seal)"])
    }

    /// A method of the person's host.
    func call(
        _ method: String,
        _ seal: String,
        _ record: JSONObject? = nil
    ) async throws -> Reply {
        var fields: HTTPFields = [.cookie: "sid=\(seal)", .portico: "1"]
        if record != nil { fields[.contentType] = "application/json" }
        return try await server.send(
            record == nil ? .get : .post,
            "/xrpc/\(method)",
            headers: fields,
            body: record?.serialized() ?? []
        )
    }

    func call(_ seal: String) async throws -> Reply {
        try await call("com.atproto.server.getSession", seal)
    }

    func signOut(_ seal: String) async throws -> Reply {
        try await server.send(.post, "/api/auth/logout", headers: [.cookie: "sid=\(seal)"])
    }

    /// The refresh tokens that the host was sent.
    var refreshTokens: [String] {
        log.requests(to: .token).compactMap { $0.form["refresh_token"] }
    }

    /// Waits until the host is told that a session is over.
    func revoked() async throws {
        try await waitUntil("the host is told") {
            log.requests(to: .revocation).contains { $0.form.contains("token") }
        }
    }
}
