import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import PorticoBytes
import Testing

@testable import PorticoWeb

@Suite("Connection limits")
struct ConnectionLimitTests {
    static let get = "GET /a HTTP/1.1\r\nHost: h\r\n"

    @Test("Attack H03: 50 kB of target is 414", arguments: [49_153, 60_000, 2_000_000])
    func target(length: Int) async throws {
        let refused = Locked<[RequestRefusal]>([])
        try await withServer(
            usualLimits(),
            refused: { refusal in
                refused.withLock { $0.append(refusal) }
            }
        ) { port, _ in
            let target = "/" + String(repeating: "a", count: length - 1)
            let answer = try await RawConnection.exchange(
                port: port,
                ["GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n"]
            )
            #expect(answer.statuses == [414])
        }
        #expect(refused.withLock { $0 } == [.targetTooLong])
    }

    @Test(
        "Attack H03: only an address that takes long bodies gets one, from whom it lets in, chunked or not"
    )
    func longBodies() async throws {
        var limits = usualLimits()
        limits.longBodies = [
            ConnectionLimits.LongBody(path: "/long", bytes: 200_000) { $0 == "Bearer good" }
        ]
        let body = String(repeating: "b", count: 150_000)
        let chunked = "Transfer-Encoding: chunked\r\n\r\n249f0\r\n\(body)\r\n0\r\n\r\n"
        let whole = "Content-Length: 150000\r\n\r\n\(body)"
        let good = "Authorization: Bearer good\r\n"
        for (path, fields, status) in [
            ("/long", good, 200), ("/long?a=/other", good, 200), ("/longer", good, 413),
            ("/lon", good, 413), ("/other?/long", good, 413), ("/long/x", good, 413),
            ("/long", "", 413), ("/long", good + good, 413),
            ("/long", "Authorization: Bearer bad\r\n", 413),
        ] {
            for rest in [chunked, whole] {
                try await withServer(limits) { port, _ in
                    let answer = try await RawConnection.exchange(
                        port: port,
                        [
                            "POST \(path) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(fields)\(rest)"
                        ]
                    )
                    #expect(answer.statuses == [status], "\(path)")
                }
            }
        }
        #expect(limits.body(of: "/long", ["Bearer good"]) == 200_000)
        #expect(limits.body(of: "/long/", ["Bearer good"]) == limits.body)
    }

    @Test("decision 0102: a head of 64 KiB is served, with 48 of target or with 32 of one token")
    func largestHead() async throws {
        try await withServer(usualLimits()) { port, _ in
            let token = "Authorization: Bearer \(String(repeating: "t", count: 32 * 1024))\r\n"
            let fields = (0..<28).map { "X-\($0): \(String(repeating: "b", count: 1000))\r\n" }
            let answer = try await RawConnection.exchange(
                port: port,
                [Self.get + "Connection: close\r\n\(token)\(fields.joined())\r\n"]
            )
            #expect(answer.statuses == [200])
        }
        try await withServer(usualLimits()) { port, _ in
            let target = "/" + String(repeating: "a", count: 48 * 1024 - 1)
            let headers = (0..<14).map { "X-\($0): \(String(repeating: "b", count: 1000))\r\n" }
            let answer = try await RawConnection.exchange(
                port: port,
                [
                    "GET \(target) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(headers.joined())\r\n"
                ]
            )
            #expect(answer.statuses == [200])
        }
    }

    @Test(
        "Attack H03: 100 kB of headers, and a thousand of them, are 431",
        arguments: [
            Row("one long", lines(1, of: 100_000)),
            Row("a thousand", lines(1000, of: 1)),
            Row("one too many", lines(100, of: 1)),
            Row("together", lines(90, of: 800)),
            Row("a long name", String(repeating: "n", count: 100_000) + ": x\r\n"),
        ]
    )
    func headers(row: Row<String>) async throws {
        try await withServer(usualLimits()) { port, _ in
            let answer = try await RawConnection.exchange(
                port: port,
                [Self.get + row.value + "\r\n"]
            )
            #expect(answer.statuses == [431])
        }
    }

    private static func lines(_ count: Int, of length: Int) -> String {
        let value = String(repeating: "a", count: length)
        return (0..<count).map { "X-\($0): \(value)\r\n" }.joined()
    }

    @Test("WEB-INPUT-1: a body above the limit is 413, said beforehand or found out")
    func body() async throws {
        let answered = Locked(0)
        try await withServer(
            usualLimits(),
            answer: { request in
                answered.withLock { $0 += 1 }
                return Response(status: .ok)
            }
        ) { port, _ in
            let post = "POST /a HTTP/1.1\r\nHost: h\r\n"
            let most = String(repeating: "a", count: 65_536)
            let said = try await RawConnection.exchange(
                port: port,
                [post + "Content-Length: 65537\r\n\r\n\(most)a"]
            )
            #expect(said.statuses == [413])
            let chunk = "1000\r\n" + String(repeating: "a", count: 4096) + "\r\n"
            let found = try await RawConnection.exchange(
                port: port,
                [post + "Transfer-Encoding: chunked\r\n\r\n"]
                    + Array(repeating: chunk, count: 17) + ["0\r\n\r\n"]
            )
            #expect(found.statuses == [413])
            #expect(answered.withLock { $0 } == 0)
            let fits = try await RawConnection.exchange(
                port: port,
                [post + "Content-Length: 65536\r\nConnection: close\r\n\r\n\(most)"]
            )
            #expect(fits.statuses == [200])
        }
    }

    @Test("RFC 9112 §7.1: a body in thousands of tiny chunks is 413, as if it were too long")
    func chunks() async throws {
        let answered = Locked<[Int]>([])
        try await withServer(
            usualLimits(),
            answer: { request in
                let body = request.body
                answered.withLock { $0.append(body.readableBytes) }
                return Response(status: .ok)
            }
        ) { port, _ in
            for (count, status) in [(4096, 200), (4097, 413), (60_000, 413)] {
                let answer = try await RawConnection.exchange(
                    port: port,
                    [
                        "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                            + "Connection: close\r\n\r\n"
                            + String(repeating: "1\r\na\r\n", count: count) + "0\r\n\r\n"
                    ]
                )
                #expect(answer.statuses == [status], "\(count)")
            }
        }
        #expect(answered.withLock { $0 } == [4096])
    }

    @Test("RFC 9112 §7.1: a long body has chunks of 256 bytes on average, and some thousands more")
    func longChunks() {
        let limits = usualLimits()
        #expect(limits.bodyParts(64 * 1024) == 4096)
        #expect(limits.bodyParts(1 << 20) == 4096 + 4096)
        #expect(limits.bodyParts(50 << 20) == 4096 + 204_800)
    }

    @Test("RFC 9112 §7.1.1: endless extensions of a chunk are 413, as a body too long is")
    func chunkExtensions() async throws {
        let limits = usualLimits()
        try await withServer(limits) { port, _ in
            for (length, status) in [
                (1000, 200), (limits.request(limits.body), 413), (5_000_000, 413),
            ] {
                let answer = try await RawConnection.exchange(
                    port: port,
                    [
                        "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                            + "Connection: close\r\n\r\n1;"
                            + String(repeating: "x", count: length) + "\r\na\r\n0\r\n\r\n"
                    ]
                )
                #expect(answer.statuses == [status], "\(length)")
            }
        }
    }

    @Test("A refusal waits for the answers before it")
    func order() async throws {
        let refused = AsyncStream.makeStream(of: RequestRefusal.self)
        try await withServer(
            usualLimits(),
            refused: { refused.continuation.yield($0) },
            answer: { _ in
                // The answer comes when the refusal is there.
                for await _ in refused.stream { break }
                return Response(status: .ok)
            }
        ) { port, _ in
            let answer = try await RawConnection.exchange(
                port: port,
                [Self.get + "\r\nnonsense\r\n\r\n" + Self.get + "\r\n"]
            )
            #expect(answer.statuses == [200, 400])
        }
    }

    @Test("Running out of file descriptors for a moment does not end the server")
    func acceptErrors() async throws {
        try await withServer(usualLimits()) { port, server in
            server.listener.pipeline.fireErrorCaught(IOError(errnoCode: 24, reason: "accept"))
            for _ in 0..<3 {
                let answer = try await RawConnection.exchange(
                    port: port,
                    [Self.get + "Connection: close\r\n\r\n"]
                )
                #expect(answer.statuses == [200])
            }
        }
    }

    @Test("A large last answer arrives whole, also where the peer has closed its side")
    func largeAnswer() async throws {
        let size = 5_000_000
        try await withServer(
            usualLimits(),
            answer: { _ in
                // The end of the peer's side is here before the answer.
                try await Task.sleep(for: .milliseconds(300))
                let body = ByteBuffer(repeating: UInt8(ascii: "a"), count: size)
                return Response(status: .ok, body: body)
            }
        ) { port, _ in
            let answer = try await RawConnection.with(port: port) { incoming, outbound in
                try await outbound.write(
                    ByteBuffer(string: Self.get + "Connection: close\r\n\r\n")
                )
                outbound.finish()
                return await RawConnection.rest(&incoming)
            }
            #expect(answer.utf8.count { $0 == UInt8(ascii: "a") } > size)
        }
    }

    @Test("Without a free file the server waits for one; what a peer does makes no one wait")
    func noFiles() async throws {
        for code in [EMFILE, ENFILE, ENOBUFS, ENOMEM] {
            let pause = HTTPServer.pause(after: IOError(errnoCode: code, reason: "accept"))
            #expect(pause == TimeAmount.milliseconds(100))
        }
        for code in [ECONNABORTED, EPROTO, ECONNRESET] {
            let pause = HTTPServer.pause(after: IOError(errnoCode: code, reason: "accept"))
            #expect(pause == nil)
        }
        try await withServer(usualLimits()) { _, server in
            let pipeline = server.listener.pipeline
            try await pipeline.containsHandler(type: AcceptBackoffHandler.self).get()
        }
    }
}
