import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// What the endpoints of the authorization pages share: the browser's session, the flow in the
/// form, the next step rendered.
struct BrowserFlow: Sendable {
    let requests: AuthorizationRequests
    let steps: AuthorizationSteps
    let sessions: any BrowserSessionStore
    let activity: SessionActivity<String>
    let ring: KeyRing
    let cookies: CookiePolicy
    let tokens: FormToken
    let page: PageExit
    /// Whether what is put into the outbox leaves it.
    let sendsMail: Bool

    func cookies(of visit: RealmVisit) -> BrowserCookies {
        BrowserCookies(cookies, realmID: visit.realm.realm.id)
    }

    /// The live session of the browser, noted as used.
    func session(_ visit: RealmVisit) async throws -> LiveBrowserSession? {
        guard let live = try await session(visit, idle: visit.realm.sessionIdle) else { return nil }
        activity.note(
            live.session.id,
            lastSeenAt: live.session.lastSeenAt,
            at: visit.now
        )
        return live
    }

    /// The session of the browser that nothing has ended, however long nobody has used it: it opens
    /// nothing, and can be signed out of.
    func sessionEvenIdle(_ visit: RealmVisit) async throws -> LiveBrowserSession? {
        try await session(visit, idle: .max)
    }

    private func session(_ visit: RealmVisit, idle: Int64) async throws -> LiveBrowserSession? {
        guard let hash = cookies(of: visit).sessionHash(visit.request.headers) else { return nil }
        let live = try await sessions.live(
            cookie: hash,
            realmID: visit.realm.realm.id,
            at: visit.now,
            idle: idle
        )
        guard let live, live.session.authenticatedAt >= visit.realm.realm.notBefore else {
            return nil
        }
        return live
    }

    /// The flow of a form that came back, or of an address that we sent the browser to.
    ///
    /// - Throws: ``FlowLoss`` where it is not this browser's, or too old.
    func flow(_ sealed: String?, _ visit: RealmVisit) throws -> AuthorizationFlow {
        let seal = AuthorizationFlowSeal(ring: ring, realmID: visit.realm.realm.id)
        guard let sealed, let flow = seal.open(sealed, at: visit.moment) else {
            throw FlowLoss(.unmatched, restart: nil)
        }
        let restart = restart(flow, sealed, visit)
        guard let cookie = cookies(of: visit).visit(visit.request.headers) else {
            throw FlowLoss(.noCookie, restart: restart)
        }
        guard Hash256(of: cookie) == flow.browser else {
            throw FlowLoss(.unmatched, restart: restart)
        }
        guard !flow.isStale(at: visit.now) else {
            throw FlowLoss(.tookTooLong, restart: restart)
        }
        guard !requests.spent.isSpent(flow.requestID, at: visit.now) else {
            throw FlowLoss(.answered, restart: restart)
        }
        return flow
    }

    /// Where the same request begins anew; nowhere for a pushed one that has had its code.
    private func restart(_ flow: AuthorizationFlow, _ sealed: String, _ visit: RealmVisit)
        -> PageLink?
    {
        guard !flow.isPushed || !requests.spent.isSpent(flow.requestID, at: visit.now) else {
            return nil
        }
        return PageLink(path: RealmURLs.restart(sealed, realmName: visit.realm.realm.name))
    }

    /// Whether a page of another site sent this form, so that what the browser has of us is not with it.
    func isForeignPost(_ visit: RealmVisit) -> Bool {
        visit.request.method == .post
            && FetchSite.isForeignPost(visit.request.headers, to: visit.realm.realm.issuer)
    }

    /// To another page of ours.
    func redirect(to path: String, cookies: [HTTPField] = []) throws -> Response {
        guard let redirect = Redirect(to: path) else { throw NotOffered() }
        return Response(redirect, headers: page.headers, cookies: cookies)
    }

    /// - Throws: ``ForgedForm`` where the form did not come from a page of ours in this browser
    ///   (RFC 6749 §10.12).
    func checkForm(
        _ form: StaticString,
        _ token: String?,
        transaction: String,
        _ visit: RealmVisit
    ) throws(ForgedForm) {
        guard FetchSite.permitsPost(visit.request.headers),
            tokens.isValid(
                token,
                form: form,
                transaction: transaction,
                cookie: cookies(of: visit).visit(visit.request.headers)
            )
        else { throw ForgedForm() }
    }

    /// Goes on with a flow, and renders what comes of it.
    ///
    /// - Parameters:
    ///   - browser: The value of the visit cookie that the next page's form is bound to.
    ///   - cookies: Set with the answer, or the next page.
    /// - Throws: ``FlowLoss`` where the request had its code before, and what the steps throw.
    func next(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        session: LiveBrowserSession?,
        hasConsented: Bool = false,
        browser: String,
        cookies: [HTTPField] = [],
        _ visit: RealmVisit
    ) async throws -> Response {
        let outcome: AuthorizationSteps.Outcome
        do {
            outcome = try await steps.next(
                proven,
                flow,
                session: session,
                hasConsented: hasConsented,
                mustConfirmEmail: session.map { mustConfirmEmail($0.person, visit) } ?? false,
                at: visit.moment
            )
        } catch is RequestAnswered {
            let seal = AuthorizationFlowSeal(ring: ring, realmID: visit.realm.realm.id)
            let sealed = try seal.seal(flow, at: visit.moment)
            throw FlowLoss(.answered, restart: restart(flow, sealed, visit))
        }
        switch outcome {
        case .respond(let target, let parameters):
            return page.respond(target, parameters, visit.visit, cookies: cookies)
        case .show(let step):
            do {
                return try show(step, proven, flow, session, browser, cookies, visit)
            } catch let error as OAuthError {
                // No page could carry the request; client and redirect URI are proven.
                throw AuthorizationRefusal.redirect(error, proven.target)
            }
        }
    }
}

extension BrowserFlow {
    /// Whether the realm wants that this person confirms their address first. Who has none goes on.
    func mustConfirmEmail(_ person: Person, _ visit: RealmVisit) -> Bool {
        visit.realm.realm.confirmsEmail && person.email != nil && !person.isEmailVerified
    }

    /// Nobody goes on unconfirmed because this server sends no mail: the operator is to mend that.
    func expectMail(for proven: ProvenRequest) throws(AuthorizationRefusal) {
        guard sendsMail else {
            throw .redirect(
                OAuthError(.serverError, "The address must be confirmed; no mail can be sent."),
                proven.target
            )
        }
    }
}

extension AuthorizationFlow {
    /// What its forms' tokens are bound to.
    var id: String { requestID.text }
}
