import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol
import PorticoTestSupport
import Testing

@testable import PorticoBackend
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
