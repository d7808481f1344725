import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

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
