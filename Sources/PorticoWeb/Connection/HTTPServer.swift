package import NIOCore
import NIOExtras
import NIOHTTP1
import NIOPosix
package import PorticoBytes
import PorticoSystem
import ServiceLifecycle

/// Listens, and answers HTTP/1.1 on every connection, strictly and within ``ConnectionLimits``
/// (RFC 9112).
package struct HTTPServer: Service {
    private let host: String
    private let port: Int
    private let limits: ConnectionLimits
    private let clock: Clock
    private let responder: any Responder
    private let refused: @Sendable (RequestRefusal) -> Void
    private let whenListening: @Sendable (any Channel) -> Void

    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - refused: Called for each request that the connection itself refused.
    ///   - whenListening: Called once, with the listener.
    package init(
        host: String,
        port: Int,
        limits: ConnectionLimits,
        clock: Clock,
        responder: any Responder,
        refused: @escaping @Sendable (RequestRefusal) -> Void = { _ in },
        whenListening: @escaping @Sendable (any Channel) -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.clock = clock
        self.responder = responder
        self.refused = refused
        self.whenListening = whenListening
    }

    /// Serves until the service is told to stop, then completes the running requests.
    package func run() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let budget = ConnectionBudget(maximum: limits.connections, bytes: limits.unfinished)
        let date = CurrentDate(clock)
        let quiescing = ServerQuiescingHelper(group: group)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        quiescing.makeServerChannelHandler(channel: channel)
                    )
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(
                            shouldForwardIOErrorCaught: false,
                            backoffProvider: Self.pause
                        )
                    )
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // One read at a time: what was read is held until the decoder takes it
            // (``ReadAheadBuffer``).
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let place = budget.take(channel, at: .now()) else {
                        // Every connection is busy: this one is not even read.
                        return channel.close(promise: nil)
                    }
                    try addHandlers(to: channel, place, budget, date)
                }
            }
            .bind(host: host, port: port).get()
        whenListening(listener)
        let ended = listener.eventLoop.makePromise(of: Void.self)
        let isEnding = Locked(false)
        let end: @Sendable () -> Void = {
            let isFirst = isEnding.withLock { isEnding in
                defer { isEnding = true }
                return !isEnding
            }
            if isFirst { quiescing.initiateShutdown(promise: ended) }
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                // `try?`: it only shows that the listener and its connections are closed.
                try? await ended.futureResult.get()
            } onGracefulShutdown: {
                end()
            }
        } onCancel: {
            end()
            budget.closeAll()
        }
    }

    /// How long nothing is accepted after an error: while there is no free file, trying again would
    /// only keep a core busy. A connection that its peer gave up needs no pause.
    static func pause(after error: IOError) -> TimeAmount? {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) ? .milliseconds(100) : nil
    }

    private func addHandlers(
        to channel: any Channel,
        _ place: ConnectionBudget.Place,
        _ budget: ConnectionBudget,
        _ date: CurrentDate
    ) throws {
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.head
        // The decoder includes the target in the size.
        decoding.maxHeaderListSize = limits.head
        decoding.maxHeaderFieldCount = limits.headerCount
        let validator = RequestValidator(
            limits: limits,
            budget: budget,
            place: place,
            date: date,
            uploads: { [responder] in responder.uploadCheck(of: $0) },
            refused: refused
        )
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ReadAheadBuffer(validator))
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(
            ByteToMessageHandler(
                HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: decoding)
            )
        )
        try pipeline.addHandler(validator)
        try pipeline.addHandler(RequestResponder(responder, on: channel.eventLoop))
    }
}
