import Foundation
import HTTPTypes
import Portico
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import PorticoURLSession
import Testing

/// What a client of ours does with plain http on `localhost`.
@Suite("HTTP transports: localhost", .serialized) struct LocalhostTests {
    private static let limits = HTTPLimits(bytes: 1000, seconds: 10)

    private func request(_ port: UInt16, _ host: String = "localhost") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "\(host):\(port)", path: "/a?b=c")
    }

    private func outbound<Outcome>(
        _ names: ScriptedNames,
        _ body: (OutboundClient) async throws -> Outcome
    ) async throws -> Outcome {
        let client = OutboundClient(localhost: LocalhostName(resolver: names))
        let result: Result<Outcome, any Error>
        do { result = .success(try await body(client)) } catch { result = .failure(error) }
        try await client.shutdown()
        return try result.get()
    }

    @Test("RFC 6761 §6.3: the address that was looked at is the one that is asked, under its name")
    func pinned() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for host in ["localhost", "op.localhost"] {
            // The second answer would lead away: it is not asked for.
            let names = ScriptedNames([.loopback4], [[192, 0, 2, 1]])
            let reply = try await outbound(names) {
                try await $0.send(request(server.port, host), body: [], limits: Self.limits)
            }
            #expect(reply.response.status == .ok)
            #expect(names.questions == [host])
            let head = try #require(server.requests.last?.lowercased())
            #expect(head.hasPrefix("get /a?b=c http/1.1\r\n"))
            #expect(head.components(separatedBy: "\r\nhost: ").count == 2)
            #expect(head.contains("\r\nhost: \(host):\(server.port)\r\n"))
        }
        // Nobody is there, and no other address of the name is asked instead.
        await #expect(throws: HTTPTransportError.unreachable) {
            try await outbound(ScriptedNames([[127, 9, 9, 9]])) {
                try await $0.send(request(server.port), body: [], limits: Self.limits)
            }
        }
    }

    @Test("If no server listens on one of its addresses, the next one is tried, once")
    func next() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for first in [[UInt8].loopback6, [127, 9, 9, 9]] {
            let names = ScriptedNames([first, .loopback4])
            let before = server.requests.count
            let reply = try await outbound(names) {
                try await $0.send(request(server.port), body: [], limits: Self.limits)
            }
            #expect(reply.response.status == .ok)
            #expect(server.requests.count == before + 1)
        }
        // A server that took the request is not asked again.
        let silent = try LocalServer { _ in .bytes([]) }
        defer { silent.stop() }
        await #expect(throws: HTTPTransportError.self) {
            try await outbound(ScriptedNames([.loopback4, .loopback4])) {
                try await $0.send(request(silent.port), body: [], limits: Self.limits)
            }
        }
        #expect(silent.requests.count == 1)
    }

    @Test("RFC 6761 §6.3: a localhost that leads elsewhere gets no request, by neither client")
    func elsewhere() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for addresses in [[[192, 0, 2, 1]], [.loopback4, [192, 0, 2, 1]]] as [[[UInt8]]] {
            await #expect(throws: HTTPTransportError.elsewhere) {
                try await outbound(ScriptedNames(addresses)) {
                    try await $0.send(request(server.port), body: [], limits: Self.limits)
                }
            }
            let session = URLSessionTransport(
                localhost: LocalhostName(resolver: ScriptedNames(addresses))
            )
            await #expect(throws: HTTPTransportError.elsewhere) {
                try await session.send(request(server.port), body: [], limits: Self.limits)
            }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("localhost as the system knows it is asked, by all clients")
    func system() async throws {
        let server = try LocalServer { _ in LocalServer.reply() }
        defer { server.stop() }
        for kind in TransportKind.allCases {
            let reply = try await kind.with { transport in
                try await transport.send(request(server.port), body: [], limits: Self.limits)
            }
            #expect(reply.response.status == .ok)
        }
        let own = SystemTransport()
        let reply = try await own.send(request(server.port), body: [], limits: Self.limits)
        #expect(reply.response.status == .ok)
        #expect(server.requests.count == 3)
    }
}
