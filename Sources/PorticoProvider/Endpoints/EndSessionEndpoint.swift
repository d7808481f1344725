import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/logout` (OpenID Connect RP-Initiated Logout §2, decision 28).
struct EndSessionEndpoint: Sendable {
    let flow: BrowserFlow
    let legacy: LegacySignOut
    let events: SecurityEvents
    let sessionEnded: @Sendable () -> Void

    func callAsFunction(_ visit: RealmVisit) async throws -> Response {
        let form = try await visit.visit.parameters()
        if visit.request.method == .post, form.contains("refresh_token") {
            do {
                return try await legacy(form, visit)
            } catch {
                throw ProgramRefusal(error: error)
            }
        }
        var visit = visit
        visit.visit = visit.visit.speaking(form)
        let request = try SignOutRequest(form, of: visit.realm, at: visit.moment)
        let session = try await flow.session(visit)
        guard let hint = request.hint else {
            guard let session else { return done(request, .nobodyWas, visit) }
            return try ask(form, request, session, visit)
        }
        // §2, §6: somebody else's browser, or another session than the hint's: ask.
        if let session, session.session.id != hint.sessionID {
            return try ask(form, request, session, visit)
        }
        // A valid hint names the session that it ends, cookie or not.
        let ended = try await end(hint.sessionID, visit)
        if let location = request.location, let redirect = Redirect(to: location) {
            return Response(redirect, headers: flow.page.headers, cookies: forgetting(visit))
        }
        return done(request, ended ? .signedOut : .nobodyWas, visit)
    }

    /// `POST …/logout/logout-confirm`: the person's answer.
    func confirm(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        let seal = SignOutSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard let (parameters, sessionID) = seal.open(form["request"], at: visit.moment) else {
            throw FlowLoss(.unmatched, restart: nil)
        }
        try flow.checkForm("sign out", form["csrf"], transaction: sessionID, visit)
        var visit = visit
        visit.visit = visit.visit.speaking(parameters)
        let request = try SignOutRequest(parameters, of: visit.realm, at: visit.moment)
        guard form["action"] == "sign-out" else {
            let page = SignedOutPage(
                outcome: .stayed,
                client: request.client?.name,
                wayBack: request.location.flatMap { PageLink(redirect: $0) }
            )
            return flow.page(page, visit.visit)
        }
        _ = try await end(sessionID, visit)
        if let location = request.location, let redirect = Redirect(to: location) {
            return Response(redirect, headers: flow.page.headers, cookies: forgetting(visit))
        }
        return done(request, .signedOut, visit)
    }

    /// Nothing ends before the answer (§2).
    private func ask(
        _ form: FormParameters,
        _ request: SignOutRequest,
        _ session: LiveBrowserSession,
        _ visit: RealmVisit
    ) throws -> Response {
        let cookies = flow.cookies(of: visit)
        let known = cookies.visit(visit.request.headers)
        let browser = known ?? FormToken.cookie(random: visit.moment.random)
        let sessionID = session.session.id
        let seal = SignOutSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        let page = SignOutPage(
            client: request.client?.name,
            account: PageAccount(session.person),
            form: PageForm(
                action: RealmURLs.path(realmName: visit.realm.realm.name, .confirmSignOut),
                request: seal.seal(form, sessionID: sessionID, at: visit.moment),
                csrf: flow.tokens.token(
                    form: "sign out",
                    transaction: sessionID,
                    cookie: browser
                )
            )
        )
        return flow.page(
            page,
            visit.visit,
            redirecting: request.redirect,
            cookies: known == nil ? [try cookies.setVisit(browser)] : []
        )
    }

    /// Ends the session before anything is answered (§3). Its grants are dead from then on.
    private func end(_ sessionID: String?, _ visit: RealmVisit) async throws -> Bool {
        guard let sessionID else { return false }
        let change = try await flow.sessions.end(
            id: sessionID,
            realmID: visit.realm.realm.id,
            at: visit.now
        )
        if change == .changed {
            events.signedOut(sessionID, visit)
            sessionEnded()
        }
        return change == .changed
    }

    private func done(
        _ request: SignOutRequest,
        _ outcome: SignedOutPage.Outcome,
        _ visit: RealmVisit
    ) -> Response {
        let page = SignedOutPage(
            outcome: outcome,
            client: request.client?.name,
            wayBack: request.location.flatMap { PageLink(redirect: $0) }
        )
        return flow.page(page, visit.visit, cookies: forgetting(visit))
    }

    private func forgetting(_ visit: RealmVisit) -> [HTTPField] {
        [flow.cookies(of: visit).removeSession]
    }
}

/// `POST …/logout` with a refresh token, as Keycloak's older adapters and apps send it: ends the
/// session that the token hangs on, and what was to outlive it, and answers 204.
struct LegacySignOut: Sendable {
    let door: ClientDoor
    let grants: any GrantStore
    let sessions: any BrowserSessionStore
    let refreshTokens: TokenRevocation
    let headers: SecurityHeaders
    let sessionEnded: @Sendable () -> Void

    func callAsFunction(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        try await door(visit, form: form) { client, form in
            let token = try form.required("refresh_token")
            guard
                let grant = try await refreshTokens.grant(
                    ofRefreshToken: token,
                    client,
                    visit.realm,
                    visit.moment
                )
            else {
                throw OAuthError(.invalidGrant, "The refresh token is unknown.")
            }
            // Before anything ends: an assertion is good once (RFC 7523 §3).
            if grant.isOffline {
                try await revoke(grant, of: client, visit)
            } else {
                try await door.spend(client, visit)
            }
            if let sessionID = grant.sessionID {
                let change = try await sessions.end(
                    id: sessionID,
                    realmID: visit.realm.realm.id,
                    at: visit.now
                )
                if change == .changed {
                    door.events.signedOut(sessionID, visit)
                    sessionEnded()
                }
            }
            return Response(empty: .noContent, headers: headers)
        }
    }

    private func revoke(_ grant: Grant, of client: AuthenticatedClient, _ visit: RealmVisit)
        async throws
    {
        let assertion = client.assertion.take()
        switch try await grants.revoke(id: grant.id, spending: assertion, at: visit.now) {
        case .revoked: door.events.revoked(grant.id, client.client, visit)
        case .notFound: break
        case .assertionSpent: throw ClientAuthentication.refusal
        }
    }
}
