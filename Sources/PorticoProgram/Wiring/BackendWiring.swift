import Logging
import PorticoBackend
import PorticoBytes
import PorticoOutbound
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStandIns
import PorticoStores
import PorticoUpstream
import PorticoWeb
import ServiceLifecycle
import PorticoSystem

/// Builds the backend-for-frontend from its parts.
struct BackendWiring {
    let installation: Installation
    let log: ServerLog
    let outbound: OutboundClient
    let theme: PageTheme
    /// A demo's stand-ins for identity providers.
    let standIns: StandIns?
    /// `nil`: emails stay in the outbox.
    let mail: OutgoingMail?

    func backend(_ publicURL: PublicURL) async throws -> Backend {
        let settings = installation.settings
        let clock = installation.clock
        let ring = installation.ring
        let outbound = outbound
        let allowsStandIns = standIns != nil
        let directory = try await BackendDirectory(store: installation.backend) { record in
            let client = try UpstreamClient(
                record,
                ring: ring,
                transport: outbound,
                allowingStandIns: allowsStandIns,
                now: { clock.moment().now }
            )
            let addresses = ProviderAddresses(record, publicURL: publicURL.origin)
            guard client.provider.permits(redirectURI: addresses.callback) else {
                throw IdentityProviderRefusal.publicAddress
            }
            return client
        }
        let backend = try Backend(
            directory: directory,
            accounts: installation.accounts,
            ring: ring,
            clock: clock,
            activity: SessionActivity(accounts: installation.accounts),
            logger: log.logger("portico.backend"),
            pages: PageRenderer(theme: theme),
            publicURL: publicURL,
            identity: ServiceIdentity(
                name: settings.serviceName,
                contact: settings.serviceContact,
                privacy: settings.servicePrivacy,
                terms: settings.serviceTerms
            ),
            transport: outbound,
            apis: settings.apis,
            rules: AccountRules(settings)
        )
        for failure in directory.failures { backend.events.providerUnusable(failure) }
        // No address takes the cookie yet, so no passwords are made.
        for id in try installation.sealPasswords(isNeeded: false)?.weakIDs ?? [] {
            log.logger("portico.backend").warning(
                "a password of sid is easy to guess",
                metadata: ["id": .string(id)]
            )
        }
        return backend
    }

    /// Sends the emails in the outbox.
    private func sending(_ backend: Backend, by mail: OutgoingMail) -> OutboxSender {
        let ring = installation.ring
        let service = installation.settings.serviceName
        let directory = backend.directory
        return OutboxSender(
            outbox: installation.outbox,
            transport: mail.transport,
            from: mail.from,
            clock: installation.clock,
            logger: log.logger("portico.mail")
        ) { draft, language in
            try MailText(draft, ring: ring) { name in
                directory.providers.first { $0.name == name }?.client.provider.displayName ?? name
            }.text(in: language, service: draft.service ?? service)
        }
    }

    /// The background tasks.
    func repeating(_ backend: Backend) -> [Repeating] {
        let clock = installation.clock
        let purge = AccountPurge(accounts: installation.accounts, outbox: installation.outbox)
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
                for failure in try await backend.directory.refresh() {
                    backend.events.providerUnusable(failure)
                }
            },
            Repeating(name: "accounts last seen", interval: .seconds(5), logger: logger) {
                try await backend.activity.flush()
            },
            Repeating(name: "health of providers", interval: .seconds(60), logger: logger) {
                for provider in backend.directory.providers {
                    _ = await provider.client.probe()
                }
            },
            Repeating(name: "purge of accounts", interval: .seconds(600), logger: logger) {
                try await purge(at: clock.moment().seconds)
            },
        ]
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
