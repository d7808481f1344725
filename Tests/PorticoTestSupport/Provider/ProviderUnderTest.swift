import Foundation
package import HTTPTypes
import Logging
package import PorticoAdministration
import PorticoBytes
import PorticoKeycloak
import PorticoOutbound
import PorticoPages
package import PorticoProtocol
package import PorticoProvider
package import PorticoSeals
package import PorticoSignIn
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
    /// The name that the realm `test` is asked by: its own host's, or that of the public URL.
    package let authority: String
    private let isATHost: Bool
    private let written: Locked<[UInt8]>
    private let writer: LogWriter
    private let door: InProcessServer

    /// - Parameters:
    ///   - database: In memory by default.
    ///   - hashing: All tests share two threads.
    ///   - transport: What clients are told of logouts by.
    ///   - wakes: Whether they are told when a session ends. Otherwise it is for the test to call
    ///     ``logout``.
    ///   - documents: What documents of clients are fetched by.
    ///   - sendsMail: Whether the outbox is emptied: then forgotten passwords can be replaced.
    ///   - administered: Whether the administration over HTTP is on.
    ///   - hasMaster: Whether who administers `master` administers all realms.
    ///   - takesAdminPasswords: Whether they get tokens for their passwords; as `hasMaster` if `nil`.
    ///   - elsewhere: The identity providers on the realm's pages.
    ///   - publicURL: Where it is, but for realms with a host of their own.
    ///   - configure: Changes the realm before it is created.
    package init(
        database: TestDatabase? = nil,
        clock: StoppedClock = StoppedClock(),
        hashing: PasswordHashing = TestRealm.hashing,
        tellingBy transport: any HTTPTransport = GuardedTransport(),
        wakes: Bool = false,
        documentsBy documents: any HTTPTransport = GuardedTransport(),
        sendsMail: Bool = false,
        administered: Bool = false,
        hasMaster: Bool = false,
        takesAdminPasswords: Bool? = nil,
        publicURL: String = "https://op.example.com",
        elsewhere: SignInElsewhere = .nowhere,
        configure: (inout NewRealm) -> Void = { _ in }
    ) async throws {
        let database = try database ?? TestDatabase.inMemory()
        let ring = TestRealm.ring
        let time = Clock { clock.now }
        let url = try PublicURL(publicURL)
        let written = Locked<[UInt8]>([])
        let writer = LogWriter(format: .logfmt, clock: { clock.now }) { bytes in
            written.withLock { $0.append(contentsOf: bytes) }
        }
        try await TestRealm.create(in: database, ring, time, configure)
        let realms = try await RealmDirectory(
            store: database.realms,
            ring: ring,
            takesAdminPasswords: takesAdminPasswords ?? hasMaster
        )
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
            mailboxes: database.mailboxes,
            ring: ring,
            clock: time,
            hashing: hashing,
            activity: SessionActivity(database.sessions),
            logger: logger,
            publicURL: url,
            documentsBy: documents,
            sendsMail: sendsMail,
            elsewhere: elsewhere,
            sessionEnded: { if wakes { logout.wake() } }
        )
        let service = try provider.service
        let account = try await SignIn.forAccounts(
            in: database,
            ring: ring,
            clock: time,
            publicURL: url,
            logger: logger,
            sessionEnded: { if wakes { logout.wake() } }
        ).serviceOfRealms { name, host in
            realms.realm(named: name).flatMap { $0.host == host ? $0.realm : nil }
        }
        var services: [any HTTPService] = [account, service]
        if administered {
            let administrators = AdministratorTokens(provider)
            services.append(
                try AdminService(
                    RealmAdministration(
                        store: database.realms,
                        people: database.people,
                        sessions: database.sessions,
                        ring: ring,
                        registration: PersonRegistration(hashing: hashing),
                        clock: time,
                        refreshing: { try await realms.refresh() }
                    ),
                    of: provider,
                    sentBy: AdminSenders(
                        token: { try await administrators($0) },
                        fields: { administrators.fields(for: $0) }
                    ),
                    publicURL: url,
                    hasMaster: hasMaster,
                    logger: logger
                )
            )
        }
        let unknown = UnknownAddress(service.page)
        let pipeline = RequestPipeline(
            guarding: HostGuard([url]) { realms.hosts },
            proxies: TrustedProxies([NetworkRange("10.0.0.0/8")].compactMap(\.self)),
            headers: SecurityHeaders(url),
            log: AccessLog(format: .logfmt, writer: writer),
            clock: Clock { clock.now },
            services: services,
            servicesOfRealms: [account, service],
            notFound: unknown.respond
        )
        let realm = realms.kept(named: "test")?.realm
        let origin = realm?.host?.origin ?? url.origin
        authority = String(origin.drop { $0 != "/" }.dropFirst(2))
        isATHost = realm?.host != nil && realm?.profile.endpoints == .oauth
        self.door = InProcessServer(pipeline)
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
    ///   - host: ``authority`` if `nil`.
    ///   - address: Where the client is, as a trusted proxy says.
    package func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: [UInt8] = [],
        host: String? = nil,
        from address: String = "192.0.2.1",
        scheme: String = "https"
    ) async throws -> Reply {
        var fields = headers
        if let name = HTTPField.Name("X-Forwarded-For") { fields[name] = address }
        if let name = HTTPField.Name("X-Forwarded-Proto") { fields[name] = scheme }
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: host ?? authority,
            path: path,
            headerFields: fields
        )
        return try await door.send(head, body: body)
    }

    /// A form post.
    package func post(
        _ path: String,
        _ form: [(String, String)],
        headers: HTTPFields = [:],
        host: String? = nil,
        from address: String = "192.0.2.1"
    ) async throws -> Reply {
        var fields = headers
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await send(
            .post,
            path,
            headers: fields,
            body: FormEncoding.encode(form.map { (name: $0.0, value: $0.1) }),
            host: host,
            from: address
        )
    }

    /// A path below the realm's OpenID Connect endpoints.
    package static func path(_ endpoint: String, _ realm: String = "test") -> String {
        "/realms/\(realm)/protocol/openid-connect/" + endpoint
    }

    /// The same, but for what this realm has at the root, as a host of the AT Protocol.
    package func path(of endpoint: String, _ realm: String = "test") -> String {
        let atRoot = [
            "auth": "/oauth/authorize", "ext/par/request": "/oauth/par", "token": "/oauth/token",
            "token/introspect": "/oauth/introspect", "revoke": "/oauth/revoke",
            "certs": "/oauth/jwks",
        ]
        let path = Self.path(endpoint, realm)
        return isATHost ? atRoot[endpoint] ?? path : path
    }
}

extension SignIn {
    /// One without providers and apps, for the pages of people's accounts.
    fileprivate static func forAccounts(
        in database: TestDatabase,
        ring: KeyRing,
        clock: Clock,
        publicURL: PublicURL,
        logger: Logger,
        sessionEnded: @escaping @Sendable () -> Void
    ) async throws -> SignIn {
        try SignIn(
            directory: try await ProviderDirectory(store: database.configuration) { _ in
                throw NoProviders()
            },
            accounts: database.accounts,
            sessions: database.sessions,
            people: database.people,
            realms: database.realms,
            handles: database.handles,
            ring: ring,
            clock: clock,
            activity: SessionActivity(database.sessions),
            logger: logger,
            pages: PageRenderer(),
            publicURL: publicURL,
            identity: ServiceIdentity(name: "Portico"),
            sessionEnded: sessionEnded
        )
    }

    private struct NoProviders: Error {}
}

/// The mails that the Provider has put into the outbox, read as their recipient does.
extension ProviderUnderTest {
    /// The latest first.
    package func mails() async throws -> [OutboxMail] {
        try await database.outbox.latest(limit: 100)
    }

    /// What a mail says, in its own language.
    package func text(of mail: OutboxMail) throws -> (subject: String, lines: [String]) {
        let language = Language.best(uiLocales: mail.draft.language, acceptLanguage: nil)
        let written = try MailText(mail.draft, ring: ring) { $0 }
            .text(in: language, service: mail.draft.service ?? "Portico")
        return (written.subject, written.lines)
    }

    /// Path and query of the link in the latest mail; empty where it has none.
    package func link() async throws -> String {
        guard let mail = try await mails().first else { return "" }
        let address = try text(of: mail).lines.first { $0.hasPrefix("https://op.example.com/") }
        return address.map { String($0.dropFirst("https://op.example.com".count)) } ?? ""
    }

    /// The six digits in the latest mail; empty where it has none.
    package func mailedCode() async throws -> String {
        guard let mail = try await mails().first else { return "" }
        return try text(of: mail).lines.first { $0.utf8.count == 6 && Int($0) != nil } ?? ""
    }
}
