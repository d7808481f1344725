import NIOCore

/// Passes the requests of one connection to the responder in order, on the connection's own event
/// loop: a request changes threads only to wait for a commit.
final class RequestResponder: ChannelInboundHandler {
    typealias InboundIn = Request
    typealias OutboundOut = Response

    private let responder: any Responder
    private let executor: EventLoopExecutor
    private var context: ChannelHandlerContext?
    /// Requests that arrived with the one being answered. ``ReadAheadBuffer`` keeps them few.
    private var waiting = CircularBuffer<Request>()
    private var isAnswering = false

    init(_ responder: any Responder, on eventLoop: any EventLoop) {
        self.responder = responder
        executor = EventLoopExecutor(eventLoop)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        waiting.append(unwrapInboundIn(data))
        answerNext(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        answerNext(context)
        context.fireChannelWritabilityChanged()
    }

    /// Not while the peer leaves an answer unread: it would be held in memory with the next.
    private func answerNext(_ context: ChannelHandlerContext) {
        guard !isAnswering, context.channel.isWritable, let request = waiting.popFirst() else {
            return
        }
        isAnswering = true
        let loop = context.eventLoop
        let this = NIOLoopBound(self, eventLoop: loop)
        Task(executorPreference: executor) { [responder] in
            let response = await responder.respond(to: request)
            if loop.inEventLoop {
                this.value.write(response)
            } else {
                loop.execute { this.value.write(response) }
            }
        }
    }

    private func write(_ response: Response) {
        isAnswering = false
        // Otherwise the connection has ended in the meantime.
        guard let context else { return waiting.removeAll() }
        context.writeAndFlush(wrapOutboundOut(response), promise: sent(response.held, context))
        answerNext(context)
    }

    /// Keeps what an answer holds until it was sent, or cannot be.
    private func sent(_ held: [any Sendable], _ context: ChannelHandlerContext)
        -> EventLoopPromise<Void>?
    {
        guard !held.isEmpty else { return nil }
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.whenComplete { _ in withExtendedLifetime(held) {} }
        return sent
    }
}

@available(*, unavailable)
extension RequestResponder: Sendable {}
