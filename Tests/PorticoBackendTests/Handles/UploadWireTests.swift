import Foundation
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoWeb

/// A backend on a port of its own that takes long bodies.
struct UploadingBackend: Sendable {
    static let path = "/xrpc/com.atproto.repo.uploadBlob"
    let backend: HostedBackend
    let seal: String
    let folder: SpoolFolder
    var limits = ConnectionLimits(connections: 1000)

    /// - Parameter host: `nil`: the network that writes down.
    init(asking host: UploadHost? = nil, most: Int = 50 << 20) async throws {
        let transport = host.map { host in
            GuardedTransport(
                longest: HandleDirectory.longest,
                resolver: ScriptedNames([.loopback4]),
                connectTo: [
                    "pds.example.com": GuardedTransport.ConnectTarget(
                        address: "127.0.0.1",
                        port: Int(host.port),
                        isPlain: true
                    )
                ]
            )
        }
        backend = try await HostedBackend(transport: transport)
        seal = try await backend.signedIn().seal
        folder = try SpoolFolder()
        limits.uploads = Uploads(bytes: most, folder: folder.path)
    }

    func serve(_ body: @escaping @Sendable (_ port: Int) async throws -> Void) async throws {
        try await withLoopbackListener(limits: limits) { [backend] port, door in
            door.stands(before: backend.pipeline)
            try await body(port)
        }
    }

    func head(
        _ fields: String? = nil,
        method: String = "POST",
        path: String = path
    ) -> String {
        """
        \(method) \(path) HTTP/1.1\r
        Host: app.example.com\r
        X-Forwarded-Proto: https\r
        X-Forwarded-For: 192.0.2.1\r
        \(fields ?? "X-Portico: 1\r\nCookie: sid=\(seal)\r\n")Content-Type: video/mp4\r
        Connection: close\r

        """
    }

    func post(_ length: Int, isChunked: Bool = false, port: Int) async throws -> RawExchange {
        try #require(
            await LongBody(length).post(head(), isChunked: isChunked, port: port)
        )
    }

    /// The request's head on a connection that stays open, after the server has said to go on.
    func begin(_ length: Int, port: Int) async throws -> Int32 {
        let head = head() + "Expect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
        let connection: Int32? = await RawExchange.run {
            guard let connection = RawSocket.connect(port: UInt16(port)) else { return nil }
            RawSocket.send(connection, Array(head.utf8))
            let answer = RawSocket.receive(connection) ?? []
            guard String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 100 ") else {
                RawSocket.close(connection)
                return nil
            }
            return connection
        }
        return try #require(connection)
    }
}

/// From an app's socket to the socket of a host, by all that the program has between them.
@Suite("Long bodies for a person's host, on the wire", .serialized) struct UploadWireTests {
    private static let good = UploadHost.Answer.after(UploadHost.reply("200 OK"))

    private static func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(Int(status.split(separator: " ")[1]))
        return pages * Int(getpagesize())
    }

    @Test(
        "decision 0068: 50 MiB reach the host byte for byte, out of a file",
        arguments: [false, true]
    )
    func most(_ isChunked: Bool) async throws {
        let seen = Locked<(files: Int, memory: Int)>((0, 0))
        let folder = Locked<SpoolFolder?>(nil)
        let host = try UploadHost { number, _ in
            guard number == 2 else { return Self.good }
            // `try?`: the test expects a number.
            let files = try? folder.withLock { $0 }?.openFiles
            seen.withLock { $0 = (files ?? 0, (try? Self.memory()) ?? .max) }
            return Self.good
        }
        defer { host.stop() }
        let server = try await UploadingBackend(asking: host)
        folder.withLock { $0 = server.folder }
        let body = LongBody(50 << 20)
        try await server.serve { port in
            // What a first request costs is there before it is measured.
            let first = try await server.post(100_000, port: port)
            #expect(first.status == 200)
            let before = try Self.memory()
            let reply = try await server.post(body.count, isChunked: isChunked, port: port)
            #expect(reply.status == 200)
            // The first was short, and asked for no nonce.
            #expect(seen.withLock { $0.files } == 1)
            #expect(seen.withLock { $0.memory } - before < 40 << 20)
        }
        let received = host.received
        #expect(
            received.map(\.line) == [
                "POST \(UploadingBackend.path) HTTP/1.1",
                "GET /xrpc/com.atproto.server.getSession HTTP/1.1",
                "POST \(UploadingBackend.path) HTTP/1.1",
            ]
        )
        let last = try #require(received.last)
        #expect(last.count == body.count && last.hash == body.hash)
        #expect(last.field("Content-Type") == "video/mp4")
        #expect(last.field("Content-Length") == "\(body.count)")
        #expect(last.field("Expect") == nil && last.field("Cookie") == nil)
        try await server.folder.wait(forOpenFiles: 0)
        #expect(try server.folder.openFiles == 0 && server.folder.names.isEmpty)
    }

    @Test("1 MiB goes out of memory at once; one byte more is stored, and goes with a nonce")
    func boundary() async throws {
        let host = try UploadHost { _, _ in Self.good }
        defer { host.stop() }
        let server = try await UploadingBackend(asking: host)
        try await server.serve { port in
            for (length, requests) in [(1 << 20, 1), (1 << 20 + 1, 2)] {
                for isChunked in [false, true] {
                    let before = host.received.count
                    let reply = try await server.post(length, isChunked: isChunked, port: port)
                    #expect(reply.status == 200)
                    let body = LongBody(length)
                    #expect(host.received.last?.count == length)
                    #expect(host.received.last?.hash == body.hash)
                    // With the question for a nonce, which this host never gives.
                    #expect(host.received.count - before == requests)
                }
            }
        }
    }

    @Test("WEB-INPUT-1: 50 MiB and a byte are 413, said or found out; the host hears nothing")
    func tooLong() async throws {
        let host = try UploadHost { _, _ in Self.good }
        defer { host.stop() }
        let server = try await UploadingBackend(asking: host)
        try await server.serve { port in
            for isChunked in [false, true] {
                let reply = try await server.post(50 << 20 + 1, isChunked: isChunked, port: port)
                #expect(reply.status == 413)
            }
        }
        #expect(host.received.isEmpty)
        try await server.folder.wait(forOpenFiles: 0)
        #expect(try server.folder.openFiles == 0)
    }

    @Test(
        "RFC 9449 §9: a host that wants another nonce gets all of it again, from the first byte",
        arguments: [false, true]
    )
    func nonce(_ isBefore: Bool) async throws {
        let challenge = UploadHost.reply(
            "401 Unauthorized",
            ["DPoP-Nonce: n2", #"WWW-Authenticate: DPoP error="use_dpop_nonce""#]
        )
        let host = try UploadHost { number, _ in
            number != 1 ? Self.good : isBefore ? .before(challenge) : .after(challenge)
        }
        defer { host.stop() }
        let server = try await UploadingBackend(asking: host)
        let body = LongBody(8 << 20)
        try await server.serve { port in
            let reply = try await server.post(body.count, port: port)
            #expect(reply.status == 200)
        }
        let uploads = host.received.filter { $0.line.hasPrefix("POST") }
        #expect(uploads.count == 2)
        #expect(uploads.last?.count == body.count && uploads.last?.hash == body.hash)
        #expect(isBefore || uploads.first?.hash == body.hash)
        try await server.folder.wait(forOpenFiles: 0)
        #expect(try server.folder.openFiles == 0)
    }

    @Test("A host that goes away in the middle is 503, and no file stays")
    func hostGone() async throws {
        let host = try UploadHost { number, _ in
            number == 0 ? Self.good : .breaksOff(1_000_000)
        }
        defer { host.stop() }
        let server = try await UploadingBackend(asking: host)
        try await server.serve { port in
            let reply = try await server.post(8 << 20, port: port)
            #expect(reply.status == 503 && reply.body.contains("provider_unreachable"))
        }
        // Nothing but a nonce makes it go out again.
        #expect(host.received.count == 1)
        try await server.folder.wait(forOpenFiles: 0)
        #expect(try server.folder.openFiles == 0)
    }
}
