import NIOCore

/// Passes every byte to the validator before the decoder gets it, and holds what a peer sends
/// ahead.
///
/// A peer may send requests before the earlier ones are answered (RFC 9112 §9.3.2). The decoder
/// gets a little at a time, and nothing while a request is being answered or its answers are unread;
/// before the next one, the thread handles its other connections. So connections take turns however much one sends ahead,
/// and at most ``most`` bytes of it are held.
final class ReadAheadBuffer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData

    /// How much the decoder gets at once, in bytes: nine of the shortest requests. Of a body of
    /// known length it gets everything received, and nothing after it.
    static let portion = 256
    /// The shortest pause of a connection between two requests. It pauses as long as its answers
    /// took, including everything else that the thread did in that time. So the connections that
    /// send ahead together use half of the thread's time, and the loop reaches the others: an event
    /// loop does not, as long as any task can run.
    static let rest = TimeAmount.microseconds(100)

    /// How much is held, in bytes: as much as one read returns. More arrives only when a peer
    /// closes its side, because then everything is read.
    static let most = 64 * 1024

    private let validator: RequestValidator
    private var context: ChannelHandlerContext?
    /// Bytes that the decoder has not received yet. While there are any, nothing more is read.
    private var held = ByteBuffer()
    private var isReadWanted = false
    /// The peer has closed its side after the held bytes.
    private var isPeerDone = false
    /// More arrived than can be held. The held requests are answered, and the connection is closed.
    private var isCut = false
    private var isNextScheduled = false
    /// When the decoder last received bytes.
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
        if case ChannelEvent.inputClosed? = event as? ChannelEvent,
            held.readableBytes > 0 || validator.isHeld
        {
            isPeerDone = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, !validator.isAnswering { scheduleNext() }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        if held.readableBytes > 0 {
            isReadWanted = true
        } else {
            context.read()
        }
    }

    /// Passes held bytes to the decoder until it has a request to answer. Answers that the peer does
    /// not read are held in memory: no more are made.
    private func show(_ context: ChannelHandlerContext) {
        shownAt = .now()
        while !validator.isAnswering, context.channel.isWritable, held.readableBytes > 0,
            let portion = held.readSlice(
                length: min(held.readableBytes, max(Self.portion, validator.bodyLeft))
            )
        {
            if validator.admits(portion) { context.fireChannelRead(wrapInboundOut(portion)) }
        }
        guard held.readableBytes == 0 else { return }
        held = ByteBuffer()
        if isPeerDone || isCut, !validator.isHeld {
            isPeerDone = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadWanted {
            isReadWanted = false
            context.read()
        }
    }

    private func scheduleNext() {
        guard held.readableBytes > 0 || isPeerDone, !isNextScheduled, let context else { return }
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

/// Measures the first line of a request as it arrives.
///
/// The decoder has one error for both a target that is too long and headers that are too large;
/// this tells them apart.
struct FirstLine {
    /// `nil` once the line has ended.
    private var length: Int? = 0

    /// Room for the method and `HTTP/1.1` around the target.
    private static let methodAndVersion = 32

    /// Whether the line can still hold a target within the limit, including the new bytes.
    mutating func fits(_ bytes: ByteBuffer, target limit: Int) -> Bool {
        guard let length else { return true }
        let view = bytes.readableBytesView
        let end = view.firstIndex(of: UInt8(ascii: "\n"))
        let total = length + (end ?? view.endIndex) - view.startIndex
        self.length = end == nil ? total : nil
        return total <= limit + Self.methodAndVersion
    }
}
