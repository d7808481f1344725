import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoStandIns
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

@Suite("The backend at a host whose authorization server is a realm of ours")
struct JoinedBackendTests {
    private let scene: JoinedScene

    init() async throws {
        scene = try await JoinedScene()
    }

    /// Longer than an access token lives.
    private static let past = 16.0 * 60

    @Test(
        "ATP-CB-1, ATP-AR-1: by handle, DID and host, up to a record at the person's host",
        arguments: [
            ATHostPerson.ann.handle, "@Ann.Handles.Test ", ATHostPerson.ann.did, JoinedHost.origin,
        ]
    )
    func starts(_ typed: String) async throws {
        let seal = try await scene.signIn(typed)
        let session = try await scene.session(seal)
        #expect(session.json.string("did") == ATHostPerson.ann.did)
        #expect(session.json.string("userHandle") == ATHostPerson.ann.handle)
        let own = try await scene.call(seal)
        #expect(own.status == 200 && own.json.string("handle") == ATHostPerson.ann.handle)
        let written = try await scene.call(
            "com.atproto.repo.createRecord",
            seal,
            [
                "repo": .string(ATHostPerson.ann.did), "collection": "app.bsky.feed.post",
                "record": ["text": "hello"],
            ]
        )
        #expect(written.status == 200, "\(written.text)")
        let list = "com.atproto.repo.listRecords?collection=app.bsky.feed.post&repo="
        let records = try await scene.call(list + ATHostPerson.ann.did, seal)
        #expect(records.json.array("records")?.count == 1)
        // As whom we asked, the realm has read from our own document.
        let pushed = try #require(scene.log.requests(to: .pushed).last)
        let address = "https://\(BackendUnderTest.host)/oauth-client-metadata.json"
        #expect(pushed.form["client_id"] == address && pushed.form.contains("client_assertion"))
    }

    @Test("RFC 9449 §8: a refresh while the nonce changes costs one try more, and no session")
    func nonces() async throws {
        let seal = try await scene.signIn()
        #expect(try await scene.call(seal).status == 200)
        for _ in 1...3 {
            // Also longer than any nonce is good.
            scene.clock.advance(by: Self.past)
            scene.log.clear()
            #expect(try await scene.call(seal).status == 200)
            #expect(scene.refreshTokens.count == 2)
            #expect(Set(scene.refreshTokens).count == 1, "the same one, with the new nonce")
            #expect(try await scene.call(seal).status == 200)
            #expect(scene.refreshTokens.count == 2)
        }
        // The token is still good, the nonce is not.
        scene.clock.advance(by: 180)
        scene.log.clear()
        #expect(try await scene.call(seal).status == 200)
        #expect(scene.log.count(.xrpc) == 2 && scene.refreshTokens.isEmpty)
    }

    @Test("Of two devices of a person, one signs out, and the other goes on")
    func devices() async throws {
        let phone = try await scene.signIn()
        let desk = try await scene.signIn(ATHostPerson.ann.did)
        let bob = try await scene.signIn(ATHostPerson.bob.handle, as: "bob")
        for seal in [phone, desk, bob] { #expect(try await scene.call(seal).status == 200) }
        #expect(try await scene.signOut(phone).status == 200)
        try await scene.revoked()
        for path in [try await scene.session(phone), try await scene.call(phone)] {
            #expect(path.status == 401 && path.json.string("reason") == "SESSION_EXPIRED")
        }
        for _ in 1...2 {
            for seal in [desk, bob] { #expect(try await scene.call(seal).status == 200) }
            scene.clock.advance(by: Self.past)
        }
        let name = try await scene.call(bob).json.string("handle")
        #expect(name == ATHostPerson.bob.handle)
    }

    @Test("Who says no at the host is told so here, and their app as well")
    func refused() async throws {
        let visitor = TestVisitor(scene.server)
        let page = try await scene.begin(ATHostPerson.ann.handle, visitor)
        let refused = try await scene.finish(page, visitor, "deny")
        #expect(refused.reply.text.contains("You stopped"), "\(refused.reply.text)")
        #expect(visitor.cookies["sid"] == nil)
        let again = try await scene.begin(ATHostPerson.ann.handle, visitor, [("mobile", "true")])
        // The host knows who it is by now, and asks whether the app may.
        let told = try await visitor.submit(again, [("action", "deny")])
        #expect(told.reply.location?.hasPrefix("com.example.moved:/auth-callback?") == true)
        #expect(told.reply.redirected["error"] == "access_denied")
        #expect(told.reply.redirected["session_token"] == nil)
        #expect(try scene.server.accountSessions() == 0)
    }

    @Test("ATP-UI-2: a session that its person ends at the host ends here with the next refresh")
    func endedAtHost() async throws {
        let visitor = TestVisitor(scene.server)
        let seal = try await scene.signIn(ATHostPerson.ann.handle, by: visitor)
        let other = try await scene.signIn()
        let apps = try await visitor.open("\(JoinedHost.origin)/realms/test/account/apps")
        #expect(apps.reply.text.contains("\(BackendUnderTest.host)/oauth-client-metadata.json"))
        let address = "\(JoinedHost.origin)/realms/test/account/devices"
        var page = try await visitor.open(address)
        let ids = page.reply.text.matches(of: /name="id" value="(session-[^"]*)"/)
            .map { String($0.1) }
        #expect(ids.count == 2)
        page = try await visitor.open(
            address,
            method: .post,
            form: page.reply.formProof + [("id", ids.last ?? ""), ("action", "end")],
            from: address
        )
        #expect(page.reply.text.matches(of: /value="session-/).count == 1)
        scene.clock.advance(by: Self.past)
        let ended = try await [scene.call(seal), scene.call(other)]
        #expect(ended.map(\.status).sorted() == [200, 401])
        let absent = try #require(ended.first { $0.status == 401 })
        #expect(absent.json.string("reason") == "SESSION_EXPIRED")
        #expect(absent.json.string("handle") == ATHostPerson.ann.handle)
    }
}

/// What the stand-in of a host does on command, and what becomes of people's sessions.
@Suite("The backend at a host that misbehaves") struct JoinedFaultTests {
    private let scene: JoinedScene

    init() async throws {
        scene = try await JoinedScene()
    }

    private static let past = 16.0 * 60

    @Test(
        "A refresh that the host does not finish keeps the session, and the next one makes it good",
        arguments: ["nonces without end", "the answer is lost", "our document is gone", "down"]
    )
    func unfinished(_ fault: String) async throws {
        let seal = try await scene.signIn()
        scene.clock.advance(by: Self.past)
        scene.host.configure { faults in
            switch fault {
            case "nonces without end": faults.alwaysAsksForNonce = [.token]
            case "the answer is lost": faults.losesAnswers = [.token]
            case "our document is gone": faults.gone = [.client]
            default: faults.down = [.token]
            }
        }
        let refused = try await scene.call(seal)
        #expect(refused.status >= 500, "\(refused.text)")
        #expect(try await scene.session(seal).status == 200)
        scene.host.repair()
        scene.clock.advance(by: 61)
        let next = try await scene.call(seal)
        #expect(next.status == 200, "\(next.text)")
    }

    @Test(
        "A document that is gone has words of its own, and no one is sent to the host",
        arguments: [
            (ATHostDocument.did, "We can’t find"),
            (.resourceMetadata, "doesn’t offer sign-in for apps"),
            (.serverMetadata, "doesn’t offer sign-in for apps"),
            (.client, "doesn’t offer sign-in for apps"),
        ]
    )
    func gone(_ document: ATHostDocument, _ words: String) async throws {
        scene.host.configure { $0.gone = [document] }
        let visitor = TestVisitor(scene.server)
        let page = try await scene.begin(ATHostPerson.ann.handle, visitor)
        #expect(page.reply.text.contains(words), "\(page.reply.text)")
        #expect(!page.url.hasPrefix(JoinedHost.origin))
        scene.host.repair()
        scene.clock.advance(by: 61)
        _ = try await scene.signIn(ATHostPerson.ann.handle, by: visitor)
    }

    @Test("A person whose account has no host reads that there is no sign-in for apps")
    func withoutHost() async throws {
        scene.joined.didMembers.withLock { $0 = ["service": .array([])] }
        let page = try await scene.begin(ATHostPerson.ann.handle, TestVisitor(scene.server))
        #expect(page.reply.status == 502)
        #expect(page.reply.text.contains("doesn’t offer sign-in for apps"), "\(page.reply.text)")
    }
}

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
    func call(_ method: String, _ seal: String, _ record: JSONObject? = nil) async throws -> Reply {
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
