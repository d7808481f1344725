import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

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
