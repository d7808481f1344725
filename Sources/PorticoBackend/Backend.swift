package import Logging
package import PorticoBytes
package import PorticoPages
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// Everything the backend-for-frontend is made of, put together where the program is wired.
package struct Backend: Sendable {
    package let directory: BackendDirectory
    package let accounts: any AccountStore
    package let ring: KeyRing
    package let clock: Clock
    package let activity: SessionActivity<UniqueID>
    package let events: BackendEvents
    let pages: PageRenderer
    let publicURL: PublicURL
    let rules: AccountRules
    let identity: ServiceIdentity
    let apis: [ProxiedAPI]
    let transport: any HTTPTransport
    let limits: BackendLimits
    fileprivate let access: ProviderAccess

    package init(
        directory: BackendDirectory,
        accounts: any AccountStore,
        ring: KeyRing,
        clock: Clock,
        activity: SessionActivity<UniqueID>,
        logger: Logger,
        pages: PageRenderer,
        publicURL: PublicURL,
        identity: ServiceIdentity,
        transport: any HTTPTransport,
        apis: [ProxiedAPI] = [],
        rules: AccountRules = AccountRules(),
        limits: BackendLimits = BackendLimits()
    ) {
        self.directory = directory
        self.accounts = accounts
        self.ring = ring
        self.clock = clock
        self.activity = activity
        events = BackendEvents(logger: logger)
        self.pages = pages
        self.publicURL = publicURL
        self.rules = rules
        self.identity = identity
        self.transport = transport
        self.apis = apis
        self.limits = limits
        access = ProviderAccess(
            accounts: accounts,
            directory: directory,
            vault: ProviderTokens(ring: ring)
        )
    }
}

/// How often things may be tried. Counted per process.
package struct BackendLimits: Sendable {
    let starts: RateLimiter
    let callbacks: RateLimiter
    /// Which attempts were redeemed.
    let redemptions: SeenLately
    let guesses: RateLimiter
    let natives: RateLimiter
    let providerCalls: RateLimiter
    let links: RateLimiter
    let mails: MailLimits

    package init(startsPerMinute: Int = 5, callbacksPerMinute: Int = 10) {
        starts = Self.ofEverybody(startsPerMinute)
        callbacks = Self.ofEverybody(callbacksPerMinute)
        redemptions = SeenLately()
        guesses = RateLimiter(burst: 20, perMinute: 10)
        natives = RateLimiter(burst: 10, perMinute: 10)
        providerCalls = RateLimiter(burst: 60, perMinute: 60)
        links = RateLimiter(.perHour(5))
        mails = MailLimits()
    }

    /// A limit that every sign-in counts at. Where a whole audience comes at once, each from an address of
    /// their own, they must not fill the table for each other: 1 MiB is enough for 2,700 a second.
    private static func ofEverybody(_ count: Int) -> RateLimiter {
        RateLimiter(RateLimit(burst: count, perMinute: Double(count), keys: 32_768))
    }
}

extension Backend {
    var pageExit: BackendPageExit {
        BackendPageExit(
            renderer: pages,
            headers: SecurityHeaders(publicURL),
            origin: publicURL.origin,
            service: identity.name,
            help: PageLink(path: BackendPageRoute.help.rawValue),
            isInsecureLoopback: publicURL.isInsecureLoopback
        )
    }

    /// Hands every endpoint what it needs, and nothing else.
    package var routes: BackendRoutes {
        let headers = SecurityHeaders(publicURL)
        let policy = CookiePolicy(publicURL)
        let cookies = SessionCookies(policy)
        let attempts = AttemptCookies(policy, ring: ring)
        let page = pageExit
        let forms = PageForms(tokens: FormToken(ring: ring), cookies: cookies)
        let exits = BackendExits(
            page: page,
            headers: headers,
            directory: directory,
            events: events,
            forms: forms
        )
        let check = SessionCheck(
            accounts: accounts,
            directory: directory,
            cookies: cookies,
            ring: ring,
            activity: activity
        )
        let complete = SignInCompletion(
            accounts: accounts,
            ring: ring,
            cookies: cookies,
            devices: KnownDevice(ring: ring, realmID: "accounts"),
            rules: rules
        )
        let start = SignInStart(cookies: attempts, origin: publicURL.origin)
        let link = IdentityLinking(accounts: accounts, sessions: check, exits: exits)
        let pending = PendingCookie(policy, ring: ring)
        let emails = EmailCodes(accounts: accounts, ring: ring, limits: limits.mails)
        let departure = AccountDeparture(
            accounts: accounts,
            directory: directory,
            ring: ring
        )
        return BackendRoutes(
            clock: clock,
            exits: exits,
            headers: headers,
            start: StartEndpoint(
                directory: directory,
                start: start,
                exits: exits,
                limit: limits.starts
            ),
            callback: CallbackEndpoint(
                directory: directory,
                cookies: attempts,
                posted: PostedAnswer(ring: ring),
                sessions: check,
                complete: complete,
                link: link,
                pending: pending,
                events: events,
                exits: exits,
                forms: forms,
                limit: limits.callbacks,
                redeemed: limits.redemptions
            ),
            token: AppTokenEndpoint(
                directory: directory,
                accounts: accounts,
                ring: ring,
                headers: headers,
                events: events,
                guesses: limits.guesses
            ),
            refresh: AppRefreshEndpoint(
                accounts: accounts,
                directory: directory,
                ring: ring,
                headers: headers,
                events: events
            ),
            native: NativeEndpoint(
                directory: directory,
                complete: complete,
                accounts: accounts,
                nonces: NativeNonces(ring: ring),
                headers: headers,
                exits: exits,
                events: events,
                pending: pending,
                limit: limits.natives
            ),
            providerCalls: ProviderCallsEndpoint(
                directory: directory,
                accounts: accounts,
                headers: headers,
                events: events,
                limit: limits.providerCalls,
                origin: publicURL.origin
            ),
            session: SessionEndpoint(
                check: check,
                departure: departure,
                cookies: cookies,
                headers: headers
            ),
            account: AccountEndpoint(
                check: check,
                accounts: accounts,
                directory: directory,
                start: start,
                departure: departure,
                emails: emails,
                cookies: cookies,
                headers: headers,
                linkLimit: limits.links
            ),
            reauthentication: ReauthenticationEndpoint(
                check: check,
                emails: emails,
                cookies: cookies,
                headers: headers
            ),
            association: AssociationFilesEndpoint(directory: directory, headers: headers),
            proxy: ProxyEndpoint(
                apis: apis,
                check: check,
                access: access,
                transport: transport,
                headers: headers
            ),
            pages: PageEndpoints(
                choose: ChoosePages(
                    directory: directory,
                    check: check,
                    cookies: cookies,
                    page: page,
                    forms: forms
                ),
                join: JoinPages(
                    directory: directory,
                    check: check,
                    accounts: accounts,
                    pending: pending,
                    complete: complete,
                    link: link,
                    emails: emails,
                    exits: exits,
                    forms: forms
                ),
                account: AccountPages(
                    directory: directory,
                    check: check,
                    accounts: accounts,
                    departure: departure,
                    cookies: cookies,
                    exits: exits,
                    forms: forms
                ),
                details: DetailsPages(
                    check: check,
                    accounts: accounts,
                    emails: emails,
                    exits: exits,
                    forms: forms
                ),
                ways: WayPages(
                    directory: directory,
                    check: check,
                    accounts: accounts,
                    start: start,
                    departure: departure,
                    exits: exits,
                    forms: forms,
                    linkLimit: limits.links
                ),
                proof: ConfirmPages(
                    directory: directory,
                    check: check,
                    emails: emails,
                    cookies: cookies,
                    exits: exits,
                    forms: forms
                ),
                other: OtherPages(
                    check: check,
                    accounts: accounts,
                    departure: departure,
                    emails: emails,
                    cookies: cookies,
                    directory: directory,
                    identity: identity,
                    exits: exits,
                    forms: forms
                )
            )
        )
    }
}
