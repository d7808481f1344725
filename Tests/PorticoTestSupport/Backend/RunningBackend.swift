import HTTPTypes
import Logging
package import PorticoBackend
import PorticoBytes
import PorticoMail
import PorticoOutbound
import PorticoPages
import PorticoProtocol
import PorticoSeals
package import PorticoSignIn
import PorticoStandIns
package import PorticoStores
import PorticoUpstream
import PorticoWeb

/// The whole BFF for browsers that are real: on a socket of 127.0.0.1, with the stand-ins on
/// `localhost`, which is another site; with the clock stopped, and mail that goes to a server that
/// is not ours.
package struct RunningBackend: Sendable {
    package let origin: String
    package let clock: StoppedClock
    package let database: TestDatabase
    package let standIns: ScriptedStandIns
    package let backend: Backend
    private let sender: OutboxSender?
    private let written: WrittenLog

    /// Runs `body` with a backend of its own.
    ///
    /// - Parameters:
    ///   - mails: Where its mail goes; what is written stays in the outbox until ``sendMails()``.
    ///   - hosts: Where people have their accounts who sign in by handle. Their clock is everybody's.
    package static func run<Result: Sendable>(
        rules: AccountRules = AccountRules(),
        mails: MailServer? = nil,
        hosts: RunningHosts? = nil,
        _ body: @escaping @Sendable (RunningBackend) async throws -> Result
    ) async throws -> Result {
        let clock = hosts?.clock ?? StoppedClock()
        return try await withStandIns(clock: Clock { clock.now }) { standIns in
            try await withLoopbackListener { port, door in
                let origin = "http://127.0.0.1:\(port)"
                return try await run(origin, door, standIns, clock, rules, mails, hosts, body)
            }
        }
    }

    private static func run<Result: Sendable>(
        _ origin: String,
        _ door: LateResponder,
        _ standIns: ScriptedStandIns,
        _ clock: StoppedClock,
        _ rules: AccountRules,
        _ mails: MailServer?,
        _ hosts: RunningHosts?,
        _ body: (RunningBackend) async throws -> Result
    ) async throws -> Result {
        let outbound = OutboundClient()
        let submission = try mails.map { server in
            try SMTPSubmission(
                to: SMTPServer(host: "127.0.0.1", port: server.port, security: .none, user: nil),
                password: nil
            )
        }
        let result: Swift.Result<Result, any Error>
        do {
            let server = try await RunningBackend(
                origin,
                standIns,
                clock,
                rules,
                outbound,
                submission,
                hosts
            )
            door.stands(before: try server.pipeline())
            result = .success(try await body(server))
        } catch {
            result = .failure(error)
        }
        await submission?.shutDown()
        try await outbound.shutdown()
        return try result.get()
    }

    private init(
        _ origin: String,
        _ standIns: ScriptedStandIns,
        _ clock: StoppedClock,
        _ rules: AccountRules,
        _ outbound: OutboundClient,
        _ submission: SMTPSubmission?,
        _ hosts: RunningHosts?
    ) async throws {
        self.origin = origin
        self.clock = clock
        self.standIns = standIns
        let database = try TestDatabase.inMemory()
        self.database = database
        let ring = TestRealm.ring
        let time = Clock { clock.now }
        try await standIns.standIns.offer(
            to: database,
            at: origin,
            apps: [Self.notes],
            ring: ring
        )
        let written = WrittenLog(clock)
        self.written = written
        if let hosts { try await database.put(hosts.provider) }
        let directory = try await ProviderDirectory(
            store: database.configuration,
            handles: try hosts?.directory(ring: ring, publicURL: PublicURL(origin))
        ) { record in
            try UpstreamClient(
                record,
                secrets: ProviderSecrets(ring: ring),
                transport: outbound,
                allowingStandIns: true,
                now: { clock.now }
            )
        }
        let signIn = try SignIn(
            directory: directory,
            accounts: database.accounts,
            sessions: database.sessions,
            people: database.people,
            realms: database.realms,
            handles: database.handles,
            ring: ring,
            clock: time,
            activity: SessionActivity(database.sessions),
            logger: written.logger,
            pages: PageRenderer(),
            publicURL: PublicURL(origin),
            identity: ServiceIdentity(name: Self.name, contact: "help@example.com"),
            rules: rules,
            limits: SignInLimits(
                startsPerMinute: hosts?.startsPerMinute ?? 1000,
                callbacksPerMinute: 1000
            )
        )
        backend = Backend(signIn, transport: outbound)
        sender = try submission.map { submission in
            OutboxSender(
                outbox: database.outbox,
                transport: submission,
                from: try MailSender("Example <portico@example.com>"),
                clock: time,
                logger: written.logger
            ) { draft, language in
                try MailText(draft, ring: ring) { name in
                    directory.providers.first { $0.name == name }?.client.provider.displayName
                        ?? name
                }.text(in: language, service: Self.name)
            }
        }
    }

    /// What people read as the service's name.
    package static let name = "Example"

    /// An app that can take its answer on a loopback address or on a scheme of its own.
    private static let notes = Client.app(
        "notes",
        "http://127.0.0.1/callback",
        "com.example.notes:/callback"
    )

    private func pipeline() throws -> RequestPipeline {
        let url = try PublicURL(origin)
        let headers = SecurityHeaders(url)
        let clock = clock
        return RequestPipeline(
            guarding: HostGuard([url]),
            proxies: .none,
            headers: headers,
            log: written.access,
            clock: Clock { clock.now },
            services: [try backend.service],
            notFound: { _ in Response(empty: .notFound, headers: headers) }
        )
    }

    /// Everything the log was given until now.
    package var log: String { written.text }

    /// Hands what waits in the outbox to the mail server.
    package func sendMails() async throws {
        try await sender?.sendDue()
    }

    /// The six digits that were mailed last; `nil` where none were.
    package func mailedCode() async throws -> String? {
        let vault = SealedAtRest(ring: TestRealm.ring, purpose: "mailed code")
        for mail in try await database.outbox.latest(limit: 10) {
            guard case .confirmationCode(let sealed, _, _) = mail.draft.message,
                let bytes = Base64URL.decode(sealed)
            else { continue }
            return String(decoding: try vault.open(bytes, for: mail.draft.id.text), as: UTF8.self)
        }
        return nil
    }

    package func accounts() async throws -> [Person] {
        try await database.registered()
    }
}
