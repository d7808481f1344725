import NIOCore
import NIOPosix
import PorticoBytes

/// A connection on which a test writes the bytes it likes.
struct RawConnection: Sendable {
    typealias Bytes = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Runs `body` with the reading and the writing end of a new connection.
    static func with<Result: Sendable>(
        port: Int,
        _ body:
            @Sendable (
                inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
                NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Bytes(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        let isTooLong = Locked(false)
        let watch = channel.channel.eventLoop.scheduleTask(in: .seconds(60)) {
            isTooLong.withLock { $0 = true }
            channel.channel.close(promise: nil)
        }
        defer { watch.cancel() }
        let result = try await channel.executeThenClose { inbound, outbound in
            var incoming = inbound.makeAsyncIterator()
            return try await body(&incoming, outbound)
        }
        guard !isTooLong.withLock({ $0 }) else { throw NobodyCloses() }
        return result
    }

    /// No connection of these tests lives for a minute: a test fails, and does not hang.
    struct NobodyCloses: Error {}

    /// Sends `pieces`, and gives back everything that comes until the peer closes.
    static func exchange(port: Int, _ pieces: [String]) async throws -> String {
        try await exchange(port: port, bytes: pieces.map { ByteBuffer(string: $0) })
    }

    static func exchange(port: Int, bytes pieces: [ByteBuffer]) async throws -> String {
        try await with(port: port) { incoming, outbound in
            do {
                for piece in pieces { try await outbound.write(piece) }
            } catch {
                // The server may stop reading while there is more to send.
            }
            return await rest(&incoming)
        }
    }

    /// Everything until the end, or until the connection breaks.
    static func rest(
        _ incoming: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    ) async -> String {
        var answer = ByteBuffer()
        do {
            while var part = try await incoming.next(isolation: #isolation) {
                answer.writeBuffer(&part)
            }
        } catch {
            // A reset is an end, too; what came before it counts.
        }
        return String(buffer: answer)
    }
}

extension String {
    /// `HTTP/1.1 400 Bad Request` gives 400.
    var status: Int? {
        guard hasPrefix("HTTP/1.1 ") else { return nil }
        return Int(dropFirst(9).prefix(3))
    }

    /// The statuses of all answers in it.
    var statuses: [Int] {
        components("HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
    }

    private func components(_ separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
