import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import PorticoURLSession
import Testing

@testable import PorticoOutbound

/// Both implementations keep the one promise.
enum TransportKind: CaseIterable, Sendable {
    case urlSession
    case outbound

    func with<Outcome>(
        trustedRoots: String? = nil,
        connectTo: [String: String] = [:],
        _ body: (any HTTPTransport) async throws -> Outcome
    ) async throws -> Outcome {
        switch self {
        case .urlSession: return try await body(URLSessionTransport())
        case .outbound:
            let client = OutboundClient(trustedRoots: trustedRoots, connectTo: connectTo)
            do {
                let outcome = try await body(client)
                try await client.shutdown()
                return outcome
            } catch {
                try await client.shutdown()
                throw error
            }
        }
    }
}

@Suite("HTTP transports", .serialized)
struct HTTPTransportTests {
    private static let limits = HTTPLimits(bytes: 10_000, seconds: 10)

    private func request(
        _ port: UInt16,
        _ path: String = "/",
        _ method: HTTPRequest.Method = .get
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path)
    }

    private func reply(
        _ kind: TransportKind,
        _ limits: HTTPLimits = limits,
        _ answer: @escaping @Sendable (String) -> LocalServer.Answer
    ) async throws -> HTTPReply {
        let server = try LocalServer(answer: answer)
        defer { server.stop() }
        return try await kind.with {
            try await $0.send(request(server.port), body: [], limits: limits)
        }
    }

    @Test(
        "A request arrives as it was made, and its reply comes back whole",
        arguments: TransportKind.allCases
    )
    func exchange(kind: TransportKind) async throws {
        let server = try LocalServer { _ in
            LocalServer.reply("201 Created", ["Content-Type: application/json", "X-A: b"], "{}")
        }
        defer { server.stop() }
        var request = request(server.port, "/token?x=%20y&z", .post)
        request.headerFields[.contentType] = "application/x-www-form-urlencoded"
        let reply = try await kind.with {
            try await $0.send(request, body: Array("a=b".utf8), limits: Self.limits)
        }
        #expect(reply.response.status.code == 201)
        #expect(reply.response.headerFields[.contentType] == "application/json")
        #expect(reply.body == Array("{}".utf8))
        let head = try #require(server.requests.first)
        #expect(head.hasPrefix("POST /token?x=%20y&z HTTP/1.1\r\n"))
        #expect(head.lowercased().contains("content-type: application/x-www-form-urlencoded\r\n"))
        #expect(head.lowercased().contains("content-length: 3\r\n"))
        #expect(!head.lowercased().contains("cookie"))
    }

    @Test(
        "attack E19: a redirect is a reply and is not followed",
        arguments: TransportKind.allCases,
        [301, 302, 303, 307, 308]
    )
    func redirect(kind: TransportKind, status: Int) async throws {
        let evil = try LocalServer { _ in LocalServer.reply() }
        defer { evil.stop() }
        let location = "Location: http://127.0.0.1:\(evil.port)/"
        let reply = try await reply(kind) { _ in LocalServer.reply("\(status) X", [location]) }
        #expect(reply.response.status.code == status)
        #expect(evil.requests.isEmpty)
    }

    @Test("Cookies are neither kept nor sent", arguments: TransportKind.allCases)
    func cookies(kind: TransportKind) async throws {
        let server = try LocalServer { _ in LocalServer.reply("200 OK", ["Set-Cookie: a=b"]) }
        defer { server.stop() }
        try await kind.with { transport in
            for _ in 0..<2 {
                _ = try await transport.send(request(server.port), body: [], limits: Self.limits)
            }
        }
        #expect(server.requests.count == 2)
        #expect(!server.requests.contains { $0.lowercased().contains("cookie:") })
    }

    @Test("attack E19: a body that is too long is given up", arguments: TransportKind.allCases)
    func tooLarge(kind: TransportKind) async throws {
        let limits = HTTPLimits(bytes: 1000, seconds: 10)
        let exact = try await reply(kind, limits) { _ in
            LocalServer.reply("200 OK", [], String(repeating: "a", count: 1000))
        }
        #expect(exact.body.count == 1000)
        await #expect(throws: HTTPTransportError.tooLarge) {
            try await reply(kind, limits) { _ in
                LocalServer.reply("200 OK", [], String(repeating: "a", count: 1001))
            }
        }
        // Without a length, and far more than would fit.
        await #expect(throws: HTTPTransportError.tooLarge) {
            try await reply(kind, limits) { _ in
                .bytes(
                    Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 97, count: 5 << 20)
                )
            }
        }
    }

    @Test("A server that says nothing is given up", arguments: TransportKind.allCases)
    func silence(kind: TransportKind) async throws {
        await #expect(throws: HTTPTransportError.timedOut) {
            try await reply(kind, HTTPLimits(bytes: 1000, seconds: 1)) { _ in .silence }
        }
    }

    @Test("A server that drips is given up", arguments: TransportKind.allCases)
    func drip(kind: TransportKind) async throws {
        await #expect(throws: HTTPTransportError.timedOut) {
            try await reply(kind, HTTPLimits(bytes: 1000, seconds: 1)) { _ in
                let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n".utf8)
                return .trickle(head + [UInt8](repeating: 97, count: 900), every: 0.01)
            }
        }
    }

    @Test(
        "A server that never pauses is given up while it still sends",
        arguments: TransportKind.allCases
    )
    func flood(kind: TransportKind) async throws {
        let server = try LocalServer { _ in
            .flood(
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8),
                Array(String(repeating: "1\r\na\r\n", count: 1000).utf8)
            )
        }
        // It stops by itself in the end, but then it was not given up.
        let isOver = Locked(false)
        let end = Task {
            try await Task.sleep(for: .seconds(20))
            isOver.withLock { $0 = true }
            server.stop()
        }
        let error = await #expect(throws: HTTPTransportError.self) {
            try await kind.with { transport in
                defer { server.stop() }
                return try await transport.send(
                    request(server.port),
                    body: [],
                    limits: HTTPLimits(bytes: 1000, seconds: 2)
                )
            }
        }
        end.cancel()
        #expect(error == .tooLarge || error == .timedOut)
        #expect(!isOver.withLock { $0 })
    }

    @Test(
        "RFC 9110 §15: what has no status of an answer is none, and ends nothing else",
        arguments: ["000", "042", "099", "101"]
    )
    func status(code: String) async throws {
        await #expect(throws: HTTPTransportError.malformed) {
            try await reply(.outbound) { _ in
                LocalServer.reply("\(code) X", ["Connection: upgrade", "Upgrade: x"], "{}")
            }
        }
        let interim = Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)
        let last = Array("HTTP/1.1 799 X\r\nContent-Length: 2\r\n\r\n{}".utf8)
        let late = try await reply(.outbound) { _ in .bytes(interim + last) }
        #expect(late.response.status.code == 799)
        #expect(late.response.headerFields.count == 1)
        #expect(late.body == Array("{}".utf8))
    }

    @Test("A missing listener is reported as such", arguments: TransportKind.allCases)
    func unreachable(kind: TransportKind) async throws {
        let (socket, port) = try #require(RawSocket.listen(port: 0))
        RawSocket.close(socket)
        await #expect(throws: HTTPTransportError.unreachable) {
            try await kind.with {
                try await $0.send(request(port), body: [], limits: Self.limits)
            }
        }
    }

    @Test("Cancelling the task ends the exchange", arguments: TransportKind.allCases)
    func cancellation(kind: TransportKind) async throws {
        let server = try LocalServer { _ in .silence }
        defer { server.stop() }
        let port = server.port
        let task = Task {
            try await kind.with {
                try await $0.send(
                    HTTPRequest(
                        method: .get,
                        scheme: "http",
                        authority: "127.0.0.1:\(port)",
                        path: "/"
                    ),
                    body: [],
                    limits: Self.limits
                )
            }
        }
        try await waitUntil("the request is there") { !server.requests.isEmpty }
        task.cancel()
        await #expect(throws: HTTPTransportError.cancelled) { try await task.value }
    }

    @Test("A request without an address is refused", arguments: TransportKind.allCases)
    func malformed(kind: TransportKind) async throws {
        for request in [
            HTTPRequest(method: .get, scheme: nil, authority: "127.0.0.1", path: "/"),
            HTTPRequest(method: .get, scheme: "ftp", authority: "127.0.0.1", path: "/"),
            HTTPRequest(method: .get, scheme: "http", authority: "u@127.0.0.1", path: "/"),
        ] {
            await #expect(throws: HTTPTransportError.malformed) {
                try await kind.with { try await $0.send(request, body: [], limits: Self.limits) }
            }
        }
    }
}

/// Bytes that can be read up to a place.
private struct ScriptedBytes: StoredBytes {
    let count: Int
    var readable = Int.max

    static func byte(at offset: Int) -> UInt8 { UInt8(ascii: "a") + UInt8(offset / 1000 % 26) }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard offset < readable else { return nil }
        let length = min(buffer.count, count - offset, 1000)
        for index in 0..<length { buffer[index] = Self.byte(at: offset + index) }
        return length
    }
}

@Suite("Stored bodies") struct StoredBodyTests {
    private func send(_ body: ScriptedBytes, to server: LocalServer) async throws -> HTTPReply {
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(server.port),
            isPlain: true
        )
        let transport = GuardedTransport(
            resolver: ScriptedNames([.loopback4]),
            connectTo: ["pds.example.com": target]
        )
        let address = try #require(HTTPAddress("https://pds.example.com/a"))
        return try await transport.send(
            HTTPRequest(.post, to: address),
            stored: body,
            limits: HTTPLimits(bytes: 1000, seconds: 10)
        )
    }

    @Test("All of it is sent, with its length, and without waiting to be told to")
    func whole() async throws {
        let server = try LocalServer(takesBodies: true) { _ in LocalServer.reply() }
        defer { server.stop() }
        for length in [1, 1000, 200_000] {
            #expect(try await send(ScriptedBytes(count: length), to: server).response.status == 200)
            let request = try #require(server.requests.last)
            let end = try #require(request.firstRange(of: "\r\n\r\n"))
            let body = Array(request[end.upperBound...].utf8)
            #expect(body == (0..<length).map { ScriptedBytes.byte(at: $0) })
            #expect(request.contains("Content-Length: \(length)\r\n"))
            #expect(!request[..<end.lowerBound].contains("Expect"))
        }
    }

    @Test("One that cannot be read to its end is given up, and no server takes it for whole")
    func unreadable() async throws {
        let server = try LocalServer(takesBodies: true) { _ in LocalServer.reply() }
        defer { server.stop() }
        await #expect(throws: HTTPTransportError.unreachable) {
            try await send(ScriptedBytes(count: 200_000, readable: 100_000), to: server)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("The time for it grows with its length, and no other request's does")
    func time() throws {
        let address = try #require(HTTPAddress("https://pds.example.com/a"))
        func seconds(_ stored: ScriptedBytes?) -> Double {
            let request = CurlRequest(
                HTTPRequest(.post, to: address),
                to: address,
                body: [],
                stored: stored,
                limits: HTTPLimits(bytes: 0, seconds: 30),
                trustedRoots: nil,
                isPooled: false
            )
            return (request.deadline - .now) / .seconds(1)
        }
        #expect(20...30 ~= seconds(nil))
        #expect(820...830 ~= seconds(ScriptedBytes(count: 50 << 20)))
    }
}

/// One thread reads the answers of all hosts of a transport: none may cost more than its bytes.
@Suite("The parts of an answer") struct AnswerPartsTests {
    private static let host = "pds.example.com"

    private func transport(
        _ server: LocalServer,
        mediaTypes: Set<String>? = nil,
        answers: SharedCapacity? = nil
    ) -> GuardedTransport {
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(server.port),
            isPlain: true
        )
        return GuardedTransport(
            mediaTypes: mediaTypes,
            answers: answers,
            resolver: ScriptedNames([]),
            connectTo: [Self.host: target]
        )
    }

    private func get(_ transport: GuardedTransport) async throws -> HTTPReply {
        try await transport.send(
            HTTPRequest(.get, to: try #require(HTTPAddress("https://\(Self.host)/"))),
            body: [],
            limits: HTTPLimits(bytes: 1 << 20, seconds: 15)
        )
    }

    private static func chunks(_ count: Int, of size: Int, type: String = "a/b")
        -> LocalServer.Answer
    {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n"
            + "Connection: close\r\n\r\n"
        let chunk = "\(String(size, radix: 16))\r\n\(String(repeating: "a", count: size))\r\n"
        return .bytes(Array((head + String(repeating: chunk, count: count) + "0\r\n\r\n").utf8))
    }

    @Test(
        "decision 0067: an answer in very many small parts is malformed",
        arguments: [(4096, 1, true), (6000, 1, false), (20_000, 4, true), (20_000, 2, false)]
    )
    func small(count: Int, size: Int, isRead: Bool) async throws {
        let server = try LocalServer { _ in Self.chunks(count, of: size) }
        defer { server.stop() }
        let transport = transport(server)
        guard isRead else {
            await #expect(throws: HTTPTransportError.malformed) { try await get(transport) }
            return
        }
        let reply = try await get(transport)
        #expect(reply.body.count == count * size)
    }

    @Test("decision 0067: the type of an answer is read once, and not for each of its parts")
    func type() async throws {
        let long = "application/json;" + String(repeating: "x", count: 70_000)
        let server = try LocalServer { _ in Self.chunks(65_536, of: 16, type: long) }
        defer { server.stop() }
        let transport = transport(server, mediaTypes: ["application/json"])
        let start = ContinuousClock.now
        let reply = try await get(transport)
        #expect(reply.body.count == 1 << 20)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("decision 0067: an answer that does not say its length takes 64 KiB at a time")
    func steps() async throws {
        let server = try LocalServer { _ in Self.chunks(10, of: 1) }
        defer { server.stop() }
        // A quarter for each: 100,000.
        let answers = SharedCapacity(400_000, part: 4)
        let transport = transport(server, answers: answers)
        var reply: HTTPReply? = try await get(transport)
        #expect(!answers.take(34_465, for: "\(Self.host):80"))
        #expect(answers.take(34_464, for: "\(Self.host):80"))
        answers.giveBack(34_464, for: "\(Self.host):80")
        #expect(reply?.body.count == 10)
        reply = nil
        // The thread of libcurl lets go of it a moment later.
        try await waitUntil("all of it is given back") {
            answers.take(100_000, for: "\(Self.host):80")
        }
    }
}
