import Hummingbird
import Logging
import NIOCore
import PorticoBytes
import PorticoWeb
import ServiceLifecycle

/// A responder made of a closure.
struct ClosureResponder: HTTPResponder {
    let answer: @Sendable (Request, WebContext) async throws -> Response

    func respond(to request: Request, context: WebContext) async throws -> Response {
        try await answer(request, context)
    }
}

/// A server on a loopback port for as long as `body` runs.
func withServer(
    _ limits: ConnectionLimits = ConnectionLimits(connections: 1000),
    refused: @escaping @Sendable (RequestRefusal) -> Void = { _ in },
    answer: @escaping @Sendable (Request, WebContext) async throws -> Response = { request, _ in
        Response(
            status: .ok,
            body: ResponseBody(byteBuffer: ByteBuffer(string: "\(request.method) answered"))
        )
    },
    _ body: @escaping @Sendable (_ port: Int, _ server: LocalServer) async throws -> Void
) async throws {
    let (listeners, running) = AsyncStream.makeStream(of: (any Channel).self)
    let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
        responder: ClosureResponder(answer: answer),
        server: ServerConnection.builder(limits: limits, refused: refused),
        configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
        onServerRunning: { listener in
            running.yield(listener)
        },
        logger: quiet
    )
    let services = ServiceGroup(services: [application], logger: quiet)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await services.run() }
        var listening = listeners.makeAsyncIterator()
        guard let listener = await listening.next(), let port = listener.localAddress?.port else {
            throw NoServer()
        }
        do {
            try await body(port, LocalServer(listener: listener, services: services))
        } catch {
            group.cancelAll()
            throw error
        }
        group.cancelAll()
    }
}

/// The inside of a running server.
struct LocalServer: Sendable {
    let listener: any Channel
    fileprivate let services: ServiceGroup

    /// What SIGTERM does.
    func stop() async {
        await services.triggerGracefulShutdown()
    }
}

struct NoServer: Error {}
