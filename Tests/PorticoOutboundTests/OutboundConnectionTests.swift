import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

/// What a client does with its connections.
@Suite("HTTP transports: connections", .serialized) struct OutboundConnectionTests {
    private let client = OutboundClient()

    private static let limits = HTTPLimits(bytes: 1000, seconds: 10)

    private func request(_ port: UInt16, _ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: "/")
    }

    @Test("Requests one after the other share a connection")
    func shared() async throws {
        let server = try KeepAliveServer(answersEach: 3)
        for _ in 0..<3 {
            let reply = try await client.send(
                request(server.port, .post),
                body: [97],
                limits: Self.limits
            )
            #expect(reply.response.status == .ok)
        }
        #expect(server.counts.connections == 1)
        #expect(server.counts.requests == 3)
        try await client.shutdown()
        await #expect(throws: HTTPTransportError.unreachable) {
            try await client.send(request(server.port), body: [], limits: Self.limits)
        }
    }

    @Test(
        "RFC 9110 §9.2.2: a request whose connection ends before its answer is not sent again",
        arguments: [HTTPRequest.Method.get, .post]
    )
    func once(method: HTTPRequest.Method) async throws {
        let server = try KeepAliveServer(answersEach: 1)
        let request = request(server.port, method)
        _ = try await client.send(request, body: [], limits: Self.limits)
        await #expect(throws: HTTPTransportError.unreachable) {
            try await client.send(request, body: [], limits: Self.limits)
        }
        #expect(server.counts.requests == 2)
        try await client.shutdown()
    }

    @Test("Of one host no more than 32 requests are under way, and those that wait have their time")
    func most() async throws {
        let server = try LocalServer { _ in .silence }
        defer { server.stop() }
        let first = failures(of: 32, request(server.port), seconds: 60, by: client)
        try await waitUntil("32 requests are there") { server.requests.count == 32 }
        let more = await failures(of: 8, request(server.port), seconds: 1, by: client).value
        #expect(more.count == 8)
        #expect(more.allSatisfy { $0 == .timedOut })
        #expect(server.requests.count == 32)
        try await client.shutdown()
        #expect(await first.value.allSatisfy { $0 == .cancelled })
    }

    /// What so many requests fail with that are sent side by side.
    private func failures(
        of number: Int,
        _ request: HTTPRequest,
        seconds: Int,
        by client: OutboundClient
    ) -> Task<[HTTPTransportError?], Never> {
        Task {
            await withTaskGroup(of: HTTPTransportError?.self) { group in
                for _ in 0..<number {
                    group.addTask {
                        do throws(HTTPTransportError) {
                            _ = try await client.send(
                                request,
                                body: [],
                                limits: HTTPLimits(bytes: 1000, seconds: seconds)
                            )
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    @Test("Ending a client ends what is under way")
    func ending() async throws {
        let server = try LocalServer { _ in .silence }
        defer { server.stop() }
        let request = request(server.port)
        let task = Task { try await client.send(request, body: [], limits: Self.limits) }
        try await waitUntil("the request is there") { !server.requests.isEmpty }
        try await client.shutdown()
        await #expect(throws: HTTPTransportError.cancelled) { try await task.value }
    }

    @Test(
        "RFC 9112: what is no head of an answer is malformed",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n c\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX A: b\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A\r\n\r\n{}",
            "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            "{}",
        ]
    )
    func malformed(text: String) async throws {
        let server = try LocalServer { _ in .bytes(Array(text.utf8)) }
        defer { server.stop() }
        await #expect(throws: HTTPTransportError.malformed) {
            try await client.send(request(server.port), body: [], limits: Self.limits)
        }
        try await client.shutdown()
    }

    @Test(
        "attack E19: a head, an interim answer or a trailer without an end is given up",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", "X-A: b\r\n"),
            ("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: b\r\n"),
        ]
    )
    func flood(start: String, more: String) async throws {
        let server = try LocalServer { _ in
            .flood(Array(start.utf8), Array(String(repeating: more, count: 1000).utf8))
        }
        defer { server.stop() }
        await #expect(throws: HTTPTransportError.malformed) {
            try await client.send(request(server.port), body: [], limits: Self.limits)
        }
        try await client.shutdown()
    }

    @Test("An address that was checked is connected to as it is")
    func routes() {
        #expect(CurlRoute(to: [8, 8, 4, 4], port: 443).text == "::8.8.4.4:443")
        let last = [UInt8](repeating: 0, count: 11) + [0x1F, 0, 1]
        #expect(CurlRoute(to: [0x2D, 0] + last, port: 443).text == "::[2d00:0:0:0:0:0:1f:1]:443")
        #expect(CurlRoute(to: "::1", port: 8443).text == "::[::1]:8443")
        #expect(CurlRoute(to: "[::1]").text == "::[::1]:")
    }
}

/// Answers so many requests on each connection, reads another one, and closes it.
private final class KeepAliveServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let counted = Locked((connections: 0, requests: 0))

    var counts: (connections: Int, requests: Int) { counted.withLock { $0 } }

    init(answersEach: Int) throws {
        guard let (listener, port) = RawSocket.listen(port: 0) else {
            throw POSIXError(.EADDRINUSE)
        }
        self.listener = listener
        self.port = port
        let counted = counted
        Thread.detachNewThread {
            while let connection = RawSocket.accept(listener) {
                counted.withLock { $0.connections += 1 }
                for number in 0...answersEach {
                    guard let bytes = RawSocket.receive(connection), !bytes.isEmpty else { break }
                    counted.withLock { $0.requests += 1 }
                    guard number < answersEach else { break }
                    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
                    RawSocket.send(connection, Array(answer.utf8))
                }
                RawSocket.close(connection)
            }
            RawSocket.close(listener)
        }
    }

    deinit {
        RawSocket.shutDown(listener)
    }
}

@Suite("What the APIs of a team share") struct OutboundPlaceTests {
    private func get(
        _ path: String,
        _ port: UInt16,
        by client: OutboundClient,
        for person: String? = nil
    ) async throws -> HTTPReply {
        let address = try #require(HTTPAddress("http://127.0.0.1:\(port)\(path)"))
        var limits = HTTPLimits(bytes: 1 << 20, seconds: 20)
        limits.person = person
        return try await client.send(HTTPRequest(.get, to: address), body: [], limits: limits)
    }

    /// It says that its connection ends: one that is taken again as it ends gives no answer.
    private static let answer = Array(
        "HTTP/1.1 200 OK\r\nContent-Length: 4096\r\nConnection: close\r\n\r\n".utf8
            + Array(repeating: 97, count: 4096)
    )

    @Test("decision 0094: a server that does not answer leaves places to others")
    func places() async throws {
        let isOpen = Locked(false)
        let slow = try LocalServer { _ in
            while !isOpen.withLock({ $0 }) { usleep(1000) }
            return .bytes(Self.answer)
        }
        let quick = try LocalServer { _ in .bytes(Self.answer) }
        defer {
            slow.stop()
            quick.stop()
        }
        // A server gets half of what others leave, and a person half of that.
        let client = OutboundClient(
            connections: 8,
            places: SharedCapacity(8, part: 2, person: (1, 2))
        )
        let (one, two) = (UniqueID(random: .system).text, UniqueID(random: .system).text)
        let port = slow.port
        let waiting = (1...2).map { _ in
            Task { try await self.get("/", port, by: client, for: one) }
        }
        try await waitUntil("two wait") { slow.requests.count == 2 }
        await #expect(throws: HTTPTransportError.busy) {
            // All that one person gets is taken: at once, and not when the server is done.
            for _ in 0..<1000 { _ = try await get("/", port, by: client, for: one) }
        }
        #expect(try await get("/", quick.port, by: client, for: one).body.count == 4096)
        isOpen.withLock { $0 = true }
        for call in waiting { #expect(try await call.value.body.count == 4096) }
        #expect(try await get("/", port, by: client, for: two).body.count == 4096)
        try await client.shutdown()
    }

    @Test("decision 0094: answers share their memory until no one has them, by server and person")
    func answers() async throws {
        let server = try LocalServer { _ in .bytes(Self.answer) }
        defer { server.stop() }
        let client = OutboundClient(answers: SharedCapacity(4 * 8192, part: 2, person: (1, 2)))
        let (one, two) = (UniqueID(random: .system).text, UniqueID(random: .system).text)
        var held: [HTTPReply] = []
        for _ in 0..<2 { held.append(try await get("/", server.port, by: client, for: one)) }
        await #expect(throws: HTTPTransportError.noRoom) {
            _ = try await get("/", server.port, by: client, for: one)
        }
        let other = try await get("/", server.port, by: client, for: two)
        #expect(other.body.count == 4096)
        held = []
        #expect(try await get("/", server.port, by: client, for: one).body.count == 4096)
        try await client.shutdown()
    }
}

/// Each in a process of its own: the environment is the whole process's, and other tests read it on
/// other threads.
@Suite("HTTP transports: what the surroundings say")
struct OutboundSurroundingsTests {
    @Test("A proxy that the environment names gets no request")
    func proxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LocalServer { _ in LocalServer.reply("403 Forbidden") }
            defer { proxy.stop() }
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
            let server = try LocalServer { _ in LocalServer.reply() }
            defer { server.stop() }
            let reply = try await get("http://127.0.0.1:\(server.port)/", by: OutboundClient())
            try #require(reply.response.status == .ok)
            let target = GuardedTransport.ConnectTarget(
                address: "127.0.0.1",
                port: Int(server.port)
            )
            let transport = GuardedTransport(connectTo: ["id.example": target])
            // The server does not speak TLS.
            _ = try? await get("https://id.example/", by: transport)
            try #require(proxy.requests.isEmpty)
        }
    }

    @Test("A password in a home folder goes to no server")
    func netrc() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            // `try?`: what is left behind lies in the system's folder for such things.
            // `try?`: what stays behind is in the system's temporary folder.
            defer { try? FileManager.default.removeItem(at: home) }
            try Data("machine 127.0.0.1 login ann password horse\n".utf8)
                .write(to: home.appending(path: ".netrc"))
            setenv("HOME", home.path, 1)
            unsetenv("NETRC")
            let server = try LocalServer { _ in LocalServer.reply() }
            defer { server.stop() }
            _ = try await get("http://127.0.0.1:\(server.port)/", by: OutboundClient())
            let head = try #require(server.requests.first)
            try #require(!head.lowercased().contains("authorization"))
        }
    }
}

private func get(_ url: String, by transport: some HTTPTransport) async throws -> HTTPReply {
    try await transport.send(
        HTTPRequest(.get, to: try #require(HTTPAddress(url))),
        body: [],
        limits: HTTPLimits(bytes: 1000, seconds: 10)
    )
}
