import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PorticoProtocol

/// One request over one TLS connection to an address that was checked before: nothing in here looks
/// a name up, follows a redirect or knows a proxy.
struct PinnedExchange: Sendable {
    let tls: NIOSSLContext
    /// The name that the certificate must hold; `nil` where the address itself is the name.
    let serverName: String?
    let head: HTTPRequestHead
    let body: [UInt8]
    /// The longest body of the reply, in bytes.
    let limit: Int
    let mediaTypes: Set<String>?

    /// No connection came about, so nothing was sent.
    struct NotConnected: Error {}

    /// Ends the connection, whatever becomes of it.
    ///
    /// - Throws: ``NotConnected``, or what went wrong once it stood.
    func callAsFunction(to address: SocketAddress) async throws -> HTTPReply {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let reply = loop.makePromise(of: HTTPReply.self)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.seconds(5))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(
                        try NIOSSLClientHandler(context: tls, serverHostname: serverName)
                    )
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(ReplyCollector(self, reply))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.connect(to: address).get()
        } catch {
            reply.fail(error)
            throw NotConnected()
        }
        return try await withTaskCancellationHandler {
            do {
                let reply = try await reply.futureResult.get()
                channel.close(promise: nil)
                return reply
            } catch {
                channel.close(promise: nil)
                throw error
            }
        } onCancel: {
            reply.fail(CancellationError())
            channel.close(promise: nil)
        }
    }
}

/// Sends the request when the connection stands, and gathers the reply.
private final class ReplyCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let exchange: PinnedExchange
    private let reply: EventLoopPromise<HTTPReply>
    private var response: HTTPResponse?
    private var body: [UInt8] = []

    init(_ exchange: PinnedExchange, _ reply: EventLoopPromise<HTTPReply>) {
        self.exchange = exchange
        self.reply = reply
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(exchange.head)), promise: nil)
        if !exchange.body.isEmpty {
            let bytes = ByteBuffer(bytes: exchange.body)
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // `try?`: there is one reason why it is none.
            response = try? OutboundClient.response(head.status, head.headers)
            guard response != nil else { return fail(.malformed, context) }
            let length = head.headers.first(name: "content-length").flatMap(Int.init)
            guard length ?? 0 <= exchange.limit else { return fail(.tooLarge, context) }
        case .body(let part):
            guard isWanted else { return fail(.wrongType, context) }
            guard part.readableBytes <= exchange.limit - body.count else {
                return fail(.tooLarge, context)
            }
            body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let response else { return fail(.malformed, context) }
            reply.succeed(HTTPReply(response: response, body: body))
            context.close(promise: nil)
        }
    }

    /// A type that was not asked for is not read: nobody's pages, archives or images get in.
    private var isWanted: Bool {
        guard let mediaTypes = exchange.mediaTypes, let response else { return true }
        return HTTPReply(response: response, body: []).mediaType.map(mediaTypes.contains) ?? false
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        reply.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // Does nothing where there is an answer already.
        reply.fail(HTTPTransportError.unreachable)
        context.fireChannelInactive()
    }

    private func fail(_ error: HTTPTransportError, _ context: ChannelHandlerContext) {
        reply.fail(error)
        context.close(promise: nil)
    }
}
