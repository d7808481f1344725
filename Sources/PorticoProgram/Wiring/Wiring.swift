import HTTPTypes
import Logging
import PorticoAdministration
import PorticoBackend
import PorticoBytes
import PorticoKeycloak
import PorticoOutbound
import PorticoPages
import PorticoProtocol
import PorticoProvider
import PorticoSQLite
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoWeb
import ServiceLifecycle
import UnixSignals
import PorticoSystem

struct Wiring {
    let installation: Installation
    let address: ListenAddress
    let log: ServerLog
    let look: PageLook
    let network: TestNetwork?
    let demonstration: Demonstration?

    /// Serves until the process is told to stop, then finishes open requests.
    ///
    /// - Parameter whenListening: Called once the server listens.
    func serve(whenListening: @escaping @Sendable () -> Void) async throws {
        let settings = installation.settings
        var named = try PublicURL(settings.effectivePublicURL)
        named.coversSubdomains = settings.hstsSubdomains
        let publicURL = named
        let realms = try await RealmDirectory(
            store: installation.realms,
            ring: installation.ring,
            takesAdminPasswords: settings.adminPasswordGrant
        )
        let activity = SessionActivity(installation.sessions)
        let hashing = PasswordHashing(
            threads: settings.hashingThreads,
            mostWaiting: settings.hashingQueue,
            random: .system
        )
        let outgoing = OpenFiles(settings).outgoing
        let outbound = OutboundClient(connections: outgoing)
        let logout = backchannelLogout(realms, outbound)
        let mail = try OutgoingMail(settings, environment: ProcessInfo.processInfo.environment)
        let wiring = BackendWiring(self, outbound, mail: mail)
        let backend = try await wiring.backend(publicURL, activity) { logout.wake() }
        let provider = try Provider(
            realms: realms,
            people: installation.people,
            sessions: installation.sessions,
            grants: installation.grants,
            pushed: installation.pushedRequests,
            mailboxes: installation.mailboxes,
            ring: installation.ring,
            clock: installation.clock,
            hashing: hashing,
            activity: activity,
            logger: log.logger("portico.provider"),
            publicURL: publicURL,
            documentsBy: GuardedTransport(
                mediaTypes: ["application/json"],
                connections: outgoing,
                in: network
            ),
            allowsTestHosts: network != nil,
            // A demo shows its outbox as a page.
            sendsMail: mail != nil || demonstration != nil,
            theme: look.theme,
            elsewhere: backend.signIn.elsewhere,
            sessionEnded: { logout.wake() }
        )
        let readiness = Readiness()
        let storage = StorageCheck(installation, logger: log.logger("portico.storage"))
        let administrators = AdministratorTokens(provider)
        let pipeline = try pipeline(
            provider.service,
            backend,
            try administration(provider, administrators, hashing, publicURL),
            publicURL,
            realms
        )
        let health = HealthResponder(
            next: pipeline,
            readiness: readiness,
            storage: SharedCheck { try await storage() },
            hasTrouble: { storage.hasTrouble }
        )
        let application = server(health, administrators, whenListening)
        let background =
            repeating(realms, activity, logout, provider) + wiring.repeating(backend)
            + [
                Repeating(
                    name: "storage",
                    interval: .seconds(5),
                    logger: log.logger("portico.background")
                ) { try await storage.retry() }
            ]
        let standIns: [any Service] = demonstration?.services(before: pipeline) ?? []
        // Services stop in reverse order, one at a time: no new work is accepted while requests are
        // finished, and the background tasks stop after that. Each step is done, even after one has failed.
        let steps: [() async throws -> Void] = [
            { try await group(background + standIns + [application, readiness]).run() },
            { await backend.finishRefreshes() },
            { try await activity.flush() },
            { try await provider.trail.flush(into: installation.realms.events) },
            { await hashing.shutDown() }, { try await outbound.shutdown() },
            { try await wiring.apis.shutdown() },
        ]
        var failure: (any Error)?
        for step in steps {
            do { try await step() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Notifies clients through the guarded transport; those that the operator allows, and this server
    /// itself, through the plain one.
    private func backchannelLogout(_ realms: RealmDirectory, _ outbound: OutboundClient)
        -> BackchannelLogout
    {
        let named = installation.settings.backchannelAllow + [address.text]
        return BackchannelLogout(
            deliveries: installation.logoutDeliveries,
            realms: realms,
            transport: OperatorsExceptions(
                Set(named.compactMap(NamedHost.init)),
                by: outbound,
                otherwise: GuardedTransport(
                    connections: OpenFiles(installation.settings).outgoing,
                    in: network
                )
            ),
            events: SecurityEvents(logger: log.logger("portico.provider")),
            clock: installation.clock
        )
    }

    private func pipeline(
        _ provider: ProviderService,
        _ backend: Backend,
        _ administration: AdminService?,
        _ publicURL: PublicURL,
        _ realms: RealmDirectory
    ) throws -> RequestPipeline {
        let unknown = UnknownAddress(provider.page)
        let signIn = try backend.signIn.serviceOfRealms { name, host in
            realms.realm(named: name).flatMap { $0.host == host ? $0.realm : nil }
        }
        let realmServices: [any HTTPService] = [
            signIn, provider, try PageImages(look.images, provider.page),
        ]
        var services: [any HTTPService] = [try backend.service] + realmServices
        if let administration { services.append(administration) }
        if demonstration != nil { services.append(try backend.demo(outbox: installation.outbox)) }
        return RequestPipeline(
            guarding: HostGuard([publicURL]) { realms.hosts },
            proxies: TrustedProxies(
                installation.settings.trustedProxies.compactMap { NetworkRange($0) }
            ),
            headers: SecurityHeaders(publicURL),
            log: log.access,
            clock: installation.clock,
            services: services,
            servicesOfRealms: realmServices,
            notFound: unknown.respond
        )
    }

    private func administration(
        _ provider: Provider,
        _ administrators: AdministratorTokens,
        _ hashing: PasswordHashing,
        _ publicURL: PublicURL
    ) throws -> AdminService? {
        guard installation.settings.adminREST else { return nil }
        return try AdminService(
            installation.administration(PersonRegistration(hashing: hashing)) {
                try await provider.readChanges()
            },
            of: provider,
            sentBy: AdminSenders(
                token: { try await administrators($0) },
                fields: { administrators.fields(for: $0) }
            ),
            publicURL: publicURL,
            hasMaster: installation.settings.adminMaster,
            logger: log.logger("portico.admin")
        )
    }

    private func server(
        _ responder: any Responder,
        _ administrators: AdministratorTokens,
        _ whenListening: @escaping @Sendable () -> Void
    ) -> HTTPServer {
        let access = log.access
        let clock = installation.clock
        return HTTPServer(
            host: address.host,
            port: address.port,
            limits: ConnectionLimits(
                installation.settings,
                administers: administrators.mayMakeRealms
            ),
            clock: clock,
            responder: responder,
            refused: { access.record($0, at: clock.moment().now) },
            whenListening: { _ in whenListening() }
        )
    }

    private func repeating(
        _ realms: RealmDirectory,
        _ activity: SessionActivity,
        _ logout: BackchannelLogout,
        _ provider: Provider
    ) -> [Repeating] {
        let clock = installation.clock
        let purge = Purge(database: installation.database, directory: installation.directory)
        let logger = log.logger("portico.background")
        return [
            // Commands change realms from another process.
            Repeating(name: "realm changes", interval: .seconds(1), logger: logger) {
                for change in try await realms.refresh() { provider.events.keysChanged(change) }
            },
            Repeating(name: "events", interval: .seconds(5), logger: logger) {
                [events = installation.realms.events] in
                try await provider.trail.flush(into: events)
            },
            Repeating(name: "last seen", interval: .seconds(5), logger: logger) {
                try await activity.flush()
            },
            // For sessions that a command ended, and for retries.
            Repeating(name: "back-channel logout", interval: .seconds(1), logger: logger) {
                try await logout.round()
            },
            Repeating(name: "purge", interval: .seconds(600), logger: logger) {
                try await purge(at: clock.moment().seconds)
            },
        ]
    }

    private func group(_ services: [any Service]) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: log.logger("portico.lifecycle")
        )
        // Open requests have this long to finish.
        configuration.maximumGracefulShutdownDuration = .seconds(8)
        return ServiceGroup(configuration: configuration)
    }
}
