import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoWeb
import Testing

/// The usual limits; only the end comes sooner.
func usualLimits(connections: Int = 1000) -> ConnectionLimits {
    var limits = ConnectionLimits(connections: connections)
    limits.lingerTime = .milliseconds(300)
    return limits
}

@Suite("Strict HTTP")
struct StrictHTTPTests {
    static let get = "GET /a HTTP/1.1\r\nHost: h\r\n"
    static let post = "POST /a HTTP/1.1\r\nHost: h\r\n"

    @Test(
        "WEB-INPUT-6: a request that can be read in two ways is refused, and the connection closed",
        arguments: [
            Row(
                "both lengths",
                post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            ),
            Row(
                "both lengths, other order",
                post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"
            ),
            Row(
                "zero and chunked",
                post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            ),
            Row("two lengths", post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
            Row("two equal lengths", post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
            Row("a list of lengths", post + "Content-Length: 3, 3\r\n\r\nabc"),
            Row("a negative length", post + "Content-Length: -1\r\n\r\n"),
            Row("a signed length", post + "Content-Length: +3\r\n\r\nabc"),
            Row("a hexadecimal length", post + "Content-Length: 0x3\r\n\r\nabc"),
            Row("a length beyond 64 bits", post + "Content-Length: 99999999999999999999\r\n\r\n"),
            Row("an empty length", post + "Content-Length:\r\n\r\n"),
            Row("a folded line", get + "X: a\r\n b\r\n\r\n"),
            Row("a folded first line", get + " X: a\r\n\r\n"),
            Row("bare LF", "GET /a HTTP/1.1\nHost: h\n\n"),
            Row("bare LF after a header", get + "X: a\nY: b\r\n\r\n"),
            Row("bare CR in a header", get + "X: a\rY: b\r\n\r\n"),
            Row("NUL in a value", get + "X: a\0b\r\n\r\n"),
            Row("NUL in a name", get + "X\0: a\r\n\r\n"),
            Row("a blank before the colon", get + "X : a\r\n\r\n"),
            Row("no colon", get + "X\r\n\r\n"),
            Row("no name", get + ": a\r\n\r\n"),
            Row("a control character", get + "X: a\u{1}b\r\n\r\n"),
            Row("two hosts", get + "Host: i\r\n\r\n"),
            Row("two equal hosts", get + "host: h\r\n\r\n"),
            Row("no host", "GET /a HTTP/1.1\r\n\r\n"),
            Row("two hosts in HTTP/1.0", "GET /a HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n"),
            Row(
                "chunked in HTTP/1.0",
                "POST /a HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            ),
            Row("a blank in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"),
            Row("NUL in the target", "GET /a\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
            Row("HTTP/2 in words", "GET /a HTTP/2.0\r\nHost: h\r\n\r\n"),
            Row("HTTP/0.9", "GET /a\r\n\r\n"),
            Row("the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            Row("TLS on a plain port", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{FC}\u{3}\u{3}"),
            Row("an unknown method", "BREW /a HTTP/1.1\r\nHost: h\r\n\r\n"),
            Row("a bad chunk size", post + "Transfer-Encoding: chunked\r\n\r\nx\r\n\r\n"),
            Row(
                "a chunk longer than said",
                post + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"
            ),
            Row(
                "a chunk size beyond 64 bits",
                post + "Transfer-Encoding: chunked\r\n\r\n11111111111111111\r\n"
            ),
            Row("bare LF after a chunk", post + "Transfer-Encoding: chunked\r\n\r\n1\na\n0\n\n"),
        ]
    )
    func ambiguous(row: Row<String>) async throws {
        let request = row.value
        let answered = Locked(0)
        try await withServer(
            usualLimits(),
            answer: { _ in
                answered.withLock { $0 += 1 }
                return Response(status: .ok)
            }
        ) { port, _ in
            // What follows would be a request of its own to a careless reader.
            let answer = try await RawConnection.exchange(
                port: port,
                [request + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"]
            )
            #expect(answer.statuses == [400])
        }
        #expect(answered.withLock { $0 } == 0)
    }

    @Test(
        "RFC 9112 §6.1: a transfer coding other than chunked is refused",
        arguments: ["gzip, chunked", "identity", "chunked, chunked", "xchunked", "chunked;q=1"]
    )
    func codings(coding: String) async throws {
        try await withServer(usualLimits()) { port, _ in
            let answer = try await RawConnection.exchange(
                port: port,
                [Self.post + "Transfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n"]
            )
            #expect([400, 501].contains(answer.status))
            #expect(answer.statuses.count == 1)
        }
    }

    @Test("Ordinary requests are answered one after the other on one connection, pipelined too")
    func ordinary() async throws {
        try await withServer(usualLimits()) { port, _ in
            let requests =
                Self.get + "\r\n" + Self.post + "Content-Length: 3\r\n\r\nabc" + Self.post
                + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n\r\n" + Self.get
                + "Connection: close\r\n\r\n"
            let answer = try await RawConnection.exchange(port: port, [requests])
            #expect(answer.statuses == [200, 200, 200, 200])
            #expect(answer.contains("POST answered"))
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test("A request is passed on whole, whatever the pieces it came in", arguments: [1, 2, 7])
    func pieces(size: Int) async throws {
        try await withServer(answer: { request in
            let body = request.body
            return Response(status: .ok, body: body)
        }) { port, _ in
            let request = Self.post + "Content-Length: 11\r\nConnection: close\r\n\r\nhello world"
            var pieces: [String] = []
            var rest = request[...]
            while !rest.isEmpty {
                pieces.append(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            let answer = try await RawConnection.exchange(port: port, pieces)
            #expect(answer.status == 200)
            #expect(answer.hasSuffix("\r\n\r\nhello world"))
        }
    }

    @Test(
        "A body cut short is never passed on as a whole one",
        arguments: [
            "Content-Length: 20\r\n\r\na=1&b=2",
            "Transfer-Encoding: chunked\r\n\r\n7\r\na=1&b=2\r\n",
            "Transfer-Encoding: chunked\r\n\r\n14\r\na=1&b=2",
        ]
    )
    func truncated(rest: String) async throws {
        let answered = Locked(0)
        try await withServer(
            usualLimits(),
            answer: { _ in
                answered.withLock { $0 += 1 }
                return Response(status: .ok)
            }
        ) { port, _ in
            let answer = try await RawConnection.with(port: port) { incoming, outbound in
                try await outbound.write(ByteBuffer(string: Self.post + rest))
                outbound.finish()
                return await RawConnection.rest(&incoming)
            }
            #expect(answer.isEmpty || answer.status == 400)
        }
        #expect(answered.withLock { $0 } == 0)
    }

    @Test("A peer that has said all it has to say still gets its answer")
    func halfClosed() async throws {
        try await withServer(usualLimits()) { port, _ in
            let answer = try await RawConnection.with(port: port) { incoming, outbound in
                try await outbound.write(ByteBuffer(string: Self.get + "\r\n"))
                outbound.finish()
                return await RawConnection.rest(&incoming)
            }
            #expect(answer.statuses == [200])
        }
    }

    @Test("RFC 9110 §9.3.2: the answer to HEAD has the length and no body")
    func head() async throws {
        try await withServer(usualLimits()) { port, _ in
            let answer = try await RawConnection.exchange(
                port: port,
                ["HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n" + Self.get + "Connection: close\r\n\r\n"]
            )
            #expect(answer.statuses == [200, 200])
            #expect(answer.lowercased().contains("content-length: 13"))
            #expect(!answer.contains("HEAD answered"))
        }
    }

    @Test("RFC 9110 §10.1.1: who waits for 100 Continue gets it, unless the body is too long")
    func expectation() async throws {
        try await withServer(usualLimits()) { port, _ in
            let answer = try await RawConnection.with(port: port) { incoming, outbound in
                try await outbound.write(
                    ByteBuffer(
                        string: Self.post
                            + "Content-Length: 3\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
                    )
                )
                let first = try await incoming.next(isolation: #isolation).map {
                    String(buffer: $0)
                }
                try await outbound.write(ByteBuffer(string: "abc"))
                return (first ?? "") + (await RawConnection.rest(&incoming))
            }
            #expect(answer.statuses == [100, 200])
            let tooLong = try await RawConnection.exchange(
                port: port,
                [Self.post + "Content-Length: 70000\r\nExpect: 100-continue\r\n\r\n"]
            )
            #expect(tooLong.statuses == [413])
            let unknown = try await RawConnection.exchange(
                port: port,
                [Self.get + "Expect: wonders\r\n\r\n"]
            )
            #expect(unknown.statuses == [417])
        }
    }

    @Test(
        "HTTP/1.0, an upgrade and CONNECT are answered, and the connection closed",
        arguments: [
            "GET /a HTTP/1.0\r\n\r\n",
            "GET /a HTTP/1.0\r\nHost: h\r\n\r\n",
            "GET /a HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n",
            get
                + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n",
            get + "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
            "CONNECT a:1 HTTP/1.1\r\nHost: h\r\n\r\n",
            get + "Connection: Close\r\n\r\n",
            get + "Connection: keep-alive, close\r\n\r\n",
        ]
    )
    func closes(request: String) async throws {
        var limits = usualLimits()
        limits.idleTime = .seconds(20)
        limits.headTime = .seconds(20)
        try await withServer(limits) { port, _ in
            let answer = try await RawConnection.exchange(port: port, [request])
            #expect(answer.statuses == [200])
            #expect(answer.lowercased().contains("connection: close"), "and not for being idle")
        }
    }
}
