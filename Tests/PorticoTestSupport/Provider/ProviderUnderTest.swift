import Foundation
package import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import PorticoBytes
import PorticoOutbound
package import PorticoProtocol
package import PorticoProvider
package import PorticoSeals
package import PorticoStores
import PorticoWeb

/// The whole Provider on a real database behind its front door, with the clock stopped: requests
/// go in and answers come out as over HTTP, without a socket.
package final class ProviderUnderTest: Sendable {
    package let clock: StoppedClock
    package let database: TestDatabase
    package let provider: Provider
    package let logout: BackchannelLogout
    package let ring: KeyRing
    private let written: Locked<[UInt8]>
    private let writer: LogWriter
    private let door: FrontDoor

    /// - Parameters:
    ///   - database: In memory by default.
    ///   - transport: What clients are told of logouts by.
    ///   - wakes: Whether they are told when a session ends. Otherwise it is for the test to call
    ///     ``logout``.
    ///   - configure: Changes the realm before it is created.
    package init(
        database: TestDatabase? = nil,
        clock: StoppedClock = StoppedClock(),
        tellingBy transport: any HTTPTransport = GuardedTransport(),
        wakes: Bool = false,
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws {
        let database = try database ?? TestDatabase.inMemory()
        let ring = TestRealm.ring
        let time = Clock { clock.now }
        let url = try PublicURL("https://op.example.com")
        let written = Locked<[UInt8]>([])
        let writer = LogWriter(format: .logfmt, clock: { clock.now }) { bytes in
            written.withLock { $0.append(contentsOf: bytes) }
        }
        try await TestRealm.create(in: database, ring, time, configure)
        let realms = try await RealmDirectory(store: database.realms, ring: ring)
        let logger = Logger(label: "test") { label in
            LineLogHandler(
                label: label,
                level: .info,
                format: .logfmt,
                writer: writer,
                clock: { clock.now }
            )
        }
        let logout = BackchannelLogout(
            deliveries: database.logoutDeliveries,
            realms: realms,
            transport: transport,
            events: SecurityEvents(logger: logger),
            clock: time
        )
        let provider = try Provider(
            realms: realms,
            people: database.people,
            sessions: database.sessions,
            grants: database.grants,
            pushed: database.pushedRequests,
            ring: ring,
            clock: time,
            hashing: TestRealm.hashing,
            activity: SessionActivity(sessions: database.sessions),
            logger: logger,
            publicURL: url,
            sessionEnded: { if wakes { logout.wake() } }
        )
        let routes = provider.routes
        door = FrontDoor(
            guarding: HostGuard([url]),
            proxies: TrustedProxies([NetworkRange("10.0.0.0/8")].compactMap(\.self)),
            headers: SecurityHeaders(url),
            log: AccessLog(format: .logfmt, writer: writer),
            now: { clock.now },
            random: .system
        ) { arrival in
            await routes.respond(to: arrival) ?? routes.notFound(arrival)
        }
        self.clock = clock
        self.database = database
        self.provider = provider
        self.logout = logout
        self.ring = ring
        self.written = written
        self.writer = writer
    }

    /// Everything the log was given until now.
    package var log: String {
        writer.flush()
        return String(decoding: written.withLock { $0 }, as: UTF8.self)
    }

    /// - Parameters:
    ///   - path: Path and query, exactly as they would stand on the request line.
    ///   - address: Where the client is, as a trusted proxy says.
    package func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: [UInt8] = [],
        host: String = "op.example.com",
        from address: String = "192.0.2.1",
        scheme: String = "https"
    ) async throws -> Reply {
        var fields = headers
        if let name = HTTPField.Name("X-Forwarded-For") { fields[name] = address }
        if let name = HTTPField.Name("X-Forwarded-Proto") { fields[name] = scheme }
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: host,
            path: path,
            headerFields: fields
        )
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: "10.0.0.1", port: 40_000)
        let context = WebContext(
            source: ApplicationRequestContextSource(
                channel: channel,
                logger: Logger(label: "test")
            )
        )
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
        let response = await door.respond(to: request, context: context)
        let collector = BodyCollector()
        try await response.body.write(collector)
        return Reply(
            status: response.status.code,
            headers: response.headers,
            body: collector.bytes.withLock { $0 }
        )
    }

    /// A form post.
    package func post(
        _ path: String,
        _ form: [(String, String)],
        headers: HTTPFields = [:],
        from address: String = "192.0.2.1"
    ) async throws -> Reply {
        var fields = headers
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await send(
            .post,
            path,
            headers: fields,
            body: FormEncoding.encode(form.map { (name: $0.0, value: $0.1) }),
            from: address
        )
    }

    /// A path below the realm's OpenID Connect endpoints.
    package static func path(_ endpoint: String) -> String {
        "/realms/test/protocol/openid-connect/" + endpoint
    }
}

private struct BodyCollector: ResponseBodyWriter {
    let bytes = Locked<[UInt8]>([])

    mutating func write(_ buffer: ByteBuffer) async throws {
        bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
