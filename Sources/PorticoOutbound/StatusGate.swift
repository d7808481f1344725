import NIOCore
import NIOHTTP1

/// Lets no answer through whose status is none (RFC 9110 §15).
///
/// async-http-client takes whatever is below 200 for an interim answer, and traps on the body that
/// comes with one below 100.
final class StatusGate: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isClosed = false

    /// Of a reply: an interim answer is none, nor is a change of protocols that nobody asked for.
    static func isFinal(_ status: HTTPResponseStatus) -> Bool {
        (200...999).contains(status.code)
    }

    /// Puts a gate behind the decoder of a connection over HTTP/1.1.
    @Sendable
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(StatusGate(), position: .after(decoder))
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosed else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isClosed = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
