import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoOutbound

@Suite(
    "Guarded transport: the exchange",
    .serialized,
    .enabled(if: TLSServer.isPossible, "needs openssl")
)
struct GuardedExchangeTests {
    private let server: TLSServer

    init() throws {
        server = try TLSServer(files: Self.files)
    }

    private static let host = "op.example.test"

    private static func response(_ status: String, _ fields: [String], _ body: String = "")
        -> String
    {
        (["HTTP/1.0 \(status)"] + fields).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    private static let files = [
        "json": response("200 OK", ["Content-Type: application/json; charset=utf-8"], "{}"),
        "html": response("200 OK", ["Content-Type: text/html"], "<p>"),
        "untyped": response("200 OK", [], "{}"),
        "nothing": response("204 No Content", []),
        "zero": response("000 X", ["Content-Type: application/json"], "{}"),
        "switching": response("101 X", ["Content-Type: application/json"], "{}"),
        "redirect": response("302 Found", ["Location: https://127.0.0.1/", "Content-Length: 0"]),
        "exact": response("200 OK", [], String(repeating: "a", count: 1000)),
        "long": response("200 OK", [], String(repeating: "a", count: 1001)),
        "announced": response("200 OK", ["Content-Length: 1001"], "a"),
    ]

    private func transport(
        _ server: TLSServer,
        as hosts: [String] = [host],
        _ mediaTypes: Set<String>? = nil
    ) -> GuardedTransport {
        let target = GuardedTransport.ConnectTarget(address: "127.0.0.1", port: Int(server.port))
        return GuardedTransport(
            mediaTypes: mediaTypes,
            trustedRoots: server.certificate,
            connectTo: Dictionary(uniqueKeysWithValues: hosts.map { ($0, target) })
        )
    }

    private func get(
        _ transport: GuardedTransport,
        _ path: String,
        host: String = host,
        limits: HTTPLimits = HTTPLimits(bytes: 1000, seconds: 10)
    ) async throws -> HTTPReply {
        try await transport.send(
            HTTPRequest(.get, to: try #require(HTTPAddress("https://\(host)/\(path)"))),
            body: [],
            limits: limits
        )
    }

    @Test("A named host is reached where the wiring says, under the certificate of its name")
    func reached() async throws {
        let transport = transport(server, as: [Self.host, "evil.example.test"])
        let reply = try await get(transport, "json")
        #expect(reply.response.status.code == 200)
        #expect(reply.isJSON)
        #expect(reply.body == Array("{}".utf8))
        await #expect(throws: HTTPTransportError.untrusted) {
            try await get(transport, "json", host: "evil.example.test")
        }
        // A map for one host opens nothing to another, nor to the address itself.
        for other in ["localhost", "127.0.0.1", "sub.op.example.test.localhost"] {
            await #expect(throws: HTTPTransportError.self) {
                try await get(transport, "json", host: other)
            }
        }
        await #expect(throws: HTTPTransportError.refused) {
            try await get(transport, "json", host: "127.0.0.1")
        }
    }

    @Test("RFC 8414 §6.1: without the test's root its certificate is refused")
    func untrusted() async throws {
        let target = GuardedTransport.ConnectTarget(address: "127.0.0.1", port: Int(server.port))
        await #expect(throws: HTTPTransportError.untrusted) {
            try await get(GuardedTransport(connectTo: [Self.host: target]), "json")
        }
    }

    @Test("RFC 9325 §3.1.1: a server that speaks TLS 1.1 and nothing newer is refused")
    func oldVersion() async {
        await #expect(processExitsWith: .success) {
            try TLSServer.forgetLowestVersion()
            let tests = try GuardedExchangeTests()
            let new = try TLSServer(files: GuardedExchangeTests.files, only: .v12)
            let reply = try await tests.get(tests.transport(new), "json")
            try #require(reply.body == Array("{}".utf8))
            let old = try TLSServer(files: GuardedExchangeTests.files, only: .v11)
            await #expect(throws: HTTPTransportError.untrusted) {
                try await tests.get(tests.transport(old), "json")
            }
        }
    }

    @Test("WEB-SSRF-1: a redirect is a reply and is not followed")
    func redirect() async throws {
        let reply = try await get(transport(server), "redirect")
        #expect(reply.response.status.code == 302)
    }

    @Test(
        "RFC 9110 §15: what has no status of an answer is none",
        arguments: ["zero", "switching"],
        [nil, ["application/json"]] as [Set<String>?]
    )
    func status(path: String, mediaTypes: Set<String>?) async throws {
        let transport = transport(server, as: [Self.host], mediaTypes)
        await #expect(throws: HTTPTransportError.malformed) { try await get(transport, path) }
    }

    @Test("WEB-SSRF-1: a body that is too long is given up, announced or not")
    func tooLarge() async throws {
        let transport = transport(server)
        #expect(try await get(transport, "exact").body.count == 1000)
        for path in ["long", "announced"] {
            await #expect(throws: HTTPTransportError.tooLarge) { try await get(transport, path) }
        }
    }

    @Test(
        "WEB-SSRF-1: more than 1 MiB of a body is not read, whatever a caller asks for",
        arguments: [1 << 40, Int.max]
    )
    func mostBytes(asked: Int) async throws {
        let most = 1024 * 1024
        let body = String(repeating: "a", count: most)
        let server = try TLSServer(files: [
            "exact": Self.response("200 OK", [], body),
            "long": Self.response("200 OK", [], body + "a"),
            "announced": Self.response("200 OK", ["Content-Length: \(most + 1)"], body + "a"),
        ])
        let transport = transport(server)
        let limits = HTTPLimits(bytes: asked, seconds: 10)
        #expect(try await get(transport, "exact", limits: limits).body.count == most)
        for path in ["long", "announced"] {
            await #expect(throws: HTTPTransportError.tooLarge) {
                try await get(transport, path, limits: limits)
            }
        }
    }

    @Test("WEB-SSRF-1: who wires the program may grant more, and no caller gets more than that")
    func wider() async throws {
        let most = 3 << 19
        let body = String(repeating: "a", count: most)
        let server = try TLSServer(files: [
            "exact": Self.response("200 OK", [], body),
            "long": Self.response("200 OK", [], body + "a"),
        ])
        let target = GuardedTransport.ConnectTarget(address: "127.0.0.1", port: Int(server.port))
        let transport = GuardedTransport(
            longest: HTTPLimits(bytes: most, seconds: 20),
            trustedRoots: server.certificate,
            connectTo: [Self.host: target]
        )
        let limits = HTTPLimits(bytes: .max, seconds: 10)
        #expect(try await get(transport, "exact", limits: limits).body.count == most)
        await #expect(throws: HTTPTransportError.tooLarge) {
            try await get(transport, "long", limits: limits)
        }
    }

    @Test("WEB-SSRF-1: content of a type that was not asked for is not read")
    func wrongType() async throws {
        let transport = transport(server, ["application/json"])
        #expect(try await get(transport, "json").body == Array("{}".utf8))
        #expect(try await get(transport, "nothing").response.status.code == 204)
        for path in ["html", "untyped"] {
            await #expect(throws: HTTPTransportError.wrongType) { try await get(transport, path) }
        }
    }
}

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
            try await transport.send(waiting, body: [], limits: HTTPLimits(bytes: 1000, seconds: 5))
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
