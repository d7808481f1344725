import Foundation
import HTTPTypes
import PorticoBytes
import PorticoOutbound
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoBackend
@testable import PorticoSignIn
@testable import PorticoWeb

@Suite("Long bodies for a person's host", .serialized) struct UploadTests {
    @Test("decision 0068: without a session, or our header, the answer comes before the body")
    func unread() async throws {
        let server = try await UploadingBackend()
        let cookie = "Cookie: sid=\(server.seal)\r\n"
        try await server.serve { port in
            for framing in ["Content-Length: 3000000", "Transfer-Encoding: chunked"] {
                for (fields, status) in [
                    ("X-Portico: 1\r\n", 401), ("X-Portico: 1\r\nCookie: sid=Fe26.2\r\n", 401),
                    ("X-Portico: 1\r\nCookie: sid=\(server.seal.dropLast(4))AA~2\r\n", 401),
                    ("X-Portico: 1\r\nAuthorization: Bearer Fe26.2*1\r\n", 401),
                    ("Origin: https://app.example.com\r\n" + cookie, 403),
                    ("X-Portico: 2\r\n" + cookie, 403),
                    ("X-Portico: 1\r\nSec-Fetch-Site: cross-site\r\n" + cookie, 403),
                ] {
                    let head = server.head(fields) + framing + "\r\n\r\n"
                    let reply = try #require(
                        await RawExchange.run { RawExchange(head, port: UInt16(port)) }
                    )
                    #expect(reply.status == status, "\(fields)")
                    #expect(reply.head.contains("connection: close"))
                }
            }
            for (method, path, status) in [
                ("GET", UploadingBackend.path, 413), ("PUT", UploadingBackend.path, 413),
                ("POST", "/v1/auth/token", 413), ("POST", "/bff/api/x", 413),
                ("POST", "/api/auth/logout", 413), ("POST", "/xrpc", 413),
                ("POST", "/xrpc/a.b.c/d", 413), ("POST", "/xrpc/a.b", 400),
            ] {
                let head = server.head(method: method, path: path) + "Content-Length: 70000\r\n\r\n"
                let reply = await RawExchange.run { RawExchange(head, port: UInt16(port)) }
                #expect(reply?.status == status, "\(method) \(path)")
            }
        }
        #expect(server.backend.network.isUntouched)
        #expect(try server.folder.openFiles == 0)
    }

    @Test("decision 0068: a nonce of the last minute is there first; a short body asks for none")
    func freshNonce() async throws {
        let server = try await UploadingBackend()
        let network = server.backend.network
        network.state.withLock { $0.nonce = "n1" }
        let body = LongBody(2 << 20)
        let bytes = Array(body.parts.joined())
        try await server.serve { port in
            let first = try await server.post(body.count, port: port)
            #expect(first.status == 200)
            #expect(network.calls.map(\.method) == ["GET", "GET", "POST"])
            #expect(network.calls.last?.body == bytes)
            server.backend.clock.advance(by: 60)
            let later = try await server.post(body.count, port: port)
            #expect(later.status == 200)
            #expect(network.calls.map(\.method).dropFirst(3) == ["POST"])
            server.backend.clock.advance(by: 61)
            let short = try await server.post(1 << 20, port: port)
            #expect(short.status == 200)
            #expect(network.calls.map(\.method).dropFirst(4) == ["POST"])
            server.backend.clock.advance(by: 61)
            network.state.withLock { $0.nonce = "n2" }
            let anew = try await server.post(body.count, port: port)
            #expect(anew.status == 200)
            #expect(network.calls.map(\.method).dropFirst(5) == ["GET", "GET", "POST"])
            #expect(network.calls.last?.body == bytes)
        }
        let questions = network.calls.filter { $0.method == "GET" }
        let address = "https://pds.example.com/xrpc/com.atproto.server.getSession"
        #expect(Set(questions.map(\.url)) == [address])
        #expect(questions.allSatisfy { $0.body.isEmpty })
        #expect(Set(questions.map { $0.fields[.authorization] }) == ["DPoP A1"])
    }

    @Test("An access token that is over costs one refresh, before a long body or after it")
    func refreshed() async throws {
        for isBefore in [true, false] {
            let server = try await UploadingBackend()
            let network = server.backend.network
            let over = HTTPReply.challenge("invalid_token")
            if isBefore {
                network.answer(.success(over))
            } else {
                network.answer(.success(.json(200, "{}")), .success(over))
            }
            let body = LongBody(2 << 20)
            try await server.serve { port in
                let reply = try await server.post(body.count, port: port)
                #expect(reply.status == 200)
            }
            let tokens = network.calls.map { $0.fields[.authorization] }
            #expect(tokens == (isBefore ? [] : ["DPoP A1"]) + ["DPoP A1", "DPoP A2"])
            let uploads = network.calls.filter { $0.method == "POST" }
            #expect(uploads.count == (isBefore ? 1 : 2))
            #expect(uploads.allSatisfy { $0.body == Array(body.parts.joined()) })
            #expect(network.refreshes.count == 1)
        }
    }

    @Test("decision 0068: an account sends four long bodies at once, and others still may")
    func places() async throws {
        let server = try await UploadingBackend()
        let other = try await server.backend.scene.signedIn(
            did: "did:plc:otherotherotherotherothe",
            clientKeyID: server.backend.keyID
        )
        let seal = try server.backend.seal(other)
        try await server.serve { port in
            var open: [Int32] = []
            defer { open.forEach(RawSocket.close) }
            for _ in 0..<4 { open.append(try await server.begin(3_000_000, port: port)) }
            let head = server.head() + "Content-Length: 70000\r\n\r\n"
            let reply = await RawExchange.run { RawExchange(head, port: UInt16(port)) }
            #expect(reply?.status == 429 && reply?.field("Retry-After") == "5")
            #expect(reply?.body.contains("rate_limited") == true)
            // A short one is no matter of places, nor is another account's.
            let short = try await server.post(60_000, port: port)
            #expect(short.status == 200)
            let others = await LongBody(70_000).post(
                server.head("X-Portico: 1\r\nCookie: sid=\(seal)\r\n"),
                port: port
            )
            #expect(others?.status == 200)
            RawSocket.close(open.removeFirst())
            try await waitUntil("a place is free") {
                let status = try await server.post(70_000, port: port).status
                #expect(status == 200 || status == 429)
                return status == 200
            }
        }
    }

    @Test("decision 0068: a full disk is 503 with Retry-After, and the session stays")
    func full() async throws {
        var server = try await UploadingBackend()
        server.limits.uploads?.file = { open("/dev/full", O_RDWR) }
        try await server.serve { [server] port in
            let reply = try await server.post(3_000_000, port: port)
            #expect(reply.status == 503 && reply.field("Retry-After") == "30")
            #expect(reply.body.contains("busy"))
            #expect(try await server.post(1 << 20, port: port).status == 200)
        }
        #expect(server.backend.network.calls.count == 1)
    }

    @Test("A session that ended while its long body arrived is 401, and the host hears nothing")
    func ended() async throws {
        let server = try await UploadingBackend()
        let body = LongBody(2 << 20)
        try await server.serve { port in
            let connection = try await server.begin(body.count, port: port)
            defer { RawSocket.close(connection) }
            let out = try await server.backend.send(
                .post,
                "/api/auth/logout",
                [.cookie: "sid=\(server.seal)"]
            )
            #expect(out.status == 200)
            let reply = await RawExchange.run {
                for part in body.parts { RawSocket.send(connection, part) }
                return RawExchange(from: connection)
            }
            #expect(reply?.status == 401)
        }
        #expect(server.backend.network.calls.isEmpty)
        try await server.folder.wait(forOpenFiles: 0)
        #expect(try server.folder.openFiles == 0)
    }
}

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

    func head(_ fields: String? = nil, method: String = "POST", path: String = path) -> String {
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
        try #require(await LongBody(length).post(head(), isChunked: isChunked, port: port))
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
