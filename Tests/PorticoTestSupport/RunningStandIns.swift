import Hummingbird
import Logging
import NIOCore
package import PorticoBytes
import PorticoProtocol
package import PorticoStandIns
import PorticoWeb

/// The stand-ins on a loopback port of their own, for as long as `body` runs.
///
/// - Parameters:
///   - host: What their addresses say. `localhost` is another site than 127.0.0.1.
///   - address: Where they listen.
///   - clock: Theirs; a stopped one where a test moves the time.
package func withStandIns<Result: Sendable>(
    host: String = "localhost",
    listeningOn address: String = "127.0.0.1",
    clock: Clock = .system,
    _ body: @escaping @Sendable (StandIns) async throws -> Result
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
        logger: Logger(label: "stand-ins") { _ in SwiftLogNoOpLogHandler() }
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
        guard let port = await listening.next()?.localAddress?.port else { throw NoStandIns() }
        let standIns = try StandIns(
            baseURL: "http://\(host):\(port)",
            clock: clock,
            keys: StandInKeys.all.get()
        )
        door.stands(before: standIns.responder)
        return try await body(standIns)
    }
}

private struct NoStandIns: Error {}

/// Made once for all tests of a process: RSA keys take their time.
private enum StandInKeys {
    static let all = Result<[StandInKind: SigningKey], any Error> {
        try Dictionary(
            uniqueKeysWithValues: StandInKind.allCases.map { kind in
                (kind, try SigningKey(generating: .rs256, random: .system))
            }
        )
    }
}

/// Stands at the door until it is known at which address that is.
private final class LateResponder: HTTPResponder {
    private let inner = Locked<StandInResponder?>(nil)

    func stands(before responder: StandInResponder) {
        inner.withLock { $0 = responder }
    }

    func respond(to request: Request, context: WebContext) async -> Response {
        guard let responder = inner.withLock({ $0 }) else {
            return Response(status: .serviceUnavailable)
        }
        return await responder.respond(to: request, context: context)
    }
}
