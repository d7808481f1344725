import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import PorticoURLSession
import Testing

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
