import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `GET` and `POST …/logout` (OpenID Connect RP-Initiated Logout §2; docs/decisions/0018).
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
        if flow.isForeignPost(visit) { return try comeBack(form, visit) }
        return try await signOut(try carried(by: form, visit), visit)
    }

    private func signOut(_ form: FormParameters, _ visit: RealmVisit) async throws -> Response {
        var visit = visit
        visit.visit = visit.visit.speaking(form)
        let live = try await flow.session(visit)
        var mine = live
        if mine == nil { mine = try await flow.sessionEvenIdle(visit) }
        let request: SignOutRequest
        do {
            request = try SignOutRequest(form, of: visit.realm, at: visit.moment)
        } catch {
            guard let mine else { throw error }
            return try stillSignedIn(mine, live.map { PageAccount($0.person) }, error, visit)
        }
        if let session = mine {
            // §2, §6: no hint, or one of another session than this browser's.
            guard let hint = request.hint, hint.sessionID == session.session.id else {
                let account = live.map { PageAccount($0.person) }
                return try ask(form, request, .here(session.session.id, account), visit)
            }
            return leave(request, try await end(hint.sessionID, visit), visit)
        }
        guard let hint = request.hint else { return done(request, .nobodyWas, visit) }
        // The hint is no proof that the person is here (§2), but where the realm's apps rely on it.
        if visit.realm.realm.signsOutByHintAlone {
            return leave(request, try await end(hint.sessionID, visit), visit)
        }
        guard let elsewhere = try await session(of: hint, visit) else {
            return leave(request, .nobodyWas, visit)
        }
        return try ask(form, request, .elsewhere(elsewhere), visit)
    }

    /// The request was refused; the person, who wanted to sign out, may do so here, and goes nowhere
    /// afterwards.
    private func stillSignedIn(
        _ session: LiveBrowserSession,
        _ account: PageAccount?,
        _ refusal: SignOutRefusal,
        _ visit: RealmVisit
    ) throws -> Response {
        let nothing = FormParameters()
        let request = try SignOutRequest(nothing, of: visit.realm, at: visit.moment)
        var response = try ask(
            nothing,
            request,
            .here(session.session.id, account),
            trouble: .init(
                refusal.issue,
                .init(refusal.error, clientID: refusal.clientID, at: visit.moment)
            ),
            visit
        )
        response.status = .badRequest
        return response
    }

    /// Which session a page asks about.
    private enum Asked {
        /// This browser's, and whose it is, where they have used it lately.
        case here(String, PageAccount?)
        /// One that this browser has no cookie of: it is told nothing of it.
        case elsewhere(String)

        var sessionID: String {
            switch self {
            case .here(let id, _), .elsewhere(let id): id
            }
        }

        var account: PageAccount? {
            if case .here(_, let account) = self { account } else { nil }
        }

        var isElsewhere: Bool {
            if case .elsewhere = self { true } else { false }
        }
    }

    /// The session that a hint names, where nothing has ended it.
    private func session(of hint: IDTokenHint, _ visit: RealmVisit) async throws -> String? {
        guard let id = hint.sessionID else { return nil }
        let live = try await flow.sessions.live(
            id: id,
            realmID: visit.realm.realm.id,
            at: visit.now,
            idle: .max
        )
        return live?.session.id
    }

    /// After a hint: back to the client, where it has said where to.
    private func leave(
        _ request: SignOutRequest,
        _ outcome: SignedOutPage.Outcome,
        _ visit: RealmVisit
    ) -> Response {
        guard let location = request.location, let redirect = Redirect(to: location) else {
            return done(request, outcome, visit)
        }
        return Response(redirect, headers: flow.page.headers, cookies: forgetting(visit))
    }

    /// A page of the client posts the request (§2), and the browser keeps its cookies back: it is sent to
    /// get the same request from here, sealed, so that the hint stays out of logs.
    private func comeBack(_ form: FormParameters, _ visit: RealmVisit) throws -> Response {
        let seal = SignOutSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        let sealed = seal.seal(form, sessionID: nil, at: visit.moment)
        guard sealed.utf8.count <= AuthorizationFlowSeal.maximumLength else {
            throw OAuthError(.invalidRequest, "The request is too long.")
        }
        let path = RealmURLs.path(realmName: visit.realm.realm.name, .endSession)
        return try flow.redirect(to: path + "?request=" + sealed)
    }

    /// The request that ``comeBack(_:_:)`` has sealed, or the one in the form itself.
    private func carried(by form: FormParameters, _ visit: RealmVisit) throws -> FormParameters {
        let seal = SignOutSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard case (let parameters, nil)? = seal.open(form["request"], at: visit.moment) else {
            return form
        }
        return parameters
    }

    /// `POST …/logout/logout-confirm`: the person's answer.
    func confirm(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        let seal = SignOutSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        guard let (parameters, asked) = seal.open(form["request"], at: visit.moment),
            let sessionID = asked
        else { throw FlowLoss(.unmatched, restart: nil) }
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
        return leave(request, .signedOut, visit)
    }

    /// Nothing ends before the answer (§2).
    private func ask(
        _ form: FormParameters,
        _ request: SignOutRequest,
        _ asked: Asked,
        trouble: SignOutPage.Trouble? = nil,
        _ visit: RealmVisit
    ) throws -> Response {
        let browser = VisitCookie(visit, flow)
        let seal = SignOutSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        let page = SignOutPage(
            client: request.client?.name,
            account: asked.account,
            isElsewhere: asked.isElsewhere,
            trouble: trouble,
            form: PageForm(
                action: RealmURLs.path(realmName: visit.realm.realm.name, .confirmSignOut),
                request: seal.seal(form, sessionID: asked.sessionID, at: visit.moment),
                csrf: flow.tokens.token(
                    form: "sign out",
                    transaction: asked.sessionID,
                    cookie: browser.value
                )
            )
        )
        return flow.page(
            page,
            visit.visit,
            redirecting: request.redirect,
            cookies: try browser.setting()
        )
    }

    /// Ends the session before anything is answered (§3). Its grants are dead from then on.
    private func end(_ sessionID: String?, _ visit: RealmVisit) async throws
        -> SignedOutPage.Outcome
    {
        guard let sessionID else { return .nobodyWas }
        let change = try await flow.sessions.end(
            id: sessionID,
            realmID: visit.realm.realm.id,
            at: visit.now
        )
        guard change == .changed else { return .nobodyWas }
        events.signedOut(sessionID, visit)
        sessionEnded()
        return .signedOut
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

extension SignOutRefusal {
    var issue: ErrorPage.Issue {
        switch reason {
        case .request: .requestNotUnderstood
        case .client: .unknownClient
        case .returnAddress: .unknownRedirect
        }
    }
}
