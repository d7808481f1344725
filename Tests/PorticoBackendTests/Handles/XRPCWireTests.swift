import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import PorticoWeb
import Testing

@testable import PorticoBackend

/// By the transport that the program has.
@Suite("Calls of a person's host, on the wire") struct XRPCWireTests {
    private static let path = "/xrpc/com.atproto.repo.uploadBlob?a=b"

    private func backend(asking server: LocalServer) async throws -> HostedBackend {
        let target = GuardedTransport.ConnectTarget(
            address: "127.0.0.1",
            port: Int(server.port),
            isPlain: true
        )
        return try await HostedBackend(
            transport: GuardedTransport(
                longest: HandleDirectory.longest,
                resolver: ScriptedNames([.loopback4]),
                connectTo: ["pds.example.com": target]
            )
        )
    }

    @Test("WEB-BFF-4: what leaves this machine is the call, its token and its proof, and no more")
    func request() async throws {
        let server = try LocalServer(takesBodies: true) { _ in
            LocalServer.reply("200 OK", ["Set-Cookie: sid=evil", "Content-Type: text/plain"], "a")
        }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        let reply = try await backend.call(
            Self.path,
            seal,
            .post,
            [.userAgent: "App/1", .acceptEncoding: "gzip", .referer: "https://app.example.com/"],
            body: [1, 2, 3]
        )
        #expect(reply.status == 200 && reply.body == [0x61])
        #expect(reply.headers[.setCookie] == nil)
        let head = try #require(server.requests.first).split(separator: "\r\n\r\n")[0]
        let lines = head.split(separator: "\r\n")
        #expect(lines.first == "POST \(Self.path) HTTP/1.1")
        let names = lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        #expect(
            names.sorted() == ["authorization", "connection", "content-length", "dpop", "host"]
        )
        #expect(lines.contains("Host: pds.example.com"))
        #expect(lines.contains { $0.lowercased() == "authorization: dpop a1" })
        #expect(!head.contains("Fe26"))
    }

    @Test("An answer of 16 MiB passes, and of a longer one nothing")
    func long() async throws {
        let most = HandleDirectory.longest.bytes
        let length = Locked(most)
        let server = try LocalServer(takesBodies: true) { _ in
            LocalServer.reply("200 OK", [], String(repeating: "a", count: length.withLock { $0 }))
        }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        #expect(try await backend.call(Self.path, seal).body.count == most)
        length.withLock { $0 += 1 }
        let reply = try await backend.call(Self.path, seal)
        #expect(reply.status == 502 && reply.json.string("error") == "provider_error")
    }

    @Test(
        "What is no HTTP, or breaks off, is 503, and the session stays",
        arguments: ["", "SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na"]
    )
    func broken(_ bytes: String) async throws {
        let server = try LocalServer(takesBodies: true) { _ in .bytes(Array(bytes.utf8)) }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        #expect(try await backend.call(Self.path, seal).status == 503)
        #expect(try await backend.call("/api/auth/session", seal).status == 200)
    }

    @Test("WEB-SSRF-1: a redirect takes neither the token nor the browser anywhere")
    func redirect() async throws {
        let victim = try LocalServer { _ in LocalServer.reply() }
        defer { victim.stop() }
        let port = victim.port
        let server = try LocalServer(takesBodies: true) { _ in
            LocalServer.reply("307 X", ["Location: http://127.0.0.1:\(port)/"])
        }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn()
        let reply = try await backend.call(Self.path, seal)
        #expect(reply.status == 307 && reply.location == nil)
        #expect(victim.requests.isEmpty && server.requests.count == 1)
    }

    @Test(
        "WEB-SSRF-1: a host that leads to this machine is not asked",
        arguments: [
            "https://127.0.0.1:PORT", "https://localhost:PORT", "http://127.0.0.1:PORT",
            "https://other.example.com", "https://other.example.com:PORT", "https://[::1]:PORT",
        ]
    )
    func inner(_ host: String) async throws {
        let server = try LocalServer(takesBodies: true) { _ in LocalServer.reply() }
        defer { server.stop() }
        let backend = try await backend(asking: server)
        let (_, seal) = try await backend.signedIn(
            host: host.replacing("PORT", with: "\(server.port)")
        )
        for method in [HTTPRequest.Method.get, .post] {
            let reply = try await backend.call(Self.path, seal, method)
            #expect(reply.status == 503)
        }
        #expect(server.requests.isEmpty)
    }
}
