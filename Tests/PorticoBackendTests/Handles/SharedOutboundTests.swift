import HTTPTypes
import NIOCore
import PorticoATProtocol
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoStores
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn

/// Nothing goes out: there is no room.
private struct FullTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        throw .busy
    }
}

@Suite("What requests of strangers and of those who are signed in share")
struct SharedOutboundTests {
    private static let path = "/xrpc/com.example.method"
    private static let hanging = "/xrpc/com.example.hangs"

    private func transport(_ server: LocalServer, answers: SharedCapacity? = nil)
        -> GuardedTransport
    {
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(server.port),
            isPlain: true
        )
        return GuardedTransport(
            longest: HandleDirectory.longest,
            answers: answers,
            resolver: ScriptedNames([]),
            connectTo: ["pds.example.com": target, "other.example.com": target]
        )
    }

    private func start(_ server: HostedBackend, _ handle: String) async throws -> Reply {
        try await server.send(.get, "/login?handle=\(handle)", [.accept: "application/json"])
    }

    @Test("decision 0067: strangers' 32 names that never resolve keep no call and no token away")
    func names() async throws {
        let (asked, isOpen) = (Locked(0), Locked(false))
        defer { isOpen.withLock { $0 = true } }
        let names = SystemResolver { _ in
            asked.withLock { $0 += 1 }
            waitBlocked { isOpen.withLock { $0 } }
            return []
        }
        let host = try LocalServer { _ in LocalServer.reply() }
        defer { host.stop() }
        let server = try await HostedBackend(
            strangers: GuardedTransport(resolver: names),
            transport: transport(host)
        )
        let (_, seal) = try await server.signedIn(accessLives: 10)
        let live = try #require(server.backend.signIn.directory.handles)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...32 {
                let handle = try Handle("n\(number).example.com")
                group.addTask { _ = try await live.strangers.identities.identity(of: handle) }
            }
            try await waitUntil("32 names are asked for") { asked.withLock { $0 } == 32 }
            // Nothing is said of the handle, and it may come again.
            let start = try await start(server, "n33.example.com")
            #expect(start.refusal == "503 busy")
            #expect(start.headers[.retryAfter] != nil)
            #expect(try await server.call(Self.path, seal).status == 200)
            #expect(server.network.refreshes.count == 1)
            group.cancelAll()
        }
    }

    @Test("decision 0067: while strangers' requests take all there is, calls and tokens go out")
    func strangers() async throws {
        let server = try await HostedBackend(strangers: FullTransport())
        let (session, seal) = try await server.signedIn(accessLives: 10)
        let start = try await start(server, "bob.example.com")
        #expect(start.refusal == "503 busy")
        #expect(try await server.call(Self.path, seal).status == 200)
        #expect(server.network.refreshes.count == 1)
        try await server.scene.signOut(session.sessionID)
        try await server.backend.revokeHandleTokens()
        #expect(server.network.revocations.count == 1)
    }

    @Test("decision 0067: calls that take all there is keep no refresh away, and are told so")
    func calls() async throws {
        let server = try await HostedBackend(transport: FullTransport())
        let (session, seal) = try await server.signedIn(accessLives: 10)
        let reply = try await server.call(Self.path, seal)
        #expect(reply.refusal == "503 busy")
        #expect(reply.headers[.retryAfter] != nil)
        #expect(server.network.refreshes.count == 1)
        #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"])
    }

    @Test("decision 0067: a refresh without room is tried at the next call, and nothing is lost")
    func refreshes() async throws {
        let isFull = Locked(true)
        let network = HostNetwork()
        let server = try await HostedBackend(known: Gate(isFull, network))
        let clock = server.clock
        network.clock.withLock { $0 = clock }
        let (session, seal) = try await server.signedIn(accessLives: 10)
        // The access token works for ten seconds more.
        #expect(try await server.call(Self.path, seal).status == 200)
        server.clock.advance(by: 11)
        let reply = try await server.call(Self.path, seal)
        #expect(reply.refusal == "503 busy")
        isFull.withLock { $0 = false }
        server.network.state.withLock { $0.generation = 2 }
        #expect(try await server.call(Self.path, seal).status == 200)
        #expect(network.refreshes.count == 1)
        #expect(try await server.scene.stored(session.sessionID) == ["A2", "R2"])
    }

    /// Full, until it is not.
    private struct Gate: HTTPTransport {
        let isFull: Locked<Bool>
        let network: HostNetwork

        init(_ isFull: Locked<Bool>, _ network: HostNetwork) {
            self.isFull = isFull
            self.network = network
        }

        func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
            async throws(HTTPTransportError) -> HTTPReply
        {
            if isFull.withLock({ $0 }), request.method == .post { throw .busy }
            return try await network.send(request, body: body, limits: limits)
        }
    }

    /// Somebody else at the same host.
    private func other(_ server: HostedBackend) async throws -> String {
        let session = try await server.scene.signedIn(
            did: "did:plc:otherotherotherotherothe",
            clientKeyID: server.keyID
        )
        return try server.seal(session)
    }

    @Test("decision 0067: an account's 21st call at once is refused, by whichever of its sessions")
    func perAccount() async throws {
        let host = try LocalServer { head in
            head.hasPrefix("GET \(Self.hanging) ") ? .silence : LocalServer.reply()
        }
        defer { host.stop() }
        let server = try await HostedBackend(transport: transport(host))
        let ((_, seal), (_, second)) = (try await server.signedIn(), try await server.signedIn())
        let other = try await other(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                let seal = number > 12 ? seal : second
                group.addTask { _ = try await server.call(Self.hanging, seal) }
            }
            try await waitUntil("20 calls are there") { host.requests.count == 20 }
            for seal in [seal, second] {
                let refused = try await server.call(Self.path, seal)
                #expect(refused.status == 429 && refused.headers[.retryAfter] == "1")
                #expect(refused.json.string("error") == "RateLimitExceeded")
                #expect(refused.json.string("message") != nil)
            }
            #expect(try await server.call(Self.path, other).status == 200)
            group.cancelAll()
        }
        for seal in [seal, second] {
            #expect(try await server.call(Self.path, seal).status == 200)
        }
        #expect(host.requests.count == 23)
    }

    @Test("decision 0067: answers that are not read yet count as calls under way")
    func unread() async throws {
        let server = try await HostedBackend()
        let (_, seal) = try await server.signedIn()
        var answers: [Response] = []
        for _ in 1...20 { answers.append(try await server.unread(Self.path, seal)) }
        #expect(answers.allSatisfy { $0.status == .ok })
        #expect(try await server.call(Self.path, seal).status == 429)
        answers.removeLast()
        #expect(try await server.call(Self.path, seal).status == 200)
        answers.append(try await server.unread(Self.path, seal))
        #expect(try await server.call(Self.path, seal).status == 429)
        #expect(answers.count == 20)
        // Another session has no calls of its own, but another account has.
        let (_, second) = try await server.signedIn()
        #expect(try await server.call(Self.path, second).status == 429)
        let other = try await other(server)
        #expect(try await server.call(Self.path, other).status == 200)
    }

    @Test("decision 0067: unread answers of one account leave room for others at the same host")
    func bytesOfAccount() async throws {
        let host = try LocalServer { _ in
            LocalServer.reply("200 OK", [], String(repeating: "a", count: 60_000))
        }
        defer { host.stop() }
        // 250,000 for the host, and half of it for one account.
        let answers = SharedCapacity(1_000_000, part: 4, person: (1, 2))
        let server = try await HostedBackend(transport: transport(host, answers: answers))
        let ((_, seal), (_, second)) = (try await server.signedIn(), try await server.signedIn())
        let other = try await other(server)
        var unread = [
            try await server.unread(Self.path, seal), try await server.unread(Self.path, second),
        ]
        #expect(unread.allSatisfy { $0.status == .ok })
        for seal in [seal, second] {
            let refused = try await server.call(Self.path, seal)
            #expect(refused.refusal == "503 busy")
        }
        #expect(try await server.call(Self.path, other).status == 200)
        #expect(unread.map(\.body.readableBytes) == [60_000, 60_000])
        unread.removeLast()
        #expect(try await server.call(Self.path, second).status == 200)
    }

    @Test("decision 0067: answers share a number of bytes, until they are read; the next is 503")
    func bytes() async throws {
        let host = try LocalServer { _ in
            LocalServer.reply("200 OK", [], String(repeating: "a", count: 190_000))
        }
        defer { host.stop() }
        let answers = SharedCapacity(1_000_000, part: 4)
        let server = try await HostedBackend(transport: transport(host, answers: answers))
        let (_, seal) = try await server.signedIn()
        var unread: Response? = try await server.unread(Self.path, seal)
        let refused = try await server.call(Self.path, seal)
        #expect(refused.refusal == "503 busy")
        #expect(refused.headers[.retryAfter] != nil)
        // Another host's answers have room.
        let (_, other) = try await server.signedIn(host: "https://other.example.com")
        #expect(try await server.call(Self.path, other).status == 200)
        #expect(unread?.body.readableBytes == 190_000)
        unread = nil
        #expect(try await server.call(Self.path, seal).status == 200)
    }
}
