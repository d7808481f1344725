import HTTPTypes
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

@Suite("Connections over time")
struct ConnectionTimeTests {
    static let get = "GET /a HTTP/1.1\r\nHost: h\r\n"

    @Test("Attack H01: hundreds of slow connections are closed, and others served at the same time")
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
            answer: { _ in
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
        let waiting = AsyncStream.makeStream(of: Void.self)
        var limits = ConnectionLimits(connections: 20)
        limits.headTime = .seconds(20)
        try await withServer(
            limits,
            answer: { request in
                if request.head.path == "/wait" {
                    waiting.continuation.yield()
                    for await _ in release.stream {}
                }
                return Response(status: .ok)
            }
        ) { port, _ in
            try await withThrowingTaskGroup(of: [Int].self) { group in
                group.addTask {
                    try await RawConnection.with(port: port) { incoming, outbound in
                        try await outbound.write(
                            ByteBuffer(
                                string: "GET /wait HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                            )
                        )
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
        // Or the wait for what was pushed out has no end.
        try #require(budget.count == 2)
        let watch = loop.scheduleTask(in: .seconds(10)) { two.close(promise: nil) }
        try two.closeFuture.wait()
        watch.cancel()
        #expect(one.isActive)
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

    @Test("A server that stops finishes what it works on, and closes what is idle")
    func quiescing() async throws {
        let working = AsyncStream.makeStream(of: Void.self)
        let release = AsyncStream.makeStream(of: Void.self)
        try await withServer(
            usualLimits(),
            answer: { _ in
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
}
