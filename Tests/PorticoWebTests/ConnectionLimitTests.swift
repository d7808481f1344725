import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import PorticoBytes
import Testing

@testable import PorticoWeb

/// Short limits, so that what must end ends soon.
private func shortLimits() -> ConnectionLimits {
    var limits = usualLimits()
    limits.headTime = .seconds(3)
    limits.bodyTime = .seconds(3)
    limits.idleTime = .milliseconds(500)
    return limits
}

@Suite("Connection limits")
struct ConnectionLimitTests {
    static let get = "GET /a HTTP/1.1\r\nHost: h\r\n"

    @Test("Attack H03: 20 kB of target is 414", arguments: [8_193, 20_000, 2_000_000])
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

    @Test("A target of 8 KiB and 16 KiB of headers are served")
    func largestHead() async throws {
        try await withServer(usualLimits()) { port, _ in
            let target = "/" + String(repeating: "a", count: 8_191)
            let headers = (0..<15).map { "X-\($0): \(String(repeating: "b", count: 1000))\r\n" }
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
            Row("one long", "X: " + String(repeating: "a", count: 100_000) + "\r\n"),
            Row("a thousand", (0..<1000).map { "X-\($0): a\r\n" }.joined()),
            Row("one too many", (0..<100).map { "X-\($0): a\r\n" }.joined()),
            Row(
                "together",
                (0..<50).map { "X-\($0): \(String(repeating: "a", count: 600))\r\n" }.joined()
            ),
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

    @Test("WEB-INPUT-1: a body above the limit is 413, said beforehand or found out")
    func body() async throws {
        let answered = Locked(0)
        try await withServer(
            usualLimits(),
            answer: { request, _ in
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

    @Test("A refusal waits for the answers before it")
    func order() async throws {
        try await withServer(
            usualLimits(),
            answer: { _, _ in
                try await Task.sleep(for: .milliseconds(100))
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

    @Test("Attack H01: hundreds of slow connections are closed, and others served meanwhile")
    func slowloris() async throws {
        let refused = Locked(0)
        try await withServer(
            shortLimits(),
            refused: { refusal in
                if refusal == .tooSlow { refused.withLock { $0 += 1 } }
            }
        ) { port, _ in
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        try await RawConnection.with(port: port) { incoming, outbound in
                            // Half drip a head, half a body.
                            let start =
                                number.isMultiple(of: 2)
                                ? "GET /a HTTP/1.1\r\nX: "
                                : "POST /token HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n"
                            try await outbound.write(ByteBuffer(string: start))
                            let dripping = Task {
                                while true {
                                    try await Task.sleep(for: .milliseconds(250))
                                    try await outbound.write(ByteBuffer(string: "a"))
                                }
                            }
                            defer { dripping.cancel() }
                            return await RawConnection.rest(&incoming)
                        }
                    }
                }
                let served = try await RawConnection.exchange(
                    port: port,
                    [Self.get + "Connection: close\r\n\r\n"]
                )
                #expect(served.statuses == [200])
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 300)
            // A peer that is still sending may miss the answer, but never the close.
            #expect(answers.allSatisfy { $0.isEmpty || $0.statuses == [408] })
            #expect(answers.contains { $0.statuses == [408] })
        }
        #expect(refused.withLock { $0 } > 0)
    }

    @Test("A connection that says nothing is closed without a word, before and between requests")
    func idle() async throws {
        try await withServer(shortLimits()) { port, _ in
            let nothing = try await RawConnection.exchange(port: port, [String]())
            #expect(nothing.isEmpty)
            let answer = try await RawConnection.exchange(port: port, [Self.get + "\r\n"])
            #expect(answer.statuses == [200])
        }
    }

    @Test("A request that is worked on for long is not taken for an idle connection")
    func longWork() async throws {
        var limits = usualLimits()
        limits.idleTime = .milliseconds(100)
        try await withServer(
            limits,
            answer: { _, _ in
                try await Task.sleep(for: .milliseconds(600))
                return Response(status: .ok)
            }
        ) { port, _ in
            let answer = try await RawConnection.exchange(port: port, [Self.get + "\r\n"])
            #expect(answer.statuses == [200])
        }
    }

    @Test("When all places are taken, silent connections make room and busy ones do not")
    func budget() async throws {
        let release = AsyncStream.makeStream(of: Void.self)
        var limits = ConnectionLimits(connections: 20)
        limits.headTime = .seconds(100)
        try await withServer(
            limits,
            answer: { request, _ in
                if request.head.path == "/wait" {
                    for await _ in release.stream {}
                }
                return Response(status: .ok)
            }
        ) { port, _ in
            try await withThrowingTaskGroup(of: [Int].self) { group in
                let waiting = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    try await RawConnection.with(port: port) { incoming, outbound in
                        try await outbound.write(
                            ByteBuffer(
                                string: "GET /wait HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                            )
                        )
                        waiting.continuation.yield()
                        return await RawConnection.rest(&incoming).statuses
                    }
                }
                var signals = waiting.stream.makeAsyncIterator()
                await signals.next()
                for _ in 0..<100 {
                    group.addTask {
                        try await RawConnection.with(port: port) { incoming, outbound in
                            do {
                                try await outbound.write(ByteBuffer(string: "GET /slow"))
                            } catch {
                                // Pushed out already.
                            }
                            waiting.continuation.yield()
                            _ = await RawConnection.rest(&incoming)
                            return []
                        }
                    }
                }
                for _ in 0..<100 { await signals.next() }
                for _ in 0..<50 {
                    let answer = try await RawConnection.exchange(
                        port: port,
                        [Self.get + "Connection: close\r\n\r\n"]
                    )
                    #expect(answer.statuses == [200])
                }
                release.continuation.finish()
                let first = try await group.first { !$0.isEmpty }
                #expect(first == [200])
                group.cancelAll()
            }
        }
    }

    @Test("The budget pushes out the longest waiting, and refuses where all are busy")
    func budgetRule() throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        func channel() throws -> any Channel {
            try DatagramBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).wait()
        }
        let budget = ConnectionBudget(maximum: 2)
        let (one, two, three, four) = (try channel(), try channel(), try channel(), try channel())
        let start = NIODeadline.now()
        let first = try #require(budget.take(one, at: start))
        let second = try #require(budget.take(two, at: start + .seconds(1)))
        budget.isBusy(first)
        let third = try #require(budget.take(three, at: start + .seconds(2)))
        try two.closeFuture.wait()
        #expect(one.isActive)
        #expect(budget.count == 2)
        budget.isBusy(third)
        #expect(budget.take(four, at: start + .seconds(3)) == nil)
        // Giving back a place that was taken away changes nothing.
        budget.give(back: second)
        #expect(budget.count == 2)
        budget.isWaiting(first, since: start + .seconds(4))
        #expect(budget.take(four, at: start + .seconds(5)) != nil)
        try one.closeFuture.wait()
        for channel in [three, four] { channel.close(promise: nil) }
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

    @Test("A server that stops finishes what it works on, and closes what is idle")
    func quiescing() async throws {
        let working = AsyncStream.makeStream(of: Void.self)
        let release = AsyncStream.makeStream(of: Void.self)
        try await withServer(
            usualLimits(),
            answer: { _, _ in
                working.continuation.yield()
                for await _ in release.stream {}
                return Response(status: .ok)
            }
        ) { port, server in
            async let idle = RawConnection.exchange(port: port, [String]())
            async let busy = RawConnection.exchange(port: port, [Self.get + "\r\n"])
            for await _ in working.stream { break }
            await server.stop()
            #expect(try await idle.isEmpty)
            release.continuation.finish()
            // That it came to an end at all: the connection was closed after the answer.
            let answer = try await busy
            #expect(answer.statuses == [200])
        }
    }

    @Test("A large last answer arrives whole, also where the peer has closed its side")
    func largeAnswer() async throws {
        let size = 5_000_000
        try await withServer(
            usualLimits(),
            answer: { _, _ in
                // The end of the peer's side is here before the answer.
                try await Task.sleep(for: .milliseconds(300))
                let body = ByteBuffer(repeating: UInt8(ascii: "a"), count: size)
                return Response(status: .ok, body: ResponseBody(byteBuffer: body))
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

    @Test("A quarter of the open files is kept for others")
    func openFiles() {
        #expect(ConnectionLimits.connections(openFiles: 1024) == 768)
        #expect(ConnectionLimits.connections(openFiles: 1_048_576) == 8192)
        #expect(ConnectionLimits.connections(openFiles: 0) == 16)
        #expect(ConnectionLimits().connections >= 16)
    }
}
