import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import PorticoBytes
import Testing

@testable import PorticoWeb

/// What reads are asked of the connection.
private final class ReadCount: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}

@available(*, unavailable)
extension ReadCount: Sendable {}

@Suite("Requests sent ahead")
struct SentAheadTests {
    static let get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"

    /// A connection without a network, whose loop goes on when the test says so.
    private final class Connection {
        let channel = EmbeddedChannel()
        let reads = ReadCount()
        let budget: ConnectionBudget

        init(places: Int = 1) throws {
            budget = ConnectionBudget(maximum: places)
            let place = try #require(budget.take(channel, at: .now()))
            let gate = RequestValidator(
                limits: usualLimits(),
                budget: budget,
                place: place,
                date: CurrentDate(Clock { Date() }),
                refused: { _ in }
            )
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers([
                reads, ReadAheadBuffer(gate), HTTPResponseEncoder(),
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)), gate,
            ])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// The paths of the requests that have come through.
        func requests() throws -> [String] {
            var paths: [String] = []
            while let request = try channel.readInbound(as: Request.self) {
                paths.append(request.head.path ?? "")
            }
            return paths
        }

        func answer() throws {
            try channel.writeOutbound(Response(status: .ok))
        }

        /// The others have had their turn.
        func goOn() {
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
        }
    }

    @Test("RFC 9112 §9.3.2: requests sent ahead are taken a few at a time, in order")
    func turns() throws {
        let connection = try Connection()
        let paths = (0..<3000).map { "/\($0)" }
        let sent = paths.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
        try connection.channel.writeInbound(ByteBuffer(string: sent))
        var seen: [String] = []
        var turns = 0
        while true {
            let taken = try connection.requests()
            guard !taken.isEmpty else { break }
            #expect(taken.count <= 10)
            seen += taken
            turns += 1
            for _ in taken { try connection.answer() }
            // Not before the thread has looked at its other connections.
            #expect(try connection.requests().isEmpty)
            connection.goOn()
        }
        #expect(seen == paths)
        #expect(turns > 300)
    }

    @Test("A body is shown at once, and what is behind it waits like anything sent ahead")
    func bodies() throws {
        let connection = try Connection()
        let body = String(repeating: "a", count: 30_000)
        let post = "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 30000\r\n\r\n" + body
        let sent = post + String(repeating: Self.get, count: 100)
        try connection.channel.writeInbound(ByteBuffer(string: sent))
        #expect(try connection.requests() == ["/b"])
        try connection.answer()
        connection.goOn()
        #expect(try (1...10).contains(connection.requests().count))
    }

    @Test("While something that was sent ahead waits, nothing more is read")
    func reading() throws {
        let connection = try Connection()
        let sent = String(repeating: Self.get, count: 100)
        try connection.channel.writeInbound(ByteBuffer(string: sent))
        let before = connection.reads.count
        connection.channel.read()
        #expect(connection.reads.count == before)
        while true {
            let taken = try connection.requests()
            guard !taken.isEmpty else { break }
            for _ in taken { try connection.answer() }
            connection.goOn()
        }
        #expect(connection.reads.count == before + 1)
    }

    @Test("64 KiB of what is sent ahead are answered, and the connection is closed behind them")
    func cut() throws {
        let connection = try Connection()
        // One read, and more, as they come where the peer closes its side.
        let read = String(repeating: Self.get, count: 2000)
        for _ in 0..<20 { try connection.channel.writeInbound(ByteBuffer(string: read)) }
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        var count = 0
        while true {
            let taken = try connection.requests()
            guard !taken.isEmpty, count <= 2000 else { break }
            count += taken.count
            #expect(connection.channel.isActive)
            for _ in taken { try connection.answer() }
            connection.goOn()
        }
        #expect(count == 2000)
        #expect(!connection.channel.isActive)
    }

    @Test("What came of a request counts until the request is whole, or refused")
    func kept() throws {
        let connection = try Connection()
        let start = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4000\r\n"
        try connection.channel.writeInbound(ByteBuffer(string: start))
        #expect(connection.budget.kept == start.utf8.count)
        let body = String(repeating: "a", count: 3000)
        try connection.channel.writeInbound(ByteBuffer(string: "\r\n" + body))
        #expect(connection.budget.kept == start.utf8.count + 2 + 3000)
        try connection.channel.writeInbound(ByteBuffer(string: String(repeating: "a", count: 1000)))
        #expect(connection.budget.kept == 0)
        #expect(try connection.requests() == ["/a"])
        try connection.answer()
        try connection.channel.writeInbound(ByteBuffer(string: "GET /b"))
        #expect(connection.budget.kept == 6)
        try connection.channel.writeInbound(ByteBuffer(string: " nonsense\r\n\r\n"))
        #expect(connection.budget.kept == 0)
    }

    @Test("A request is waited for from its first byte, however long its connection was silent")
    func waitedFor() throws {
        let connection = try Connection(places: 2)
        let silent = EmbeddedChannel()
        try silent.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
        _ = try #require(connection.budget.take(silent, at: .now()))
        try connection.channel.writeInbound(ByteBuffer(string: "GET /b"))
        let next = EmbeddedChannel()
        _ = try #require(connection.budget.take(next, at: .now()))
        #expect(connection.channel.isActive)
        #expect(!silent.isActive)
    }

    @Test("Unfinished requests have so many bytes in all: the one waited for longest gives way")
    func unfinished() throws {
        let channels = (0..<4).map { _ in EmbeddedChannel() }
        for channel in channels {
            try channel.connect(to: .init(ipAddress: "127.0.0.1", port: 1)).wait()
        }
        let budget = ConnectionBudget(maximum: 4, bytes: 100)
        let start = NIODeadline.now()
        let places = try channels.enumerated().map { number, channel in
            try #require(budget.take(channel, at: start + .seconds(Int64(number))))
        }
        // The longest of all, which keeps nothing.
        budget.keeps(0, at: places[0])
        budget.keeps(60, at: places[1])
        budget.keeps(40, at: places[2])
        budget.isBusy(places[3])
        #expect(channels.map(\.isActive) == [true, true, true, true])
        budget.keeps(41, at: places[2])
        #expect(channels.map(\.isActive) == [true, false, true, true])
        #expect(budget.kept == 41)
        // What is gone keeps nothing any more.
        budget.keeps(1000, at: places[1])
        budget.give(back: places[1])
        #expect(budget.kept == 41)
        budget.isBusy(places[2])
        #expect(budget.kept == 0)
        #expect(ConnectionLimits(connections: 1).unfinished == 16 * 1024 * 1024)
    }

    @Test(
        "All requests sent ahead are answered, also where the peer has closed its side",
        arguments: [true, false]
    )
    func all(isClosing: Bool) async throws {
        let count = 2000
        try await withServer(usualLimits()) { port, _ in
            let answer = try await RawConnection.with(port: port) { incoming, outbound in
                let last =
                    isClosing ? "" : "GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                let sent = String(repeating: Self.get, count: count) + last
                async let written: Void = outbound.write(ByteBuffer(string: sent))
                if isClosing {
                    try await written
                    outbound.finish()
                }
                let answer = await RawConnection.rest(&incoming)
                try await written
                return answer
            }
            #expect(answer.statuses.count { $0 == 200 } == count + (isClosing ? 0 : 1))
        }
    }

    @Test("While a peer leaves its answers unread, nothing more that it sent ahead is taken")
    func takenWhileUnread() throws {
        let connection = try Connection()
        let sent = String(repeating: Self.get, count: 100)
        try connection.channel.writeInbound(ByteBuffer(string: sent))
        connection.channel.isWritable = false
        connection.channel.pipeline.fireChannelWritabilityChanged()
        for _ in try connection.requests() { try connection.answer() }
        let before = connection.reads.count
        connection.channel.read()
        for _ in 0..<5 { connection.goOn() }
        #expect(try connection.requests().isEmpty)
        #expect(connection.reads.count == before)
        // Read again: it goes on, in turns as before.
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        #expect(try connection.requests().isEmpty)
        connection.goOn()
        #expect(try (1...10).contains(connection.requests().count))
    }

    @Test("While a peer leaves its answers unread, no further one is made")
    func answeredWhileUnread() async throws {
        let count = Locked(0)
        let body = ByteBuffer(repeating: UInt8(ascii: "a"), count: 20_000_000)
        try await withServer(
            ConnectionLimits(connections: 3),
            answer: { _ in
                count.withLock { $0 += 1 }
                return Response(status: .ok, body: body)
            }
        ) { port, _ in
            try await RawConnection.with(port: port) { incoming, outbound in
                try await outbound.write(ByteBuffer(string: String(repeating: Self.get, count: 3)))
                var read = try await incoming.next(isolation: #isolation)?.readableBytes ?? 0
                try await Task.sleep(for: .milliseconds(500))
                #expect(count.withLock { $0 } == 1)
                while read < 3 * 20_000_000,
                    let part = try await incoming.next(isolation: #isolation)
                {
                    read += part.readableBytes
                }
            }
            #expect(count.withLock { $0 } == 3)
        }
    }

    @Test(
        "A peer that does not read its answers is pushed out where all places are taken",
        // The second request is still being answered.
        arguments: ["", "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n"]
    )
    func unread(next: String) async throws {
        let isServed = Locked(false)
        let limits = ConnectionLimits(connections: 3)
        // More than lies between.
        let body = ByteBuffer(repeating: UInt8(ascii: "a"), count: 20_000_000)
        try await withServer(
            limits,
            answer: { request in
                if request.head.path == "/large" { return Response(status: .ok, body: body) }
                let end = ContinuousClock.now + .seconds(25)
                while request.head.path == "/slow", !isServed.withLock({ $0 }),
                    ContinuousClock.now < end
                {
                    try await Task.sleep(for: .milliseconds(20))
                }
                return Response(status: .ok)
            }
        ) { port, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
                for _ in 0..<3 {
                    group.addTask {
                        try await RawConnection.with(port: port) { incoming, outbound in
                            try await outbound.write(
                                ByteBuffer(
                                    string: "GET /large HTTP/1.1\r\nHost: h\r\n\r\n" + next
                                )
                            )
                            // A beginning, and no more: the rest fills what lies between.
                            _ = try await incoming.next(isolation: #isolation)
                            beginning.yield()
                            try await Task.sleep(for: .seconds(60))
                        }
                    }
                }
                var signals = begun.makeAsyncIterator()
                for _ in 0..<3 { await signals.next() }
                let end = ContinuousClock.now + .seconds(20)
                while !isServed.withLock({ $0 }), ContinuousClock.now < end {
                    let answer = try await RawConnection.exchange(
                        port: port,
                        ["GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"]
                    )
                    isServed.withLock { $0 = answer.statuses == [200] }
                }
                #expect(isServed.withLock { $0 })
                group.cancelAll()
                // Their sleep was cut short.
                while case .failure? = await group.nextResult() {}
            }
        }
    }
}
