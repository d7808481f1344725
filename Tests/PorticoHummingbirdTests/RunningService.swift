import Foundation
import HTTPTypes
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

/// A backend that knows some sessions, and keeps what it was asked.
final class ScriptedBackend: HTTPTransport {
    static let address = "https://api.notes.example.com"

    private struct State {
        /// By what the request brings, whole: `Bearer S1`, `__Host-session=C1`.
        var sessions = ["Bearer S1", "__Host-session=C1", "portico-dev-session=C1"]
        var asked: [HTTPRequest] = []
        var answer: (@Sendable () throws(HTTPTransportError) -> HTTPReply)?
    }

    private let state = Locked(State())

    var asked: [HTTPRequest] { state.withLock { $0.asked } }

    func admit(_ sessions: [String]) {
        state.withLock { $0.sessions = sessions }
    }

    func endSessions() {
        state.withLock { $0.sessions = [] }
    }

    func answer(_ answer: @escaping @Sendable () throws(HTTPTransportError) -> HTTPReply) {
        state.withLock { $0.answer = answer }
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let (answer, isLive) = state.withLock { state in
            state.asked.append(request)
            let brought = [request.headerFields[.authorization], request.headerFields[.cookie]]
            return (state.answer, brought.contains { state.sessions.contains($0 ?? "") })
        }
        if let answer { return try answer() }
        return isLive ? Self.live() : Self.refused("SESSION_EXPIRED")
    }

    static func live(_ session: JSONObject = ["id": "s-1"]) -> HTTPReply {
        json(
            200,
            [
                "authenticated": true,
                "user": [
                    "id": "u-1", "email": "ann@example.com", "email_verified": true,
                    "name": "Ann",
                ],
                "session": .object(session),
            ]
        )
    }

    static func refused(_ reason: String) -> HTTPReply {
        json(
            401,
            [
                "authenticated": false, "error": "unauthorized", "reason": .string(reason),
                "message": "SECRET words",
            ]
        )
    }

    static func json(_ status: Int, _ object: JSONObject) -> HTTPReply {
        HTTPReply(
            response: HTTPResponse(
                status: .init(code: status),
                headerFields: [.contentType: "application/json"]
            ),
            body: object.serialized()
        )
    }
}

/// An issuer whose keys change and that can be unreachable.
final class ScriptedIssuer: HTTPTransport {
    static let address = "https://id.example.com"

    private struct State {
        var keys: [SigningKey] = []
        var isReachable = true
        var fetches = 0
    }

    let clock: StoppedClock
    private let state = Locked(State())

    init(_ clock: StoppedClock) throws {
        self.clock = clock
        try publish(Self.key("k1"))
    }

    static func key(_ id: String) throws -> SigningKey {
        try SigningKey(generating: .es256, keyID: id, random: .system)
    }

    /// How often keys were fetched.
    var fetches: Int { state.withLock { $0.fetches } }

    func publish(_ keys: SigningKey...) {
        state.withLock { $0.keys = keys }
    }

    func isReachable(_ isReachable: Bool) {
        state.withLock { $0.isReachable = isReachable }
    }

    func claims(_ changes: JSONObject = [:]) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(Self.address), "sub": "alice", "aud": ["notes", "other"],
            "iat": .integer(clock.seconds), "exp": .integer(clock.seconds + 300),
            "scope": "notes.read notes.write", "client_id": "app", "name": "Alice",
            "email": "alice@example.com", "email_verified": true, "jti": "1",
            "realm_access": ["roles": ["editor"]],
        ]
        for (name, value) in changes { claims[name] = value == .null ? nil : value }
        return claims
    }

    /// - Parameter nulls: Claims that are written as `null`.
    func token(
        _ changes: JSONObject = [:],
        nulls: [String] = [],
        type: JWTType = .accessToken,
        by key: SigningKey? = nil
    ) throws -> String {
        guard let key = key ?? state.withLock({ $0.keys.first }) else { return "" }
        var claims = claims(changes)
        for name in nulls { claims[name] = .null }
        return try key.sign(claims: claims, type: type)
    }

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        let (keys, isReachable) = state.withLock { state in
            if request.path == "/keys" { state.fetches += 1 }
            return (state.keys, state.isReachable)
        }
        guard isReachable else { throw .unreachable }
        switch request.path {
        case "/.well-known/openid-configuration":
            return ScriptedBackend.json(
                200,
                [
                    "issuer": .string(Self.address),
                    "authorization_endpoint": .string(Self.address + "/auth"),
                    "token_endpoint": .string(Self.address + "/token"),
                    "jwks_uri": .string(Self.address + "/keys"),
                ]
            )
        case "/keys":
            var reply = ScriptedBackend.json(200, [:])
            reply.body = JWKSet(keys.map(\.verificationKey)).serialized()
            return reply
        default: return ScriptedBackend.json(404, [:])
        }
    }
}

/// The Provider under test, as a service reaches it.
struct ProviderTransport: HTTPTransport {
    let provider: ProviderUnderTest

    func send(_ request: HTTPRequest, body: [UInt8], limits: HTTPLimits)
        async throws(HTTPTransportError) -> HTTPReply
    {
        do {
            let reply = try await provider.send(request.method, request.path ?? "/")
            return HTTPReply(
                response: HTTPResponse(
                    status: .init(code: reply.status),
                    headerFields: reply.headers
                ),
                body: reply.body
            )
        } catch {
            throw .unreachable
        }
    }
}

func notesRoutes() throws -> Router<BasicPersonContext> {
    let router = Router(context: BasicPersonContext.self)
    router.get("health") { _, _ in "up" }

    let session = try AuthenticationMethod.session(backend: "https://api.notes.example.com")
    let notes = router.group("notes").add(middleware: PersonAuthenticator(session))
    notes.get("mine") { _, context in
        let person = try context.requirePerson()
        return "Notes of \(person.id.subject)"
    }
    return router
}

func ordersRoutes() throws -> Router<BasicPersonContext> {
    let router = Router(context: BasicPersonContext.self)
    let accessToken = try AuthenticationMethod.accessToken(
        issuer: "https://id.example.com/realms/shop",
        audience: "orders",
        scopes: ["orders.read"]
    )
    let orders = router.group("orders").add(middleware: PersonAuthenticator(accessToken))
    orders.delete(":id") { _, context in
        let editor = try context.requirePerson(with: "editor")
        return "Deleted by \(editor.id.subject)"
    }
    return router
}

func boundRoutes() throws -> Router<BasicPersonContext> {
    let router = Router(context: BasicPersonContext.self)
    let bound = try AuthenticationMethod.accessToken(
        issuer: "https://id.example.com/realms/shop",
        audience: "orders",
        proofs: ProofsOfPossession(publicURL: "https://api.example.com")
    )
    router.group("orders").add(middleware: PersonAuthenticator(bound)).get("mine") { _, context in
        try context.requirePerson().id.subject
    }
    return router
}

struct NotesContext: PersonRequestContext {
    var coreContext: CoreRequestContextStorage
    var person: AuthenticatedPerson?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}
