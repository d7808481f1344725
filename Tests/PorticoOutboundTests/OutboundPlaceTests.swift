import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

@Suite("What the APIs of a team share") struct OutboundPlaceTests {
    private func get(
        _ path: String,
        _ port: UInt16,
        by client: OutboundClient,
        for person: UniqueID? = nil
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

    @Test(
        "decision 0094: a server that does not answer leaves places to others, and waits for none"
    )
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
        let (one, two) = (UniqueID(random: .system), UniqueID(random: .system))
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

    @Test("decision 0094: answers share their memory until nobody has them, by server and person")
    func answers() async throws {
        let server = try LocalServer { _ in .bytes(Self.answer) }
        defer { server.stop() }
        let client = OutboundClient(
            answers: SharedCapacity(4 * 8192, part: 2, person: (1, 2))
        )
        let (one, two) = (UniqueID(random: .system), UniqueID(random: .system))
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
