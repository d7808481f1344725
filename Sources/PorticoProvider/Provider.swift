package import Logging
package import PorticoAdministration
package import PorticoBytes
package import PorticoPages
package import PorticoProtocol
package import PorticoSeals
package import PorticoSignIn
package import PorticoStores
package import PorticoWeb

/// The parts of the OpenID Provider, assembled by the program.
package struct Provider: Sendable {
    package let realms: RealmDirectory
    let people: PersonStore
    let sessions: SessionStore
    let grants: GrantStore
    let pushed: PushedRequestStore
    let mailboxes: PersonMailboxStore
    let ring: KeyRing
    let clock: Clock
    let hashing: PasswordHashing
    let pages: PageRenderer
    let activity: SessionActivity
    package let events: SecurityEvents
    let publicURL: PublicURL
    let documents: ClientDocuments
    package let tries: FailedPasswords
    let guesses: RateLimiter
    let spent = SpentRequests()
    let mails = MailLimits()
    package let trail = EventTrail()
    /// Whether mail in the outbox is sent, or readable there by everyone.
    let sendsMail: Bool
    let elsewhere: SignInElsewhere
    /// Called when a browser session has ended: clients may need to be notified.
    let sessionEnded: @Sendable () -> Void

    /// - Parameters:
    ///   - transport: What documents of clients are fetched by: guarded, since strangers choose the
    ///     addresses.
    ///   - allowsTestHosts: Whether such an address may be under `.test`.
    ///   - elsewhere: The identity providers on the realms' pages.
    package init(
        realms: RealmDirectory,
        people: PersonStore,
        sessions: SessionStore,
        grants: GrantStore,
        pushed: PushedRequestStore,
        mailboxes: PersonMailboxStore,
        ring: KeyRing,
        clock: Clock,
        hashing: PasswordHashing,
        activity: SessionActivity,
        logger: Logger,
        publicURL: PublicURL,
        documentsBy transport: any HTTPTransport,
        allowsTestHosts: Bool = false,
        sendsMail: Bool,
        theme: PageTheme = .standard,
        tries: FailedPasswords = FailedPasswords(),
        guesses: RateLimiter = RateLimiter(burst: 20, perMinute: 10),
        elsewhere: SignInElsewhere = .nowhere,
        sessionEnded: @escaping @Sendable () -> Void = {}
    ) throws {
        self.realms = realms
        self.people = people
        self.sessions = sessions
        self.grants = grants
        self.pushed = pushed
        self.mailboxes = mailboxes
        self.sendsMail = sendsMail
        self.ring = ring
        self.clock = clock
        self.hashing = hashing
        self.activity = activity
        events = SecurityEvents(logger: logger, trail: trail)
        self.publicURL = publicURL
        documents = ClientDocuments(
            transport: transport,
            allowsTest: allowsTestHosts,
            events: events
        )
        self.tries = tries
        self.guesses = guesses
        self.elsewhere = elsewhere
        self.sessionEnded = sessionEnded
        pages = try PageRenderer(theme: theme)
    }

    /// Links that an administrator mails.
    package var actionLinks: ActionLinks {
        ActionLinks(
            mailboxes: mailboxes,
            people: people,
            limits: mails,
            ring: ring,
            sendsMail: sendsMail
        )
    }

    /// The addresses of all realms.
    package var service: ProviderService {
        get throws {
            let endpoints = ProviderEndpoints(self)
            return ProviderService(
                routes: try RouteTable(endpoints.routes),
                realms: realms,
                page: endpoints.page,
                events: events,
                nonces: DPoPNonces(ring: ring),
                cookies: CookiePolicy(publicURL),
                elsewhere: elsewhere
            )
        }
    }
}
