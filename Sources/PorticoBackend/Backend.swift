package import Logging
package import PorticoBytes
package import PorticoPages
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// The parts of the backend-for-frontend, assembled by the program.
package struct Backend: Sendable {
    package let directory: BackendDirectory
    package let accounts: AccountStore
    package let sessions: SessionStore
    package let ring: KeyRing
    package let clock: Clock
    package let activity: SessionActivity
    package let events: BackendEvents
    let pages: PageRenderer
    let publicURL: PublicURL
    let rules: AccountRules
    let identity: ServiceIdentity
    let apis: [ProxiedAPI]
    /// Asks APIs, and nothing else.
    let transport: any HTTPTransport
    let apiCalls = AccountCalls()
    let limits: BackendLimits
    let handles: HandleSessionStore
    let handleTokens: HandleTokens
    let handleCalls = AccountCalls()
    fileprivate let access: ProviderAccess

    /// - Parameter transport: For `apis` alone: providers do not wait for their connections.
    package init(
        directory: BackendDirectory,
        accounts: AccountStore,
        sessions: SessionStore,
        handles: HandleSessionStore,
        ring: KeyRing,
        clock: Clock,
        activity: SessionActivity,
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
        self.sessions = sessions
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
        self.handles = handles
        handleTokens = HandleTokens(
            handles: handles,
            vault: HandleTokenVault(ring: ring),
            servers: ATTokenServers(directory: directory),
            clock: clock
        )
        access = ProviderAccess(
            accounts: accounts,
            directory: directory,
            vault: ProviderTokens(ring: ring)
        )
    }
}

extension Backend {
    var page: PageResponder {
        PageResponder(
            pages,
            publicURL,
            owner: identity.name,
            help: PageLink(path: BackendPath.help.rawValue)
        )
    }

    /// Its identity providers, for the sign-in page of its realm, where that is on this host: people come
    /// back from them with a session in the cookie that both share.
    package var elsewhere: SignInElsewhere {
        let (directory, publicURL) = (directory, publicURL)
        let cookies = SessionCookies(CookiePolicy(publicURL))
        return SignInElsewhere(
            isShared: { directory.isOf($0, at: publicURL.origin) },
            methods: { SignInMethods(directory).all(lastUsed: cookies.lastProvider($0)) }
        )
    }

    /// The BFF's service.
    package var service: BackendService {
        get throws {
            let endpoints = endpoints
            return BackendService(
                routes: try RouteTable(endpoints.routes),
                responder: endpoints.responder
            )
        }
    }

    /// Gives every endpoint what it needs, and nothing else.
    private var endpoints: BackendEndpoints {
        let headers = SecurityHeaders(publicURL)
        let policy = CookiePolicy(publicURL)
        let cookies = SessionCookies(policy)
        let attempts = AttemptCookies(policy, ring: ring, directory: directory)
        let live = LiveSessions(store: sessions, directory: directory)
        let whose = whose(cookies, live)
        let page = page
        let forms = PageForms(forms: GuardedForms(FormToken(ring: ring)), cookies: cookies)
        let responder = BackendResponder(
            page: page,
            headers: headers,
            directory: directory,
            events: events,
            forms: forms
        )
        let check = SessionCheck(
            sessions: live,
            directory: directory,
            whose: whose,
            ring: ring,
            activity: activity
        )
        let complete = SignInCompletion(
            accounts: accounts,
            directory: directory,
            whose: whose,
            ring: ring,
            cookies: cookies,
            devices: KnownDevice(ring: ring, realmID: "accounts"),
            rules: rules
        )
        let late = LateAnswer(sessions: check, responder: responder, forms: forms)
        let start = SignInStart(cookies: attempts, origin: publicURL.origin)
        let link = IdentityLinking(accounts: accounts, sessions: check, responder: responder)
        let pending = PendingCookie(policy, ring: ring, directory: directory)
        let starts = StartLimit(limit: limits.starts, browsers: cookies.form)
        let emails = EmailCodes(accounts: accounts, ring: ring, limits: limits.mails)
        let departure = AccountDeparture(
            accounts: accounts,
            sessions: sessions,
            directory: directory,
            ring: ring
        )
        let signOut = BrowserSignOut(whose: whose, departure: departure)
        return BackendEndpoints(
            responder: responder,
            start: StartEndpoint(
                directory: directory,
                start: start,
                responder: responder,
                limit: starts
            ),
            callback: CallbackEndpoint(
                directory: directory,
                cookies: attempts,
                posted: PostedAnswer(ring: ring),
                late: late,
                complete: complete,
                link: link,
                pending: pending,
                events: events,
                responder: responder,
                limit: limits.callbacks,
                redeemed: limits.redemptions
            ),
            handles: handleEndpoints(attempts, late, complete, starts, responder),
            token: AppTokenEndpoint(
                directory: directory,
                sessions: sessions,
                handles: handles,
                ring: ring,
                headers: headers,
                events: events,
                guesses: limits.guesses
            ),
            refresh: AppRefreshEndpoint(
                sessions: live,
                directory: directory,
                ring: ring,
                headers: headers,
                events: events
            ),
            native: NativeEndpoint(
                directory: directory,
                complete: complete,
                accounts: accounts,
                sessions: live,
                nonces: NativeNonces(ring: ring),
                headers: headers,
                responder: responder,
                events: events,
                pending: pending,
                limit: NativeLimit(starts: limits.starts, refused: limits.refusedTokens)
            ),
            providerCalls: ProviderCallsEndpoint(
                directory: directory,
                accounts: accounts,
                sessions: sessions,
                headers: headers,
                events: events,
                limit: limits.providerCalls,
                origin: publicURL.origin
            ),
            session: SessionEndpoint(
                check: check,
                departure: departure,
                signOut: signOut,
                headers: headers
            ),
            accounts: AccountEndpoint(
                check: check,
                accounts: accounts,
                directory: directory,
                start: start,
                departure: departure,
                signOut: signOut,
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
                calls: apiCalls,
                headers: headers
            ),
            handleSession: handleSession(departure, signOut, headers),
            xrpc: xrpc(whose, headers),
            choose: ChoosePages(
                directory: directory,
                check: check,
                cookies: cookies,
                page: page,
                forms: forms,
                isSignUpOpen: rules.isSignUpOpen
            ),
            join: AccountLinkingPages(
                directory: directory,
                check: check,
                accounts: accounts,
                pending: pending,
                complete: complete,
                link: link,
                emails: emails,
                responder: responder,
                forms: forms
            ),
            overview: AccountPages(
                directory: directory,
                check: check,
                departure: departure,
                signOut: signOut,
                cookies: cookies,
                responder: responder,
                forms: forms
            ),
            details: DetailsPages(
                check: check,
                accounts: accounts,
                emails: emails,
                responder: responder,
                forms: forms
            ),
            ways: SignInMethodPages(
                directory: directory,
                check: check,
                accounts: accounts,
                start: start,
                departure: departure,
                responder: responder,
                forms: forms,
                linkLimit: limits.links
            ),
            proof: ConfirmPages(
                directory: directory,
                check: check,
                accounts: accounts,
                emails: emails,
                cookies: cookies,
                responder: responder,
                forms: forms
            ),
            other: HomePages(
                check: check,
                accounts: accounts,
                browserSignOut: signOut,
                emails: emails,
                directory: directory,
                identity: identity,
                responder: responder,
                forms: forms
            )
        )
    }
}
