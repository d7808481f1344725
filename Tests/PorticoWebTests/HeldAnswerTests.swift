import HTTPTypes
import NIOCore
import PorticoBytes
import PorticoTestSupport
import Testing

@testable import PorticoWeb

/// Says when no one needs it any more.
private final class Share: Sendable {
    let isGone: Locked<Bool>

    init(_ isGone: Locked<Bool>) {
        self.isGone = isGone
    }

    deinit {
        isGone.withLock { $0 = true }
    }
}

@Suite("What an answer holds") struct HeldAnswerTests {
    private static let length = 32 * 1024 * 1024

    @Test(
        "decision 0067: it is held until the peer has the answer, or is gone",
        arguments: [true, false]
    )
    func held(_ isRead: Bool) async throws {
        let isGone = Locked(false)
        try await withServer(answer: { _ in
            var response = Response(
                status: .ok,
                body: ByteBuffer(repeating: 0x61, count: Self.length)
            )
            response.held = [Share(isGone)]
            return response
        }) { port, _ in
            try await RawConnection.with(port: port) { incoming, outbound in
                try await outbound.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: h\r\n\r\n"))
                var length = try await incoming.next(isolation: #isolation)?.readableBytes ?? 0
                try await Task.sleep(for: .milliseconds(100))
                #expect(!isGone.withLock { $0 })
                guard isRead else { return }
                while length < Self.length,
                    let more = try await incoming.next(isolation: #isolation)
                {
                    length += more.readableBytes
                }
                try await waitUntil("the answer was sent") { isGone.withLock { $0 } }
            }
            try await waitUntil("nobody needs it") { isGone.withLock { $0 } }
        }
    }

    /// Ticks every 100 ms.
    private static var hasty: ConnectionLimits {
        var limits = ConnectionLimits(connections: 10)
        limits.idleTime = .milliseconds(500)
        limits.answerTime = .seconds(1)
        return limits
    }

    private static let long: @Sendable (Request) async throws -> Response = { _ in
        Response(status: .ok, body: ByteBuffer(repeating: 0x61, count: Self.length))
    }

    @Test(
        "ConnectionLimits.answerTime: a long answer may be read slowly, as long as it goes on",
        arguments: ["", "Connection: close\r\n"]
    )
    func slow(_ field: String) async throws {
        var limits = Self.hasty
        // Sockets keep what is read within a second.
        limits.answerTime = .seconds(3)
        try await withServer(limits, answer: Self.long) { port, _ in
            let length = try await RawConnection.with(port: port) { incoming, outbound in
                let head = "GET / HTTP/1.1\r\nHost: h\r\n\(field)\r\n"
                try await outbound.write(ByteBuffer(string: head))
                var (length, paused) = (0, 0)
                // 5 s in all.
                while length < Self.length,
                    let part = try await incoming.next(isolation: #isolation)
                {
                    length += part.readableBytes
                    guard length / (Self.length / 50) > paused else { continue }
                    paused += 1
                    try await Task.sleep(for: .milliseconds(100))
                }
                return length
            }
            #expect(length >= Self.length)
        }
    }

    @Test(
        "ConnectionLimits.answerTime: whoever takes nothing of an answer is not waited for",
        arguments: ["", "Connection: close\r\n"]
    )
    func unread(_ field: String) async throws {
        let isGone = Locked(false)
        try await withServer(
            Self.hasty,
            answer: { request in
                var response = try await Self.long(request)
                response.held = [Share(isGone)]
                return response
            }
        ) { port, _ in
            try await RawConnection.with(port: port) { _, outbound in
                let head = "GET / HTTP/1.1\r\nHost: h\r\n\(field)\r\n"
                try await outbound.write(ByteBuffer(string: head))
                try await waitUntil("it is given up", within: 20) { isGone.withLock { $0 } }
            }
        }
    }

    @Test("UnreadAnswer: each 16 KiB that is taken gives a second more, and silence ends it")
    func deadline() {
        var limits = ConnectionLimits(connections: 1)
        limits.answerTime = .seconds(30)
        let start = NIODeadline.now()
        var answer = UnreadAnswer(1_000_000, at: start)
        #expect(answer.deadline(limits) == start + .seconds(30))
        let isUntaken = answer.isTaken(1_000_000, at: start + .seconds(10))
        #expect(!isUntaken && answer.deadline(limits) == start + .seconds(30))
        // The end of it was added.
        let isLonger = answer.isTaken(1_000_100, at: start + .seconds(11))
        #expect(!isLonger && answer.deadline(limits) == start + .seconds(30))
        let isDripping = answer.isTaken(1_000_099, at: start + .seconds(29))
        #expect(isDripping && answer.deadline(limits) == start + .seconds(30))
        let isTaken = answer.isTaken(1_000_100 - 20 * 16 * 1024, at: start + .seconds(29))
        #expect(isTaken && answer.deadline(limits) == start + .seconds(50))
        let isTakenOn = answer.isTaken(100_000, at: start + .seconds(49))
        #expect(isTakenOn && answer.deadline(limits) == start + .seconds(79))
    }
}
