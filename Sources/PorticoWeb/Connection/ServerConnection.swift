package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOHTTPTypes

/// One accepted connection: HTTP/1.1, strictly and within ``ConnectionLimits`` (RFC 9112).
package struct ServerConnection: HTTPChannelHandler {
    package typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    package let responder: HTTPChannelHandler.Responder
    private let limits: ConnectionLimits
    private let budget: ConnectionBudget
    private let refused: @Sendable (RequestRefusal) -> Void

    /// What `Application(responder:server:)` is given.
    ///
    /// - Parameter refused: Called for each request that the connection itself refused.
    package static func builder(
        limits: ConnectionLimits,
        refused: @escaping @Sendable (RequestRefusal) -> Void = { _ in }
    ) -> HTTPServerBuilder {
        let budget = ConnectionBudget(maximum: limits.connections, bytes: limits.unfinished)
        return HTTPServerBuilder { responder in
            ServerConnection(
                responder: responder,
                limits: limits,
                budget: budget,
                refused: refused
            )
        }
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // One read at a time: what has been read is held until its turn comes (``ByteGate``).
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            let place = budget.take(channel, at: .now())
            if let place { try addHandlers(to: channel, place) }
            let value = try Value(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
            // Every connection is busy: this one is not even read.
            if place == nil { channel.close(promise: nil) }
            return value
        }
    }

    private func addHandlers(to channel: any Channel, _ place: ConnectionBudget.Place) throws {
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = max(limits.target, limits.headers)
        // The decoder counts the target in.
        decoding.maxHeaderListSize = limits.target + limits.headers
        decoding.maxHeaderFieldCount = limits.headerCount
        let gate = RequestGate(limits: limits, budget: budget, place: place, refused: refused)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ByteGate(gate))
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(
            ByteToMessageHandler(
                HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: decoding)
            )
        )
        try pipeline.addHandler(gate)
    }

    package func handle(value: Value, logger: Logger) async {
        // On the connection's own loop: a request changes threads only to wait for a commit.
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await handleHTTP(asyncChannel: value, logger: logger)
        }
    }
}
