import Hummingbird
import Logging
import NIOCore
import PorticoBytes
import PorticoWeb

/// Listens on a loopback port of its own for as long as `body` runs, which is told the port and
/// says who answers there.
func withLoopbackListener<Result: Sendable>(
    on address: String = "127.0.0.1",
    _ body: @escaping @Sendable (_ port: Int, _ door: LateResponder) async throws -> Result
) async throws -> Result {
    let door = LateResponder()
    let (listeners, running) = AsyncStream.makeStream(of: (any Channel).self)
    let application = Application(
        responder: door,
        server: ServerConnection.builder(limits: ConnectionLimits(connections: 1000)),
        configuration: .init(address: .hostname(address, port: 0), serverName: nil),
        onServerRunning: { listener in
            running.yield(listener)
        },
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            // Without a listener nobody would ever be told of one.
            defer { running.finish() }
            try await application.run()
            return nil
        }
        defer { group.cancelAll() }
        var listening = listeners.makeAsyncIterator()
        guard let port = await listening.next()?.localAddress?.port else { throw NoListener() }
        return try await body(port, door)
    }
}

private struct NoListener: Error {}

/// Stands at the door until it is known at which address that is.
final class LateResponder: HTTPResponder {
    typealias Context = WebContext

    private let inner = Locked<(@Sendable (Request, WebContext) async throws -> Response)?>(nil)

    func stands<Responder: HTTPResponder>(before responder: Responder)
    where Responder.Context == WebContext {
        inner.withLock { inner in
            inner = { try await responder.respond(to: $0, context: $1) }
        }
    }

    func respond(to request: Request, context: WebContext) async throws -> Response {
        guard let respond = inner.withLock({ $0 }) else {
            return Response(status: .serviceUnavailable)
        }
        return try await respond(request, context)
    }
}
