import NIOCore

/// Shows the gate every byte before the decoder sees it.
final class ByteGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let gate: RequestGate

    init(_ gate: RequestGate) {
        self.gate = gate
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if gate.admits(unwrapInboundIn(data)) {
            context.fireChannelRead(data)
        }
    }
}

@available(*, unavailable)
extension ByteGate: Sendable {}

/// Measures the first line of a request while it comes in.
///
/// The decoder has one error for a target that is too long and for headers that are too large; which
/// of the two it was is seen here.
struct FirstLine {
    /// `nil` when the line is over.
    private var length: Int? = 0

    /// Room for the method and `HTTP/1.1` around the target.
    private static let methodAndVersion = 32

    /// Whether the line can still hold a target within the limit, with what came now.
    mutating func fits(_ bytes: ByteBuffer, target limit: Int) -> Bool {
        guard let length else { return true }
        let view = bytes.readableBytesView
        let end = view.firstIndex(of: UInt8(ascii: "\n"))
        let total = length + (end ?? view.endIndex) - view.startIndex
        self.length = end == nil ? total : nil
        return total <= limit + Self.methodAndVersion
    }
}
