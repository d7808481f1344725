import Logging
import PorticoATProtocol
import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStandIns
import PorticoStores
import PorticoUpstream
import PorticoWeb
import ServiceLifecycle
import PorticoSystem

struct BackendWiring {
    private let whole: Wiring
    let outbound: OutboundClient
    /// For APIs, and its own: no sign-in and no token waits for one (docs/decisions/0094).
    let apis: OutboundClient
    /// `nil`: emails stay in the outbox.
    private let mail: OutgoingMail?

    private var installation: Installation { whole.installation }
    private var log: ServerLog { whole.log }
    private var network: TestNetwork? { whole.network }
    private var demonstration: Demonstration? { whole.demonstration }

    init(_ whole: Wiring, _ outbound: OutboundClient, mail: OutgoingMail?) {
        self.whole = whole
        self.outbound = outbound
        self.mail = mail
        let outgoing = OpenFiles(whole.installation.settings).outgoing
        apis = OutboundClient(
            connections: outgoing,
            places: SharedCapacity(outgoing, part: 2, person: (5, 8)),
            answers: SharedCapacity(HandleDirectory.mostAnswers, part: 2, person: (1, 4))
        )
    }

    func backend(
        _ publicURL: PublicURL,
        _ activity: SessionActivity,
        sessionEnded: @escaping @Sendable () -> Void = {}
    ) async throws -> Backend {
        let settings = installation.settings
        let clock = installation.clock
        let ring = installation.ring
        let secrets = installation.providerSecrets
        let outbound = outbound
        let guarded = GuardedTransport(
            connections: OpenFiles(settings).outgoing,
            in: network
        )
        let allowsStandIns = demonstration != nil
        let hadSealPasswords = try installation.sealPasswords(isNeeded: false) != nil
        try await settleRealm()
        let directory = try await ProviderDirectory(
            store: installation.backend,
            handles: handles(publicURL)
        ) { record in
            let client = try UpstreamClient(
                record,
                secrets: secrets,
                transport: settings.transport(of: record, over: outbound, otherwise: guarded),
                allowingStandIns: allowsStandIns,
                now: { clock.moment().now }
            )
            let addresses = ProviderAddresses(record, publicURL: publicURL.origin)
            guard client.provider.permits(redirectURI: addresses.callback) else {
                throw IdentityProviderRefusal.publicAddress
            }
            return client
        }
        let signIn = try SignIn(
            directory: directory,
            accounts: installation.accounts,
            sessions: installation.sessions,
            people: installation.people,
            realms: installation.realms,
            handles: installation.handles,
            ring: ring,
            clock: clock,
            activity: activity,
            logger: log.logger("portico.backend"),
            pages: PageRenderer(theme: whole.look.theme),
            publicURL: publicURL,
            identity: ServiceIdentity(
                name: settings.serviceName,
                contact: settings.serviceContact,
                privacy: settings.servicePrivacy,
                terms: settings.serviceTerms,
                home: settings.pagesHome,
                onboarding: settings.pagesOnboarding.flatMap(ServiceIdentity.Onboarding.init)
            ),
            rules: AccountRules(settings),
            limits: SignInLimits(
                startsPerMinute: settings.limitSignIns,
                startsPerAddress: settings.limitSignInsOfAddress
            ),
            sessionEnded: sessionEnded
        )
        let backend = Backend(signIn, transport: apis, apis: settings.apis)
        for failure in directory.failures { backend.signIn.events.providerUnusable(failure) }
        try await backend.makeHandleKey()
        try await warn(ofSealPasswordsThat: hadSealPasswords)
        return backend
    }

    /// Makes the realm that the settings name the backend's.
    private func settleRealm() async throws {
        guard let name = installation.settings.backendRealm else { return }
        guard let realm = try await installation.realms.realm(named: name) else {
            log.logger("portico.backend").warning(
                "backend.realm names a realm that is not there",
                metadata: ["realm": .string(name)]
            )
            return
        }
        guard try await installation.backend.configuration().realm?.id != realm.id else { return }
        try await installation.backend.choose(realmID: realm.id)
    }

    /// - Parameter wereThere: Whether there were any before this start.
    private func warn(ofSealPasswordsThat wereThere: Bool) async throws {
        let logger = log.logger("portico.backend")
        guard let passwords = try installation.sealPasswords(isNeeded: false) else { return }
        for id in passwords.weakIDs {
            logger.warning("a password of sid is easy to guess", metadata: ["id": .string(id)])
        }
        guard !wereThere else { return }
        let handles = installation.handles
        let sessions =
            try await handles.count(confidential: true) + handles.count(confidential: false)
        guard sessions > 0 else { return }
        logger.warning(
            """
            there were no passwords of sid, so new ones were made: people who are signed in by \
            handle have to sign in again, unless the file comes back from a backup
            """,
            metadata: ["sessions": .stringConvertible(sessions)]
        )
    }

    /// Sign-in by handle, for when a provider of that kind is there. Strangers choose which hosts it
    /// asks.
    func handles(_ publicURL: PublicURL) -> HandleDirectory {
        let installation = installation
        let settings = installation.settings
        var rules = IdentityRules.production
        rules.allowsTest = network != nil
        if let host = demonstration?.host.host { rules.admitDemo(at: host.baseURL) }
        return HandleDirectory(
            ring: installation.ring,
            clock: installation.clock,
            publicURL: publicURL,
            strangers: hosts,
            known: hosts,
            calls: asInDemo(
                GuardedTransport(
                    longest: HandleDirectory.longest,
                    answers: SharedCapacity(HandleDirectory.mostAnswers, part: 4, person: (1, 2)),
                    connections: OpenFiles(installation.settings).outgoing,
                    in: network
                )
            ),
            rules: rules,
            sessionsLast: Int64(settings.sidDays) * 86_400
        ) { try installation.sealPasswords(isNeeded: $0) }
    }

    /// With a resolver and connections of its own, each time.
    private var hosts: HandleDirectory.Network {
        let files = OpenFiles(installation.settings)
        let names = Self.names(in: network, most: files.names)
        return HandleDirectory.Network(
            transport: asInDemo(GuardedTransport(connections: files.outgoing, in: network)),
            names: demonstration.map { DemoTexts(host: $0.host.host, otherwise: names) } ?? names
        )
    }

    fileprivate static func names(in network: TestNetwork?, most: Int)
        -> any TextRecordResolver
    {
        let texts: any TextRecordResolver = SystemTextRecords(most: most)
        return network.map { TestNetworkTexts($0, otherwise: texts) } ?? texts
    }

    private func asInDemo(_ guarded: GuardedTransport) -> any HTTPTransport {
        guard let demonstration else { return guarded }
        return DemoNetwork(host: demonstration.host.host, plain: outbound, guarded: guarded)
    }

    private func sending(_ backend: Backend, by mail: OutgoingMail) -> OutboxSender {
        let ring = installation.ring
        let service = installation.settings.serviceName
        let directory = backend.signIn.directory
        return OutboxSender(
            outbox: installation.outbox,
            transport: mail.transport,
            from: mail.from,
            clock: installation.clock,
            logger: log.logger("portico.mail")
        ) { draft, language in
            try MailText(draft, ring: ring, name: directory.displayName).text(
                in: language,
                service: draft.service ?? service
            )
        }
    }

    func repeating(_ backend: Backend) -> [Repeating] {
        let clock = installation.clock
        let purge = Purge(database: installation.database, directory: installation.directory)
        let logger = log.logger("portico.background")
        let sender = mail.map { sending(backend, by: $0) }
        let mails = sender.map { sender in
            [
                Repeating(name: "mails", interval: .seconds(2), logger: logger) {
                    try await sender.sendDue()
                }
            ]
        }
        return (mails ?? []) + [
            Repeating(name: "apps and providers", interval: .seconds(1), logger: logger) {
                for failure in try await backend.signIn.directory.refresh() {
                    backend.signIn.events.providerUnusable(failure)
                }
                try await backend.makeHandleKey()
            },
            Repeating(name: "passwords of sid", interval: .seconds(1), logger: logger) {
                try backend.signIn.directory.refreshPasswords()
            },
            Repeating(name: "tokens of ended sessions", interval: .seconds(5), logger: logger) {
                try await backend.revokeHandleTokens()
            },
            Repeating(name: "health of providers", interval: .seconds(60), logger: logger) {
                for provider in backend.signIn.directory.allProviders {
                    _ = await provider.client.probe()
                }
            },
            Repeating(name: "purge of accounts", interval: .seconds(600), logger: logger) {
                try await purge.accounts(at: clock.moment().seconds)
                try await backend.endHandleSessionsOfOtherKind()
                try await backend.withdrawUnneededHandleKeys()
            },
        ]
    }
}

extension HandleDirectory.Network {
    /// With a resolver and connections of its own.
    init(in network: TestNetwork?) {
        self.init(
            transport: GuardedTransport(in: network),
            names: BackendWiring.names(in: network, most: 32)
        )
    }
}

/// The server of a demo's stand-ins, on loopback only.
struct StandInServer {
    let port: ReservedPort
    let standIns: StandIns

    var service: HTTPServer {
        HTTPServer(
            host: port.address.host,
            port: port.address.port,
            limits: ConnectionLimits(connections: 64),
            clock: standIns.clock,
            responder: standIns.responder
        )
    }

    /// A different *site* from the demo's own: `localhost` if the demo is at 127.0.0.1, else 127.0.0.1.
    static func baseURL(_ address: ListenAddress, beside publicURL: String) -> String {
        let isLocalhost = HTTPAddress(publicURL)?.isLocalhost ?? false
        return "http://\(isLocalhost ? "127.0.0.1" : "localhost"):\(address.port)"
    }
}
