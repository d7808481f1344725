import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoStores
import PorticoWeb

/// The shared parts of the authorization pages' endpoints: the browser's session, the flow in the
/// form, the page of the next step.
struct BrowserFlow: Sendable {
    let requests: AuthorizationRequests
    let steps: AuthorizationSteps
    let sessions: BrowserSessionStore
    let loginTokens: LoginTokens
    let activity: SessionActivity<String>
    let ring: KeyRing
    let cookies: CookiePolicy
    let forms: GuardedForms
    let page: PageResponder
    /// Whether mail in the outbox is sent.
    let sendsMail: Bool

    func cookies(of context: RealmContext) -> BrowserCookies {
        BrowserCookies(cookies, realmID: context.realm.id)
    }

    /// The cookie that the forms of this realm's pages are bound to.
    func formCookie(_ context: RealmContext) -> FormCookie {
        FormCookie(cookies, of: BrowserCookies.owner(context.realm.id))
    }

    func browser(_ context: RealmContext) throws -> FormBrowser {
        try formCookie(context).browser(context)
    }

    /// The live session of the browser, recorded as used.
    func session(_ context: RealmContext) async throws -> LiveBrowserSession? {
        guard let live = try await session(context, idle: context.realm.sessionIdle) else {
            return nil
        }
        activity.note(
            live.session.id,
            lastSeenAt: live.session.lastSeenAt,
            at: context.now
        )
        return live
    }

    /// The session that a flow is for: the one that an app handed on, or the browser's.
    func session(of flow: AuthorizationFlow, _ context: RealmContext) async throws
        -> LiveBrowserSession?
    {
        guard let handedOn = flow.handedOn else { return try await session(context) }
        return try await loginTokens.session(
            handedOn.sessionID,
            in: context.realm,
            at: context.moment
        )
    }

    /// The browser's session if it has not ended, even if it has been idle too long: it gives no
    /// access, and can be signed out of.
    func sessionEvenIdle(_ context: RealmContext) async throws -> LiveBrowserSession? {
        try await session(context, idle: .max)
    }

    /// Whether another person is signed in in this browser. Their session is not used by that, and
    /// nothing is noted.
    func isAnother(than person: Person, _ context: RealmContext) async throws -> Bool {
        let own = try await session(context, idle: context.realm.sessionIdle)
        return own.map { !sameBytes($0.person.id, person.id) } ?? false
    }

    /// `sid` of the browser's live session. That someone asks for it is no use of it.
    func sessionID(_ context: RealmContext) async throws -> String? {
        try await session(context, idle: context.realm.sessionIdle)?.session.id
    }

    private func session(_ context: RealmContext, idle: Int64) async throws -> LiveBrowserSession? {
        guard let hash = cookies(of: context).sessionHash(context.headers) else { return nil }
        let live = try await sessions.live(
            cookie: hash,
            realmID: context.realm.id,
            at: context.now,
            idle: idle
        )
        guard let live, live.session.authenticatedAt >= context.realm.notBefore else {
            return nil
        }
        return live
    }

    /// The flow of a submitted form, or of an address that we sent the browser to.
    ///
    /// - Throws: ``LostRequest`` if it is not from this browser, or too old.
    func flow(_ sealed: String?, _ context: RealmContext) throws -> AuthorizationFlow {
        let seal = AuthorizationFlowSeal(ring: ring, realmID: context.realm.id)
        guard let sealed, let flow = seal.open(sealed, at: context.moment) else {
            throw LostRequest(.unmatched, restart: nil)
        }
        let restart = restart(flow, sealed, context)
        guard let cookie = formCookie(context).value(context.headers) else {
            throw LostRequest(.noCookie, restart: restart)
        }
        guard Hash256(of: cookie) == flow.browser else {
            throw LostRequest(.unmatched, restart: restart)
        }
        guard !flow.isStale(at: context.now) else {
            throw LostRequest(.tookTooLong, restart: restart)
        }
        guard !requests.spent.isSpent(flow.requestID, at: context.now) else {
            throw LostRequest(.answered, restart: restart)
        }
        return flow
    }

    /// The address that restarts the request; `nil` for a pushed one that already had its code.
    private func restart(_ flow: AuthorizationFlow, _ sealed: String, _ context: RealmContext)
        -> PageLink?
    {
        guard !flow.isPushed || !requests.spent.isSpent(flow.requestID, at: context.now) else {
            return nil
        }
        return PageLink(path: RealmURLs.restart(sealed, realmName: context.realm.name))
    }

    /// Whether a foreign page submitted this form, so that our cookies are missing.
    func isForeignPost(_ context: RealmContext) -> Bool {
        context.method == .post
            && FetchSite.isForeignPost(context.headers, to: context.realm.issuer)
    }

    /// Redirects to another of our pages.
    func redirect(to path: String, cookies: [HTTPField] = []) throws -> Response {
        guard let redirect = Redirect(to: path) else { throw NotOffered() }
        return Response(redirect, headers: page.headers, cookies: cookies)
    }

    /// - Throws: ``ForgedForm`` if the form did not come from one of our pages in this browser (RFC
    ///   6749 §10.12).
    func checkForm(
        _ purpose: StaticString,
        _ form: FormParameters,
        transaction: String,
        _ context: RealmContext
    ) throws(ForgedForm) {
        let cookie = formCookie(context).value(context.headers)
        try forms.check(form, purpose, transaction, cookie: cookie, context)
    }

    /// Continues a flow, and renders the result.
    ///
    /// - Parameters:
    ///   - browser: The value of the form cookie that the next page's form is bound to.
    ///   - cookies: Set with the answer, or the next page.
    /// - Throws: ``LostRequest`` if the request already had its code, and errors of the steps.
    func next(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        session: LiveBrowserSession?,
        hasConsented: Bool = false,
        browser: String,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) async throws -> Response {
        let outcome: AuthorizationSteps.Outcome
        do {
            outcome = try await steps.next(
                proven,
                flow,
                session: session,
                hasConsented: hasConsented,
                mustConfirmEmail: session.map { context.realm.mustConfirmEmail($0.person) }
                    ?? false,
                at: context.moment
            )
        } catch is RequestAnswered {
            let seal = AuthorizationFlowSeal(ring: ring, realmID: context.realm.id)
            let sealed = try seal.seal(flow, at: context.moment)
            throw LostRequest(.answered, restart: restart(flow, sealed, context))
        }
        switch outcome {
        case .respond(let target, let parameters):
            return page.respond(target, parameters, context, cookies: cookies)
        case .show(let step):
            do {
                return try show(step, proven, flow, session, browser, cookies, context)
            } catch let error as OAuthError {
                // No page could carry the request; client and redirect URI are proven.
                throw AuthorizationRefusal.redirect(error, proven.target)
            }
        }
    }
}

extension BrowserFlow {
    /// The response to a request that needs no page; `nil` if it needs one, or had its code.
    func response(
        to proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ context: RealmContext
    ) async throws -> Response? {
        do {
            let outcome = try await steps.next(
                proven,
                flow,
                session: session,
                mustConfirmEmail: context.realm.mustConfirmEmail(session.person),
                at: context.moment
            )
            guard case .respond(let target, let parameters) = outcome else { return nil }
            return page.respond(target, parameters, context)
        } catch is RequestAnswered {
            return nil
        }
    }

    /// Confirmation is not skipped because this server sends no mail: the operator must correct
    /// that.
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
    /// The value that the tokens of its forms are bound to.
    var id: String { requestID.text }
}
