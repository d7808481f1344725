package import Logging
package import PorticoBytes
package import PorticoPages
import PorticoProtocol
package import PorticoSeals
package import PorticoStores
package import PorticoWeb

/// The sign-in core: turns a browser and a purpose into a session. It knows people, how they sign in, mails
/// and limits, and nothing of OAuth or of apps' tokens. ``SignInPlace`` says where its pages are.
package struct SignIn: Sendable {
    package let directory: ProviderDirectory
    package let accounts: AccountStore
    package let sessions: SessionStore
    package let handles: HandleSessionStore
    package let apps: AppSessions
    package let ring: KeyRing
    package let clock: Clock
    package let activity: SessionActivity
    package let events: SignInLog
    package let pages: PageRenderer
    package let publicURL: PublicURL
    package let rules: AccountRules
    package let identity: ServiceIdentity
    package let limits: SignInLimits
    /// What forms did a moment ago, wherever they are.
    private let sent = SentForms<Response> { $0.size }
    /// Called when sessions ended whose clients are to be told.
    private let sessionEnded: @Sendable () -> Void

    package init(
        directory: ProviderDirectory,
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
        rules: AccountRules = AccountRules(),
        limits: SignInLimits = SignInLimits(),
        sessionEnded: @escaping @Sendable () -> Void = {}
    ) {
        self.directory = directory
        self.accounts = accounts
        self.sessions = sessions
        self.handles = handles
        apps = AppSessions(people: people, realms: realms)
        self.ring = ring
        self.clock = clock
        self.activity = activity
        events = SignInLog(logger: logger)
        self.pages = pages
        self.publicURL = publicURL
        self.rules = rules
        self.identity = identity
        self.limits = limits
        self.sessionEnded = sessionEnded
    }
}

extension SignIn {
    /// - Parameter realm: Whose pages they are; `nil`: the backend's, where people find help too.
    func page(of realm: Realm? = nil, at url: PublicURL) -> PageResponder {
        PageResponder(
            pages,
            url,
            owner: identity.name,
            help: realm == nil ? PageLink(path: SignInPath.help.rawValue) : nil
        )
    }

    /// Of the backend.
    package var page: PageResponder { page(of: nil, at: publicURL) }

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

    /// The endpoints for a request below a realm.
    func endpoints(_ context: SignInContext) -> SignInEndpoints {
        endpoints(of: context.realm, at: context.request.realmHost ?? publicURL)
    }

    /// Gives every endpoint what it needs, and nothing else.
    ///
    /// - Parameters:
    ///   - realm: Below which they are; `nil`: the backend's.
    ///   - url: Where they are.
    package func endpoints(of realm: Realm?, at url: PublicURL) -> SignInEndpoints {
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
            needsBothSteps: true
        )
        func whose(_ live: LiveSessions) -> WhoseBrowser {
            WhoseBrowser(
                sessions: live,
                handles: handles,
                directory: directory,
                cookies: cookies,
                activity: activity
            )
        }
        let forms = PageForms(
            forms: GuardedForms(FormToken(ring: ring)),
            cookies: cookies,
            place: place,
            sent: sent
        )
        let responder = SignInResponder(
            page: page(of: realm, at: url),
            headers: headers,
            directory: directory,
            events: events,
            forms: forms
        )
        let byFirstStep = whose(live)
        let both = whose(place.isRealm ? whole : live)
        func checking(
            _ whose: WhoseBrowser,
            whole: WhoseBrowser? = nil,
            takesTokens: Bool = true
        ) -> SessionCheck {
            SessionCheck(
                sessions: live,
                directory: directory,
                whose: whose,
                ring: ring,
                activity: activity,
                takesTokens: takesTokens,
                whole: whole,
                origin: url.origin
            )
        }
        let check = checking(both)
        let ofAccount = checking(byFirstStep, whole: whose(whole), takesTokens: false)
        let complete = SignInCompletion(
            accounts: accounts,
            directory: directory,
            whose: both,
            ring: ring,
            cookies: cookies,
            devices: KnownDevice(ring: ring, realmID: place.deviceRealm),
            rules: rules
        )
        let late = LateAnswer(sessions: check, responder: responder, forms: forms)
        let start = SignInStart(cookies: attempts, directory: directory, origin: url.origin)
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
        let signOut = BrowserSignOut(whose: both, departure: departure)
        return SignInEndpoints(
            directory: directory,
            headers: headers,
            cookies: cookies,
            attempts: attempts,
            live: live,
            check: check,
            begin: start,
            complete: complete,
            pending: pending,
            starts: starts,
            late: late,
            emails: emails,
            departure: departure,
            signOut: signOut,
            forms: forms,
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
            providerCalls: ProviderCallsEndpoint(
                directory: directory,
                accounts: accounts,
                sessions: sessions,
                headers: headers,
                events: events,
                limit: limits.providerCalls,
                origin: publicURL.origin
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
                check: ofAccount,
                departure: departure,
                signOut: signOut,
                apps: apps,
                data: AccountExport(accounts: accounts, apps: apps, check: ofAccount),
                cookies: cookies,
                responder: responder,
                forms: forms
            ),
            details: DetailsPages(
                check: ofAccount,
                accounts: accounts,
                emails: emails,
                responder: responder,
                forms: forms
            ),
            ways: SignInMethodPages(
                directory: directory,
                check: ofAccount,
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
                check: checking(byFirstStep, takesTokens: false),
                accounts: accounts,
                emails: emails,
                cookies: cookies,
                responder: responder,
                forms: forms
            )
        )
    }
}

/// What the core has at one place: its endpoints, and what a face needs to build others beside them.
package struct SignInEndpoints: Sendable {
    package let directory: ProviderDirectory
    package let headers: SecurityHeaders
    package let cookies: SessionCookies
    package let attempts: AttemptCookies
    package let live: LiveSessions
    package let check: SessionCheck
    package let begin: SignInStart
    package let complete: SignInCompletion
    package let pending: PendingCookie
    package let starts: StartLimit
    package let late: LateAnswer
    package let emails: EmailCodes
    package let departure: AccountDeparture
    package let signOut: BrowserSignOut
    package let forms: PageForms
    package let responder: SignInResponder
    package let start: StartEndpoint
    package let callback: CallbackEndpoint
    package let providerCalls: ProviderCallsEndpoint
    let join: AccountLinkingPages
    let overview: AccountPages
    let details: DetailsPages
    let ways: SignInMethodPages
    let proof: ConfirmPages
}
