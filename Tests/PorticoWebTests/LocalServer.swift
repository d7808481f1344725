import Foundation
import HTTPTypes
import Logging
import NIOCore
import PorticoBytes
import PorticoWeb
import ServiceLifecycle

/// A responder made of a closure; 500 where it throws.
struct ClosureResponder: Responder {
    let answer: @Sendable (Request) async throws -> Response
    var uploads: @Sendable (Request) -> UploadCheck? = { _ in nil }

    func uploadCheck(of request: Request) -> UploadCheck? { uploads(request) }

    func respond(to request: Request) async -> Response {
        do {
            return try await answer(request)
        } catch {
            return Response(status: .internalServerError)
        }
    }
}

/// A server on a loopback port for as long as `body` runs.
func withServer(
    _ limits: ConnectionLimits = ConnectionLimits(connections: 1000),
    refused: @escaping @Sendable (RequestRefusal) -> Void = { _ in },
    uploads: @escaping @Sendable (Request) -> UploadCheck? = { _ in nil },
    answer: @escaping @Sendable (Request) async throws -> Response = { request in
        Response(status: .ok, body: ByteBuffer(string: "\(request.method) answered"))
    },
    _ body: @escaping @Sendable (_ port: Int, _ server: LocalServer) async throws -> Void
) async throws {
    let (listeners, running) = AsyncStream.makeStream(of: (any Channel).self)
    let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = HTTPServer(
        host: "127.0.0.1",
        port: 0,
        limits: limits,
        clock: Clock { Date() },
        responder: ClosureResponder(answer: answer, uploads: uploads),
        refused: refused,
        whenListening: { running.yield($0) }
    )
    let services = ServiceGroup(services: [server], logger: quiet)
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
