import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

/// One byte; who reads it, which is the thread that all exchanges share, is held up.
private struct HoldingByte: StoredBytes {
    let count = 1
    let hold: @Sendable () -> Void

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard offset == 0 else { return 0 }
        hold()
        buffer[0] = UInt8(ascii: "a")
        return 1
    }
}

@Suite("A thread of outbound requests that was busy") struct BusyThreadTests {
    private func request(_ method: HTTPRequest.Method, _ host: String) throws -> HTTPRequest {
        HTTPRequest(method, to: try #require(HTTPAddress("https://\(host)/")))
    }

    @Test("decision 0044: an answer that came in time is read after the time, too")
    func late() async throws {
        let isHeld = Locked(false)
        let first = try LocalServer { _ in
            waitBlocked { isHeld.withLock { $0 } }
            return LocalServer.reply("200 OK", [], "tokens")
        }
        let second = try LocalServer(takesBodies: true) { _ in LocalServer.reply() }
        defer {
            first.stop()
            second.stop()
        }
        let targets = [("first.example.com", first), ("second.example.com", second)].map {
            let (host, server) = $0
            return (
                host,
                GuardedTransport.ConnectTarget(
                    address: "127.0.0.1",
                    port: Int(server.port),
                    isPlain: true
                )
            )
        }
        let transport = GuardedTransport(
            resolver: ScriptedNames([]),
            connectTo: Dictionary(uniqueKeysWithValues: targets)
        )
        let waiting = try request(.get, "first.example.com")
        let answer = Task {
            try await transport.send(
                waiting,
                body: [],
                limits: HTTPLimits(bytes: 1000, seconds: 5)
            )
        }
        try await waitUntil("the first request is there") { !first.requests.isEmpty }
        let over = ContinuousClock.now + .seconds(6)
        let body = HoldingByte {
            isHeld.withLock { $0 = true }
            waitBlocked { ContinuousClock.now > over }
        }
        let other = try await transport.send(
            try request(.post, "second.example.com"),
            stored: body,
            limits: HTTPLimits(bytes: 1000, seconds: 15)
        )
        #expect(other.response.status == .ok)
        let reply = try await answer.value
        #expect(reply.body == Array("tokens".utf8))
    }
}
