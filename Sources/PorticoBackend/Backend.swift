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
    let apps: AppSessions
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
    /// What forms did a moment ago, wherever they are.
    private let sent = SentForms<Response> { $0.size }
    let apiCalls = AccountCalls()
    let limits: BackendLimits
    let handles: HandleSessionStore
    let handleTokens: HandleTokens
    let handleCalls = AccountCalls()
    /// Called when sessions ended whose clients are to be told.
    let sessionEnded: @Sendable () -> Void
    fileprivate let access: ProviderAccess

    /// - Parameter transport: For `apis` alone: providers do not wait for their connections.
    package init(
        directory: BackendDirectory,
        accounts: AccountStore,
        sessions: SessionStore,
        people: PersonStore,
        realms: RealmStore,
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
        limits: BackendLimits = BackendLimits(),
        sessionEnded: @escaping @Sendable () -> Void = {}
    ) {
        self.directory = directory
        self.accounts = accounts
        self.sessions = sessions
        apps = AppSessions(people: people, realms: realms)
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
        self.sessionEnded = sessionEnded
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
    /// - Parameter realm: Whose pages they are; `nil`: the backend's, where people find help too.
    func page(of realm: Realm? = nil, at url: PublicURL) -> PageResponder {
        PageResponder(
            pages,
            url,
            owner: identity.name,
            help: realm == nil ? PageLink(path: BackendPath.help.rawValue) : nil
        )
    }

    var page: PageResponder { page(at: publicURL) }

    /// The identity providers of realms, for their sign-in pages: people come back from them with a session
    /// in the realm's cookie, which its realm and the backend share on one host.
    package var elsewhere: SignInElsewhere {
        let (directory, publicURL) = (directory, publicURL)
        let policy = CookiePolicy(publicURL)
        return SignInElsewhere(
            isShared: { directory.isOf($0, at: publicURL.origin) },
            methods: { id, name, headers in
                let isShared = directory.isOf(id, at: publicURL.origin)
                let place: SignInPlace = isShared ? .backend : .realm(id: id, name: name)
                let methods =
                    isShared
                    ? SignInMethods(directory) : SignInMethods(directory, of: id, named: name)
                return methods.all(
                    lastUsed: SessionCookies(policy, of: place).lastProvider(headers)
                )
            }
        )
    }

    /// The addresses of signing in below realms other than the backend's.
    ///
    /// - Parameter realm: The enabled realm of a name at a host of its own, or at the public URL.
    package func serviceOfRealms(
        realm: @escaping @Sendable (_ name: Substring, _ host: PublicURL?) -> Realm?
    ) throws -> RealmSignInService {
        try RealmSignInService(self, realm: realm)
    }

    /// The BFF's service.
    package var service: BackendService {
        get throws {
            let endpoints = endpoints(of: nil, at: publicURL)
            return BackendService(
                routes: try RouteTable(endpoints.routes),
                responder: endpoints.responder
            )
        }
    }

    /// Gives every endpoint what it needs, and nothing else.
    ///
    /// - Parameters:
    ///   - realm: Below which they are; `nil`: the backend's.
    ///   - url: Where they are.
    func endpoints(of realm: Realm?, at url: PublicURL) -> BackendEndpoints {
        let directory = realm.map { self.directory.at($0) } ?? self.directory
        let place = directory.place
        let headers = SecurityHeaders(publicURL)
        let policy = CookiePolicy(publicURL)
        let cookies = SessionCookies(policy, of: place)
        let attempts = AttemptCookies(policy, ring: ring, directory: directory)
        let live = LiveSessions(store: sessions, directory: directory)
        let whole = LiveSessions(
            store: sessions,
            directory: directory,
            needsBothSteps: place.isRealm
        )
        let whose = whose(cookies, whole, directory)
        let page = page(of: realm, at: url)
        let forms = PageForms(
            forms: GuardedForms(FormToken(ring: ring)),
            cookies: cookies,
            place: place,
            sent: sent
        )
        let responder = BackendResponder(
            page: page,
            headers: headers,
            directory: directory,
            events: events,
            forms: forms
        )
        func check(_ whose: WhoseBrowser) -> SessionCheck {
            SessionCheck(
                sessions: live,
                directory: directory,
                whose: whose,
                ring: ring,
                activity: activity
            )
        }
        let byFirstStep = check(self.whose(cookies, live, directory))
        let check = check(whose)
        let complete = SignInCompletion(
            accounts: accounts,
            directory: directory,
            whose: whose,
            ring: ring,
            cookies: cookies,
            devices: KnownDevice(ring: ring, realmID: place.deviceRealm),
            rules: rules
        )
        let late = LateAnswer(sessions: check, responder: responder, forms: forms)
        let start = SignInStart(
            cookies: attempts,
            directory: directory,
            origin: url.origin
        )
        let link = IdentityLinking(accounts: accounts, sessions: check, responder: responder)
        let pending = PendingCookie(policy, ring: ring, directory: directory)
        let starts = StartLimit(limit: limits.starts, browsers: cookies.form)
        let emails = EmailCodes(accounts: accounts, ring: ring, limits: limits.mails)
        let departure = AccountDeparture(
            accounts: accounts,
            sessions: sessions,
            directory: directory,
            ring: ring,
            origin: url.origin,
            sessionEnded: sessionEnded
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
                posted: PostedAnswer(ring: ring, place: place),
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
                apps: apps,
                data: AccountExport(accounts: accounts, apps: apps, check: check),
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
            // A proof at the provider comes before the second step.
            proof: ConfirmPages(
                directory: directory,
                check: byFirstStep,
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
