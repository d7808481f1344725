import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoProtocol
import PorticoStores
package import PorticoWeb

/// Which endpoint answers at which address.
package struct ProviderRoutes: Sendable {
    private let realms: RealmDirectory
    private let clock: Clock
    private let exits: ErrorExits
    private let headers: SecurityHeaders

    private let metadata: MetadataEndpoint
    private let authorization: AuthorizationEndpoint
    private let signIn: SignInEndpoint
    private let consent: ConsentEndpoint
    private let token: TokenEndpoint
    private let userInfo: UserInfoEndpoint
    private let revocation: RevocationEndpoint
    private let introspection: IntrospectionEndpoint
    private let pushedAuthorization: PushedAuthorizationEndpoint
    private let endSession: EndSessionEndpoint
    private let confirmEmail: ConfirmEmailEndpoint
    private let forgotPassword: ForgotPasswordEndpoint
    private let newPassword: NewPasswordEndpoint
    private let apps: ConnectedAppsEndpoint
    private let devices: DevicesEndpoint
    private let accountSignIn: AccountSignInEndpoint

    /// The answer at a realm's address, or `nil` where the path is not of this kind.
    package func respond(to arrival: Arrival) async -> Answered? {
        guard let (name, route) = ProviderRoute.find(arrival.target.path) else { return nil }
        let visit = Visit(
            request: arrival.request,
            target: arrival.target,
            realm: realms.realm(named: name),
            moment: clock.moment(),
            requestID: arrival.id.text,
            address: arrival.client.limitKey
        )
        guard let realmVisit = RealmVisit(visit) else {
            return Answered(exits.notFound(visit))
        }
        var answered = await answer(route, realmVisit)
        if route.isShownByApps { SecurityHeaders.keepOpener(&answered.response.headers) }
        answered.realm = realmVisit.realm.realm.name
        return answered
    }

    /// The answer at an address where no endpoint is. At the root and at an issuer's own address,
    /// which people open to see whether anybody is there, it says what this is.
    package func notFound(_ arrival: Arrival) -> Answered {
        let path = arrival.target.path
        let prefix = "/realms/"
        let name = path.hasPrefix(prefix) ? path.dropFirst(prefix.count) : ""
        let realm = realms.realm(named: name)
        let visit = Visit(
            request: arrival.request,
            target: arrival.target,
            realm: realm,
            moment: clock.moment(),
            requestID: arrival.id.text,
            address: arrival.client.limitKey
        )
        let isStart = path == "/" || realm != nil
        guard isStart, [.get, .head].contains(arrival.request.method) else {
            return Answered(exits.notFound(visit))
        }
        return Answered(exits.start(visit))
    }

    private func answer(_ route: ProviderRoute, _ visit: RealmVisit) async -> Answered {
        let method = visit.request.method
        // HEAD is GET without a body (RFC 9110 §9.3.2).
        let isAllowed =
            route.methods.contains(method) || method == .head && route.methods.contains(.get)
        let cors = CrossOriginRules(route)
        guard isAllowed else {
            if method == .options, let preflight = cors.preflight(visit, headers) {
                return Answered(preflight)
            }
            return Answered(exits.methodNotAllowed(route, visit))
        }
        do {
            var response = try await respond(route, visit)
            cors.add(to: &response, visit)
            return Answered(response)
        } catch {
            var answered = exits.answer(error, route, visit)
            cors.add(to: &answered.response, visit)
            return answered
        }
    }

    private func respond(_ route: ProviderRoute, _ visit: RealmVisit) async throws -> Response {
        switch route {
        case .openIDConfiguration, .authorizationServerMetadata: metadata.get(visit)
        case .keySet: metadata.keys(visit)
        case .authorization: try await authorization(visit)
        case .restart: try await authorization.restart(visit)
        case .authenticate: try await signIn.post(visit)
        case .consent: try await consent.post(visit)
        case .selectAccount: try await consent.selectAccount(visit)
        case .token: try await token.post(visit)
        case .userInfo:
            if visit.request.method == .post {
                try await userInfo.post(visit)
            } else {
                try await userInfo.get(visit)
            }
        case .revocation: try await revocation.post(visit)
        case .introspection: try await introspection.post(visit)
        case .pushedAuthorization: try await pushedAuthorization.post(visit)
        case .endSession: try await endSession(visit)
        case .confirmSignOut: try await endSession.confirm(visit)
        case .verifyEmail: try await confirmEmail.post(visit)
        case .resetCredentials:
            if visit.request.method == .post {
                try await forgotPassword.post(visit)
            } else {
                try forgotPassword.get(visit)
            }
        case .account:
            if let redirect = Redirect(to: RealmURLs.path(realmName: visit.realm.realm.name, .apps))
            {
                Response(redirect, headers: headers)
            } else {
                exits.notFound(visit.visit)
            }
        case .apps: try await apps(visit)
        case .devices: try await devices(visit)
        case .accountSignIn: try await accountSignIn.post(visit)
        case .newPassword: try await newPassword(visit)
        }
    }
}

extension ProviderRoutes {
    /// Hands every endpoint what it needs, and nothing else.
    init(_ provider: Provider) {
        let headers = SecurityHeaders(provider.publicURL)
        let page = PageExit(
            renderer: provider.pages,
            headers: headers,
            isInsecureLoopback: provider.publicURL.isInsecureLoopback
        )
        let issuer = TokenIssuer(ring: provider.ring)
        let verifier = AccessTokenVerifier(grants: provider.grants)
        let door = ClientDoor(provider)
        let flow = BrowserFlow(
            requests: AuthorizationRequests(
                pushed: provider.pushed,
                grants: provider.grants,
                spent: provider.spent
            ),
            steps: AuthorizationSteps(
                people: provider.people,
                codes: CodeMaker(ring: provider.ring),
                spent: provider.spent
            ),
            sessions: provider.sessions,
            activity: provider.activity,
            ring: provider.ring,
            cookies: CookiePolicy(provider.publicURL),
            tokens: FormToken(ring: provider.ring),
            page: page,
            sendsMail: provider.sendsMail
        )
        let limits = MailLimits()
        let resets = PasswordResets(
            mailboxes: provider.mailboxes,
            people: PersonRegistration(hashing: provider.hashing),
            limits: limits,
            ring: provider.ring,
            sendsMail: provider.sendsMail
        )
        let revoke = TokenRevocation(
            grants: provider.grants,
            ring: provider.ring,
            verifier: verifier
        )
        realms = provider.realms
        clock = provider.clock
        self.headers = headers
        exits = ErrorExits(page: page, headers: headers, events: provider.events)
        metadata = MetadataEndpoint(headers: headers)
        authorization = AuthorizationEndpoint(flow: flow)
        let check = PasswordCheck(
            flow: flow,
            recognise: PasswordSignIn(people: provider.people, hashing: provider.hashing),
            tries: provider.tries,
            events: provider.events
        )
        let browserSignIn = BrowserSignIn(
            flow: flow,
            start: SessionStart(
                sessions: provider.sessions,
                sessionEnded: provider.sessionEnded
            ),
            events: provider.events
        )
        signIn = SignInEndpoint(
            flow: flow,
            check: check,
            signIn: browserSignIn,
            events: provider.events
        )
        accountSignIn = AccountSignInEndpoint(
            flow: flow,
            check: check,
            signIn: browserSignIn,
            events: provider.events
        )
        apps = ConnectedAppsEndpoint(
            door: AccountDoor(place: .apps, flow: flow, signIn: accountSignIn),
            people: provider.people,
            events: provider.events
        )
        devices = DevicesEndpoint(
            door: AccountDoor(place: .devices, flow: flow, signIn: accountSignIn),
            sessions: flow.sessions,
            events: provider.events,
            sessionEnded: provider.sessionEnded
        )
        consent = ConsentEndpoint(flow: flow, people: provider.people, events: provider.events)
        confirmEmail = ConfirmEmailEndpoint(
            flow: flow,
            confirmations: EmailConfirmations(
                mailboxes: provider.mailboxes,
                limits: limits,
                ring: provider.ring
            ),
            events: provider.events
        )
        forgotPassword = ForgotPasswordEndpoint(
            flow: flow,
            resets: resets,
            events: provider.events
        )
        newPassword = NewPasswordEndpoint(
            flow: flow,
            resets: resets,
            events: provider.events,
            sessionEnded: provider.sessionEnded
        )
        token = TokenEndpoint(
            door: door,
            headers: headers,
            authorizationCode: AuthorizationCodeGrant(
                grants: provider.grants,
                people: provider.people,
                issuer: issuer,
                ring: provider.ring
            ),
            refreshToken: RefreshTokenGrant(
                grants: provider.grants,
                issuer: issuer,
                ring: provider.ring
            ),
            clientCredentials: ClientCredentialsGrant(grants: provider.grants, issuer: issuer),
            challenges: SeenLately()
        )
        userInfo = UserInfoEndpoint(userInfo: UserInfo(verifier: verifier), headers: headers)
        revocation = RevocationEndpoint(door: door, headers: headers, revoke: revoke)
        introspection = IntrospectionEndpoint(
            door: door,
            headers: headers,
            introspect: TokenIntrospection(
                grants: provider.grants,
                ring: provider.ring,
                verifier: verifier
            )
        )
        pushedAuthorization = PushedAuthorizationEndpoint(
            door: door,
            headers: headers,
            push: PushedAuthorization(pushed: provider.pushed),
            unproven: RateLimiter(burst: 60, perMinute: 60)
        )
        endSession = EndSessionEndpoint(
            flow: flow,
            legacy: LegacySignOut(
                door: door,
                grants: provider.grants,
                sessions: provider.sessions,
                refreshTokens: revoke,
                headers: headers,
                sessionEnded: provider.sessionEnded
            ),
            events: provider.events,
            sessionEnded: provider.sessionEnded
        )
    }
}
