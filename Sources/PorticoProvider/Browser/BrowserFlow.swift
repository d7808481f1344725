import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// The shared parts of the authorization pages' endpoints: the browser's session, the flow in the
/// form, the page of the next step.
struct BrowserFlow: Sendable {
    let requests: AuthorizationRequests
    let steps: AuthorizationSteps
    let sessions: SessionStore
    let loginTokens: LoginTokens
    let activity: SessionActivity
    let ring: KeyRing
    let cookies: CookiePolicy
    let forms: GuardedForms
    let page: PageResponder
    /// Whether mail in the outbox is sent.
    let sendsMail: Bool
    let elsewhere: SignInElsewhere
    let sent = SentForms<FormDeed> { $0.size }

    func cookies(of context: RealmContext) -> BrowserCookies {
        BrowserCookies(
            cookies,
            realmID: context.realm.id,
            sharesSession: elsewhere.isShared(context.realm.id)
        )
    }

    /// The cookie that the forms of this realm's pages are bound to.
    func formCookie(_ context: RealmContext) -> FormCookie {
        FormCookie(cookies, of: CookieName.owner(context.realm.id))
    }

    func browser(_ context: RealmContext) throws -> FormBrowser {
        try formCookie(context).browser(context)
    }

    /// The live session of the browser, recorded as used.
    func session(_ context: RealmContext) async throws -> LiveSession? {
        guard let live = try await session(context, idle: context.realm.sessionIdle) else {
            return nil
        }
        activity.note(live.session.id, lastSeenAt: live.session.lastSeenAt, at: context.now)
        return live
    }

    /// The session that a flow is for: the one that an app handed on, or the browser's.
    func session(of flow: AuthorizationFlow, _ context: RealmContext) async throws
        -> LiveSession?
    {
        // No one has agreed to the browser's account.
        guard !flow.wasHandedOn else { return nil }
        guard let handedOn = flow.handedOn else { return try await session(context) }
        guard let clientID = try FormParameters(decoding: flow.parameters)["client_id"] else {
            return nil
        }
        return try await loginTokens.session(
            handedOn,
            to: clientID,
            in: context.realm,
            at: context.moment
        )
    }

    /// The browser's session if it can be signed out of: even if it has been idle too long, or has
    /// expired and an app lives on in it. It gives no access.
    func openSession(_ context: RealmContext) async throws -> LiveSession? {
        guard let hash = cookies(of: context).sessionHash(context.headers) else { return nil }
        let open = try await sessions.open(cookie: hash, realmID: context.realm.id, at: context.now)
        return open.flatMap {
            $0.session.authenticatedAt >= context.realm.notBefore ? $0 : nil
        }
    }

    /// Whether it is this person who is signed in in this browser; `nil` if no one is. The session is
    /// not used by that, and nothing is noted.
    func isSignedIn(_ person: Person, _ context: RealmContext) async throws -> Bool? {
        let own = try await session(context, idle: context.realm.sessionIdle)
        return own.map { sameBytes($0.person.id, person.id) }
    }

    /// `sid` of the browser's live session. That someone asks for it is no use of it.
    func sessionID(_ context: RealmContext) async throws -> String? {
        try await session(context, idle: context.realm.sessionIdle)?.session.id
    }

    /// The browser's session where only a provider has proven its person, who has a second step here.
    func firstStep(_ context: RealmContext) async throws -> LiveSession? {
        guard let hash = cookies(of: context).sessionHash(context.headers) else { return nil }
        let live = try await sessions.liveByFirstStep(
            cookie: hash,
            realmID: context.realm.id,
            at: context.now,
            idle: context.realm.sessionIdle
        )
        return permitted(live, context)
    }

    /// Where a person whom a provider has signed in proves who they are; `nil` where they have lately, or
    /// where a password did it.
    func proof(of live: LiveSession, returningTo path: String, _ context: RealmContext) -> String? {
        guard live.session.identity != nil, !live.session.isProven(live.person, at: context.now)
        else { return nil }
        return SignInElsewhere.proof(
            returningTo: self.path(path, context),
            below: elsewhere.base(context.realm.id, context.realm.name)
        )
    }

    /// A path of this realm, as it is told where people sign in elsewhere: below what those addresses begin
    /// with.
    func path(_ path: String, _ context: RealmContext) -> String {
        let base = elsewhere.base(context.realm.id, context.realm.name)
        return path.dropping(base).map(String.init) ?? path
    }

    /// A page of the web app that shares the browser's session with the realm; `nil` where none does.
    func webPage(_ path: String?, _ context: RealmContext) -> LocalPath? {
        path.flatMap { elsewhere.isShared(context.realm.id) ? LocalPath.asked($0) : nil }
    }

    /// Whether people of the realm can sign in with identity providers.
    func hasMethods(_ context: RealmContext) -> Bool {
        !elsewhere.methods(context.realm.id, context.realm.name, context.headers).isEmpty
    }

    /// The links between the pages of the account.
    func navigation(_ context: RealmContext) -> PageNavigation {
        let base = "/realms/\(context.realm.name)"
        return elsewhere.isShared(context.realm.id)
            ? .shared(withRealmAt: base, hasPassword: context.realm.realm.signsInWithPassword)
            : .ofRealm(
                base,
                hasMethods: hasMethods(context),
                hasPassword: context.realm.realm.signsInWithPassword
            )
    }

    private func session(_ context: RealmContext, idle: Int64) async throws -> LiveSession? {
        guard let hash = cookies(of: context).sessionHash(context.headers) else { return nil }
        let live = try await sessions.live(
            cookie: hash,
            realmID: context.realm.id,
            at: context.now,
            idle: idle
        )
        return permitted(live, context)
    }

    private func permitted(_ live: LiveSession?, _ context: RealmContext) -> LiveSession? {
        live.flatMap { $0.session.authenticatedAt >= context.realm.notBefore ? $0 : nil }
    }

    /// The flow of a submitted form. One that is late, or from before the browser's last sign-in, begins
    /// again here, with what the form says (docs/decisions/0104).
    ///
    /// - Throws: ``LostRequest`` if it is not from this browser, or cannot be read.
    func flow(_ sealed: String?, _ context: RealmContext) async throws -> AuthorizationFlow {
        let seal = AuthorizationFlowSeal(ring: ring, realmID: context.realm.id)
        guard let sealed, let flow = seal.open(sealed, at: context.moment) else {
            throw LostRequest(.unmatched, restart: nil)
        }
        let restart = restart(flow, sealed, context)
        guard let current = formCookie(context).value(context.headers) else {
            // A browser that was closed meanwhile has lost its cookie, too.
            throw LostRequest(
                flow.isStale(at: context.now) ? .tookTooLong : .noCookie,
                restart: restart
            )
        }
        guard try await isOfThisBrowser(flow.browser, context) else {
            throw LostRequest(.unmatched, restart: restart)
        }
        return flow.isStale(at: context.now)
            ? flow.begunAgain(in: current, at: context.now) : flow.moved(to: current)
    }

    /// The request of a form that does not count, from its beginning, in the browser that sent it: as by
    /// the address that restarts it. Only where the browser says that a page of ours sent it: its cookie
    /// is lost, or was replaced by another tab's.
    func begunAgain(_ sealed: String?, in browser: FormBrowser, _ context: RealmContext)
        -> AuthorizationFlow?
    {
        let seal = AuthorizationFlowSeal(ring: ring, realmID: context.realm.id)
        guard FetchSite.saysOurs(context.headers), let sealed,
            let old = seal.open(sealed, at: context.moment)
        else { return nil }
        return old.restarted(in: browser, context)
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

    /// The request of a form of this browser, proven again. A pushed one whose page is sent again is not
    /// refused: that is no second use of its address (RFC 9126 §4, §7.3).
    ///
    /// - Throws: ``AuthorizationRefusal``; ``TooManyRequests``.
    func proven(_ begun: AuthorizationFlow, _ context: RealmContext) async throws -> ProvenRequest {
        try await requests.resume(
            begun,
            in: context.realm,
            from: context.address,
            postedIn: values(context).map { Hash256(of: $0) },
            at: context.moment
        )
    }

    /// Redirects to another of our pages.
    func redirect(to path: String, cookies: [HTTPField] = []) throws -> Response {
        guard let redirect = Redirect(to: path) else { throw NotOffered() }
        return Response(redirect, headers: page.headers, cookies: cookies)
    }

    /// Continues a flow, and renders the result.
    ///
    /// - Parameters:
    ///   - browser: The value of the form cookie that the next page's form is bound to.
    ///   - cookies: Set with the answer, or the next page.
    /// - Throws: Errors of the steps.
    func next(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        session: LiveSession?,
        hasConsented: Bool = false,
        browser: String,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) async throws -> Response {
        let outcome = try await outcome(
            proven,
            flow,
            session: session,
            hasConsented: hasConsented,
            context
        )
        switch outcome {
        case .respond(let target, let parameters):
            return page.respond(target, parameters, context, cookies: cookies)
        case .show(let step):
            do {
                let browser = FormBrowser(value: browser, cookies: cookies)
                return try show(step, PendingPage(proven, flow, in: browser, context), session)
            } catch let error as OAuthError {
                // No page could carry the request; client and redirect URI are proven.
                throw AuthorizationRefusal.redirect(error, proven.target)
            }
        }
    }
}

extension BrowserFlow {
    private func outcome(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        session: LiveSession?,
        hasConsented: Bool = false,
        _ context: RealmContext
    ) async throws -> AuthorizationSteps.Outcome {
        var isTheirBrowser = true
        if flow.handedOn != nil, let session {
            isTheirBrowser = try await isSignedIn(session.person, context) == true
        }
        return try await steps.next(
            proven,
            flow,
            session: session,
            hasConsented: hasConsented,
            isTheirBrowser: isTheirBrowser,
            mustConfirmEmail: session.map { context.realm.mustConfirmEmail($0.person) } ?? false,
            at: context.moment
        )
    }

    /// The response to a request that needs no page; `nil` if it needs one.
    func response(
        to proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveSession,
        _ context: RealmContext
    ) async throws -> Response? {
        let outcome = try await outcome(proven, flow, session: session, context)
        guard case .respond(let target, let parameters) = outcome else { return nil }
        return page.respond(target, parameters, context)
    }

    /// The next step for a person who is signed in in this browser by now; `nil` if the request asks them
    /// to sign in once more.
    func step(
        for live: LiveSession,
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ context: RealmContext
    ) async throws -> Response? {
        let browser = try browser(context)
        switch try await outcome(proven, flow, session: live, context) {
        case .show(.signIn), .show(.register): return nil
        case .respond(let target, let parameters):
            return page.respond(target, parameters, context)
        case .show(let step):
            return try show(step, PendingPage(proven, flow, in: browser, context), live)
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

    /// The same in a browser that has another form cookie by now.
    func moved(to browser: String) -> AuthorizationFlow {
        var flow = self
        flow.browser = Hash256(of: browser)
        return flow
    }

    /// The same from now on, for a page that was open for too long: what was done for it then counts no
    /// more.
    func begunAgain(in browser: String, at now: Int64) -> AuthorizationFlow {
        var flow = moved(to: browser)
        flow.startedAt = now
        flow.authenticatedSession = nil
        flow.hasSelectedAccount = false
        flow.wasHandedOn = handedOn != nil
        flow.handedOn = nil
        return flow
    }

    /// The request from its beginning, in any browser.
    func restarted(in browser: FormBrowser, _ context: RealmContext) -> AuthorizationFlow {
        AuthorizationFlow(
            // A pushed request is answered once, however often it is restarted.
            requestID: isPushed ? requestID : context.moment.id(),
            parameters: parameters,
            browser: Hash256(of: browser.value),
            startedAt: context.now,
            isPushed: isPushed,
            isPosted: isPosted,
            // What was done in another browser may have been done by someone else.
            action: self.browser == Hash256(of: browser.value) ? action : nil
        )
    }
}

/// Whether a submitted form counts.
extension BrowserFlow {
    /// - Throws: ``ForgedForm`` if the form did not come from one of our pages in this browser (RFC
    ///   6749 §10.12), or does it to something else.
    func checkForm(
        _ purpose: StaticString,
        _ form: FormParameters,
        transaction: String,
        _ context: RealmContext
    ) async throws {
        try await checkOrigin(purpose, form, context)
        guard forms.isAbout(transaction, form) else { throw ForgedForm() }
    }

    /// - Throws: ``ForgedForm`` if the form did not come from one of our pages in this browser.
    func checkOrigin(_ purpose: StaticString, _ form: FormParameters, _ context: RealmContext)
        async throws
    {
        let cookies = try await values(context)
        try forms.checkOrigin(form, purpose, cookies: cookies, context)
    }

    /// Whether a form came from one of our pages in this browser. `false` where the browser says that it
    /// came from one, but its cookie is lost, or was replaced by another tab's: it does nothing, and its
    /// page is shown again (docs/decisions/0104).
    ///
    /// - Throws: ``ForgedForm`` if it did not come from one of our pages.
    func counts(_ purpose: StaticString, _ form: FormParameters, _ context: RealmContext)
        async throws -> Bool
    {
        do {
            try await checkOrigin(purpose, form, context)
            return true
        } catch let forged as ForgedForm {
            guard FetchSite.saysOurs(context.headers) else { throw forged }
            return false
        }
    }

    /// The same.
    ///
    /// - Throws: ``ForgedForm`` also if it does it to something else.
    func counts(
        _ purpose: StaticString,
        _ form: FormParameters,
        transaction: String,
        _ context: RealmContext
    ) async throws -> Bool {
        guard try await counts(purpose, form, context) else { return false }
        guard forms.isAbout(transaction, form) else { throw ForgedForm() }
        return true
    }

    /// Whether a form, whose origin was checked, is bound to what the form cookie is now: not to what it
    /// was before the browser's last sign-in (``FormerBrowser``).
    func isCurrent(_ purpose: StaticString, _ form: FormParameters, _ context: RealmContext)
        -> Bool
    {
        let cookies = [formCookie(context).value(context.headers)].compactMap(\.self)
        do {
            try forms.checkOrigin(form, purpose, cookies: cookies, context)
            return true
        } catch {
            return false
        }
    }

    /// Whether the browser that sends a form is known to keep cookies.
    func keepsCookies(_ context: RealmContext) -> Bool {
        let (headers, cookies) = (context.headers, cookies(of: context))
        return formCookie(context).value(headers) != nil
            || FetchSite.saysOurs(headers)
                && (cookies.isKnown(headers) || cookies.reset(headers) != nil)
    }
}

extension ResumableRequest {
    /// The same request with what became of an authenticator app, where it asks for one.
    ///
    /// - Throws: `invalid_request` if it is too long to be carried.
    func marked(_ status: RequestedAction.Status, _ flow: BrowserFlow, _ context: RealmContext)
        throws -> ResumableRequest
    {
        // `try?`: the parameters were read before they were sealed.
        let parameters = try? FormParameters(decoding: self.flow.parameters)
        guard self.flow.action == nil,
            parameters?["kc_action"].map({ sameBytes($0, RequiredAction.configureTOTP) }) == true
        else { return self }
        var marked = self.flow
        marked.action = status
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        return ResumableRequest(sealed: try seal.seal(marked, at: context.moment), flow: marked)
    }
}
