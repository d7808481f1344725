import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import PorticoBytes
import PorticoHummingbird
import PorticoProtocol
import PorticoTestSupport

@testable import Portico

/// A service of a team's own on a socket: routes behind a ``PersonAuthenticator``.
struct RunningService {
    let port: Int

    /// Runs a service for as long as `body` does.
    static func run<Result: Sendable>(
        _ authenticator: PersonAuthenticator<BasicPersonContext>,
        _ body: @escaping @Sendable (RunningService) async throws -> Result
    ) async throws -> Result {
        let router = Router(context: BasicPersonContext.self)
        router.get("open") { _, _ in "open" }
        let admitted = router.group().add(middleware: authenticator)
        admitted.get("me") { _, context in
            let person = try context.requirePerson()
            return "\(person.id.subject) \(person.origin) \(person.email ?? "-")"
        }
        admitted.post("notes") { _, context in try context.requirePerson().id.subject }
        admitted.delete("notes") { _, context in try context.requirePerson().id.subject }
        admitted.get("edit") { _, context in
            try context.requirePerson(with: "editor").id.subject
        }
        admitted.get("publish") { _, context in
            try context.requirePerson(with: "publisher", in: .client("web1")).id.subject
        }
        // Behind no authenticator at all.
        router.get("forgotten") { _, context in try context.requirePerson().id.subject }
        return try await run(router, body)
    }

    static func run<Result: Sendable>(
        _ router: Router<BasicPersonContext>,
        _ body: @escaping @Sendable (RunningService) async throws -> Result
    ) async throws -> Result {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { running.yield($0.localAddress?.port ?? 0) },
            logger: Logger(label: "service") { _ in SwiftLogNoOpLogHandler() }
        )
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                // Without a listener, no error would ever be reported.
                defer { running.finish() }
                try await application.run()
                return nil
            }
            defer { group.cancelAll() }
            guard let port = await ports.first(where: { _ in true }) else { throw NotRunning() }
            return try await body(RunningService(port: port))
        }
    }

    private struct NotRunning: Error {}

    func send(
        _ path: String,
        _ method: String = "GET",
        _ fields: [String] = []
    ) async throws -> RawExchange {
        let head = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + fields
        let request = head.joined(separator: "\r\n") + "\r\nConnection: close\r\n\r\n"
        let port = UInt16(port)
        guard let exchange = await RawExchange.run({ RawExchange(request, port: port) }) else {
            throw NotRunning()
        }
        return exchange
    }

    func send(_ path: String, bearer token: String) async throws -> RawExchange {
        try await send(path, "GET", ["Authorization: Bearer \(token)"])
    }
}

extension RawExchange {
    var json: JSONObject {
        // `try?`: what is not JSON has no members, and the test says so.
        (try? JSONObject(parsing: Array(body.utf8))) ?? [:]
    }

    var error: String? { json.string("error") }
}
