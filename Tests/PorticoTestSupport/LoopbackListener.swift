import Foundation
import HTTPTypes
import NIOCore
import PorticoBytes
package import PorticoWeb

/// Listens on a loopback port of its own for as long as `body` runs, which is told the port and
/// says who answers there.
package func withLoopbackListener<Result: Sendable>(
    on address: String = "127.0.0.1",
    limits: ConnectionLimits = ConnectionLimits(connections: 1000),
    _ body: @escaping @Sendable (_ port: Int, _ late: LateResponder) async throws -> Result
) async throws -> Result {
    let late = LateResponder()
    let (listeners, running) = AsyncStream.makeStream(of: (any Channel).self)
    let server = HTTPServer(
        host: address,
        port: 0,
        limits: limits,
        clock: Clock { Date() },
        responder: late,
        whenListening: { running.yield($0) }
    )
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            // Without a listener, no error would ever be reported.
            defer { running.finish() }
            try await server.run()
            return nil
        }
        defer { group.cancelAll() }
        var listening = listeners.makeAsyncIterator()
        guard let port = await listening.next()?.localAddress?.port else { throw NoListener() }
        return try await body(port, late)
    }
}

private struct NoListener: Error {}

/// Answers through a responder that is known only after its address is.
package final class LateResponder: Responder {
    private let inner = Locked<(any Responder)?>(nil)

    package func stands(before responder: any Responder) {
        inner.withLock { $0 = responder }
    }

    package func uploadCheck(of request: Request) -> UploadCheck? {
        inner.withLock { $0 }?.uploadCheck(of: request)
    }

    package func respond(to request: Request) async -> Response {
        guard let responder = inner.withLock({ $0 }) else {
            return Response(status: .serviceUnavailable)
        }
        return await responder.respond(to: request)
    }
}
