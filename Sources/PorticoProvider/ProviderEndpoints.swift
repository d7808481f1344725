import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The endpoints at a realm's addresses, assembled from a ``Provider``.
struct ProviderEndpoints: Sendable {
    let page: PageResponder
    let flow: BrowserFlow
    let metadata: MetadataEndpoint
    let authorization: AuthorizationEndpoint
    let signIn: SignInEndpoint
    let signedIn: SignedInElsewhereEndpoint
    let consent: ConsentEndpoint
    let continueAs: ContinueAsEndpoint
    let token: TokenEndpoint
    let userInfo: UserInfoEndpoint
    let revocation: RevocationEndpoint
    let introspection: IntrospectionEndpoint
    let pushedAuthorization: PushedAuthorizationEndpoint
    let endSession: EndSessionEndpoint
    let confirmEmail: ConfirmEmailEndpoint
    let forgotPassword: ForgotPasswordEndpoint
    let newPassword: NewPasswordEndpoint
    let actionLink: ActionLinkEndpoint
    let requiredAction: RequiredActionEndpoint
    let apps: ConnectedAppsEndpoint
    let secondFactors: SecondFactorsEndpoint
    let password: AccountPasswordEndpoint
    let realmInfo: RealmInfoEndpoint
    let loginStatus: LoginStatusEndpoint
    let profile: AccountProfileEndpoint

    /// Gives every endpoint what it needs, and nothing else.
    init(_ provider: Provider) {
        let page = PageResponder(provider.pages, provider.publicURL)
        let headers = page.headers
        self.page = page
        let verifier = AccessTokenVerifier(grants: provider.grants)
        let proofs = ProofCheck(ring: provider.ring)
        let authenticated = ClientAuthenticator(
            authenticate: ClientAuthentication(ring: provider.ring),
            proofs: proofs,
            grants: provider.grants,
            guesses: provider.guesses,
            events: provider.events,
            documents: provider.documents
        )
        // Who asks about tokens, or ends a session by one, makes nothing be fetched.
        var registered = authenticated
        registered.documents = nil
        let flow = BrowserFlow(
            requests: AuthorizationRequests(
                pushed: provider.pushed,
                grants: provider.grants,
                spent: provider.spent,
                ring: provider.ring,
                documents: provider.documents
            ),
            steps: AuthorizationSteps(
                people: provider.people,
                grants: provider.grants,
                sessions: provider.sessions,
                codes: CodeMaker(ring: provider.ring),
                spent: provider.spent
            ),
            sessions: provider.sessions,
            loginTokens: LoginTokens(
                sessions: provider.sessions,
                grants: provider.grants,
                ring: provider.ring
            ),
            activity: provider.activity,
            ring: provider.ring,
            cookies: CookiePolicy(provider.publicURL),
            forms: GuardedForms(FormToken(ring: provider.ring)),
            page: page,
            sendsMail: provider.sendsMail,
            elsewhere: provider.elsewhere
        )
        let limits = provider.mails
        let resets = PasswordResets(
            mailboxes: provider.mailboxes,
            people: PersonRegistration(hashing: provider.hashing),
            store: provider.people,
            limits: limits,
            ring: provider.ring,
            sendsMail: provider.sendsMail
        )
        let revoke = TokenRevocation(
            grants: provider.grants,
            ring: provider.ring,
            verifier: verifier
        )
        self.flow = flow
        metadata = MetadataEndpoint(headers: headers)
        realmInfo = RealmInfoEndpoint(page: page)
        loginStatus = LoginStatusEndpoint(flow: flow)
        profile = AccountProfileEndpoint(verifier: verifier, headers: headers)
        authorization = AuthorizationEndpoint(flow: flow)
        let check = PasswordCheck(
            flow: flow,
            recognise: PasswordSignIn(people: provider.people, hashing: provider.hashing),
            tries: provider.tries,
            events: provider.events
        )
        let browserSignIn = BrowserSignIn(
            flow: flow,
            start: SessionStart(sessions: provider.sessions, sessionEnded: provider.sessionEnded),
            events: provider.events
        )
        let registration = SelfRegistration(
            flow: flow,
            people: provider.people,
            mailboxes: provider.mailboxes,
            registration: PersonRegistration(hashing: provider.hashing),
            // Of its own: who registers with another's address uses up nothing of theirs.
            mails: MailLimits(),
            tries: RateLimiter(SelfRegistration.limit),
            signIn: browserSignIn,
            events: provider.events
        )
        signIn = SignInEndpoint(
            flow: flow,
            check: check,
            second: SecondStep(
                flow: flow,
                people: provider.people,
                tries: RateLimiter(SecondStep.limit),
                events: provider.events
            ),
            signIn: browserSignIn,
            resets: resets,
            registration: registration,
            events: provider.events
        )
        signedIn = SignedInElsewhereEndpoint(flow: flow, second: signIn.second)
        let changePassword = PasswordChange(
            flow: flow,
            people: provider.people,
            registration: PersonRegistration(hashing: provider.hashing),
            signIn: browserSignIn,
            events: provider.events
        )
        requiredAction = RequiredActionEndpoint(flow: flow, change: changePassword)
        password = AccountPasswordEndpoint(
            access: AccountPageAccess(place: .password, form: "account password", flow: flow),
            change: changePassword
        )
        apps = ConnectedAppsEndpoint(
            access: AccountPageAccess(place: .apps, form: "connected apps", flow: flow),
            people: provider.people,
            grants: provider.grants,
            events: provider.events
        )
        secondFactors = SecondFactorsEndpoint(
            access: AccountPageAccess(place: .secondFactors, form: "second factors", flow: flow),
            people: provider.people,
            events: provider.events,
            sessionEnded: provider.sessionEnded
        )
        consent = ConsentEndpoint(flow: flow, people: provider.people, events: provider.events)
        continueAs = ContinueAsEndpoint(flow: flow)
        confirmEmail = ConfirmEmailEndpoint(
            flow: flow,
            confirmations: EmailConfirmations(
                mailboxes: provider.mailboxes,
                limits: limits,
                ring: provider.ring
            ),
            events: provider.events
        )
        forgotPassword = ForgotPasswordEndpoint(flow: flow, resets: resets, events: provider.events)
        newPassword = NewPasswordEndpoint(
            flow: flow,
            resets: resets,
            events: provider.events,
            sessionEnded: provider.sessionEnded
        )
        actionLink = ActionLinkEndpoint(
            flow: flow,
            links: provider.actionLinks,
            registration: PersonRegistration(hashing: provider.hashing),
            events: provider.events,
            sessionEnded: provider.sessionEnded
        )
        token = TokenEndpoint(provider, authenticated: authenticated, headers: headers)
        userInfo = UserInfoEndpoint(
            userInfo: UserInfo(verifier: verifier),
            proofs: proofs,
            headers: headers
        )
        revocation = RevocationEndpoint(
            authenticated: authenticated,
            headers: headers,
            revoke: revoke
        )
        introspection = IntrospectionEndpoint(
            authenticated: registered,
            headers: headers,
            introspect: TokenIntrospection(
                grants: provider.grants,
                ring: provider.ring,
                verifier: verifier
            )
        )
        pushedAuthorization = PushedAuthorizationEndpoint(
            authenticated: authenticated,
            headers: headers,
            push: PushedAuthorization(pushed: provider.pushed, ring: provider.ring),
            unproven: RateLimiter(burst: 60, perMinute: 60)
        )
        endSession = EndSessionEndpoint(
            flow: flow,
            legacy: LegacySignOut(
                authenticated: registered,
                grants: provider.grants,
                sessions: provider.sessions,
                ring: provider.ring,
                headers: headers,
                sessionEnded: provider.sessionEnded
            ),
            events: provider.events,
            sessionEnded: provider.sessionEnded
        )
    }
}
