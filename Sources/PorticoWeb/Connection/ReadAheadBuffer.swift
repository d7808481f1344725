import NIOCore

/// Shows the validator every byte before the decoder sees it, and keeps back what a peer sends ahead.
///
/// A peer may send requests before it has the answers to those before them (RFC 9112 §9.3.2). The decoder is
/// shown a little at a time, and nothing while a request is being answered; before the next one the
/// thread looks after its other connections. So a connection takes turns with the others however much
/// it sends ahead, and what it sends is kept as bytes, ``most`` of them.
final class ReadAheadBuffer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData

    /// How much the decoder is shown at once, in bytes: of the shortest requests nine. Of a body whose
    /// length is known it is shown all there is, and nothing behind it.
    static let portion = 256
    /// How long a connection rests between two requests, at least. It rests as long as its answers took,
    /// with all that the thread did meanwhile: so those that send ahead have half of its time together,
    /// and it comes to look at the others. A loop does not as long as any task can run.
    static let rest = TimeAmount.microseconds(100)

    /// How much is held, in bytes: as much as one read brings. More comes only where a peer closes its
    /// side, for then all is read that there is.
    static let most = 64 * 1024

    private let validator: RequestValidator
    private var context: ChannelHandlerContext?
    /// What the decoder has not been shown yet. While there is any, nothing more is read.
    private var held = ByteBuffer()
    private var isReadWanted = false
    /// The peer has closed its side behind what is held.
    private var isPeerDone = false
    /// There was more than is held. What is held is answered, and the connection closed.
    private var isCut = false
    private var isNextScheduled = false
    /// When the decoder was shown something last.
    private var shownAt = NIODeadline.uptimeNanoseconds(0)

    init(_ validator: RequestValidator) {
        self.validator = validator
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        validator.whenAnswered = { [weak self] in self?.scheduleNext() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        validator.whenAnswered = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if held.readableBytes > 0, held.readableBytes + bytes.readableBytes > Self.most {
            isCut = true
        }
        guard !isCut else { return }
        if held.readableBytes == 0 {
            held = bytes
        } else {
            held.writeBuffer(&bytes)
        }
        show(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent, held.readableBytes > 0 {
            isPeerDone = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func read(context: ChannelHandlerContext) {
        if held.readableBytes > 0 {
            isReadWanted = true
        } else {
            context.read()
        }
    }

    /// Shows the decoder what is held, until there is a request to answer.
    private func show(_ context: ChannelHandlerContext) {
        shownAt = .now()
        while !validator.isAnswering, held.readableBytes > 0,
            let portion = held.readSlice(
                length: min(held.readableBytes, max(Self.portion, validator.bodyLeft))
            )
        {
            if validator.admits(portion) { context.fireChannelRead(wrapInboundOut(portion)) }
        }
        guard held.readableBytes == 0 else { return }
        held = ByteBuffer()
        if isPeerDone || isCut {
            isPeerDone = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadWanted {
            isReadWanted = false
            context.read()
        }
    }

    private func scheduleNext() {
        guard held.readableBytes > 0, !isNextScheduled, let context else { return }
        isNextScheduled = true
        let rest = max(Self.rest, .now() - shownAt)
        context.eventLoop.assumeIsolated().scheduleTask(in: rest) { [weak self] in
            guard let self, let context = self.context else { return }
            isNextScheduled = false
            show(context)
            context.fireChannelReadComplete()
        }
    }
}

@available(*, unavailable)
extension ReadAheadBuffer: Sendable {}

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
