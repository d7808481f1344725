import HTTPTypes
import Hummingbird
import PorticoBytes
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
    let activity: SessionActivity
    let ring: KeyRing
    let cookies: CookiePolicy
    let tokens: FormToken
    let page: PageExit

    // MARK: The browser

    func cookies(of visit: RealmVisit) -> BrowserCookies {
        BrowserCookies(cookies, realmID: visit.realm.realm.id)
    }

    /// The live session of the browser, noted as used.
    func session(_ visit: RealmVisit) async throws -> LiveBrowserSession? {
        guard let hash = cookies(of: visit).sessionHash(visit.request.headers) else { return nil }
        let live = try await sessions.live(
            cookie: hash,
            realmID: visit.realm.realm.id,
            at: visit.now,
            idle: visit.realm.realm.lifetimes.sessionIdle + SessionActivity.precision
        )
        guard let live, live.session.authenticatedAt >= visit.realm.realm.notBefore else {
            return nil
        }
        activity.note(live.session, at: visit.now)
        return live
    }

    // MARK: The flow

    /// The flow of a form that came back, or of an address that we sent the browser to.
    ///
    /// - Throws: ``FlowLoss`` where it is not this browser's, or too old.
    func flow(_ sealed: String?, _ visit: RealmVisit) throws -> AuthorizationFlow {
        let seal = AuthorizationFlowSeal(ring: ring, realmID: visit.realm.realm.id)
        guard let sealed, let flow = seal.open(sealed, at: visit.moment) else {
            throw FlowLoss(.unmatched, restart: nil)
        }
        let restart = PageLink(
            path: RealmURLs.path(realmName: visit.realm.realm.name, .restart)
                + "?request=" + sealed
        )
        guard let cookie = cookies(of: visit).visit(visit.request.headers) else {
            throw FlowLoss(.noCookie, restart: restart)
        }
        guard Hash256(of: cookie) == flow.browser else {
            throw FlowLoss(.unmatched, restart: restart)
        }
        guard !flow.isStale(at: visit.now) else {
            throw FlowLoss(.tookTooLong, restart: restart)
        }
        return flow
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

    // MARK: The next step

    /// Goes on with a flow, and renders what comes of it.
    ///
    /// - Parameters:
    ///   - browser: The value of the visit cookie that the next page's form is bound to.
    ///   - cookies: Set with whatever is answered.
    func next(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        session: LiveBrowserSession?,
        hasConsented: Bool = false,
        browser: String,
        cookies: [HTTPField] = [],
        _ visit: RealmVisit
    ) async throws -> Response {
        let outcome = try await steps.next(
            proven,
            flow,
            session: session,
            hasConsented: hasConsented,
            at: visit.moment
        )
        switch outcome {
        case .respond(let target, let parameters):
            return page.respond(target, parameters, visit.visit, cookies: cookies)
        case .show(let step):
            return try show(step, proven, flow, session, browser, cookies, visit)
        }
    }

    private func show(
        _ step: Interaction,
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession?,
        _ browser: String,
        _ cookies: [HTTPField],
        _ visit: RealmVisit
    ) throws -> Response {
        switch (step, session) {
        case (.consent, let session?):
            return try consentPage(proven, flow, session, browser, cookies, visit)
        case (.selectAccount, let session?):
            return try accountPage(proven, flow, session, browser, cookies, visit)
        case (.signIn(.again), let session?):
            return try signInPage(
                proven,
                flow,
                userName: session.person.email ?? session.person.username,
                again: true,
                browser: browser,
                cookies: cookies,
                visit
            )
        default:
            return try signInPage(
                proven,
                flow,
                userName: proven.suggestedUserName,
                browser: browser,
                cookies: cookies,
                visit
            )
        }
    }

    func signInPage(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        userName: String,
        again: Bool = false,
        problem: SignInPage.Problem? = nil,
        browser: String,
        cookies: [HTTPField] = [],
        _ visit: RealmVisit
    ) throws -> Response {
        let form = try self.form(.authenticate, "sign-in", flow.id, flow, browser, visit)
        return page(
            SignInPage(
                client: proven.client.name,
                form: form,
                userName: userName,
                again: again,
                problem: problem
            ),
            visit.visit,
            status: problem?.status ?? .ok,
            redirecting: proven.target.redirect.uri,
            cookies: cookies,
            retryAfter: problem?.retryAfter
        )
    }

    private func consentPage(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ browser: String,
        _ cookies: [HTTPField],
        _ visit: RealmVisit
    ) throws -> Response {
        // Bound to the session too: what one person read, no other one allows.
        let transaction = flow.id + session.session.id
        let form = try self.form(.consent, "consent", transaction, flow, browser, visit)
        let consent = ConsentPage(
            client: proven.client.name,
            origin: proven.origin,
            account: PageAccount(session.person),
            scopes: proven.scope.tokens,
            form: form
        )
        return page(
            consent,
            visit.visit,
            redirecting: proven.target.redirect.uri,
            cookies: cookies
        )
    }

    private func accountPage(
        _ proven: ProvenRequest,
        _ flow: AuthorizationFlow,
        _ session: LiveBrowserSession,
        _ browser: String,
        _ cookies: [HTTPField],
        _ visit: RealmVisit
    ) throws -> Response {
        let form = try self.form(.selectAccount, "select account", flow.id, flow, browser, visit)
        let account = AccountPage(
            client: proven.client.name,
            account: PageAccount(session.person),
            reason: .choose,
            form: form
        )
        return page(
            account,
            visit.visit,
            redirecting: proven.target.redirect.uri,
            cookies: cookies
        )
    }

    private func form(
        _ route: ProviderRoute,
        _ purpose: StaticString,
        _ transaction: String,
        _ flow: AuthorizationFlow,
        _ browser: String,
        _ visit: RealmVisit
    ) throws -> PageForm {
        let seal = AuthorizationFlowSeal(ring: ring, realmID: visit.realm.realm.id)
        return PageForm(
            action: RealmURLs.path(realmName: visit.realm.realm.name, route),
            request: try seal.seal(flow, at: visit.moment),
            csrf: tokens.token(form: purpose, transaction: transaction, cookie: browser)
        )
    }
}

extension AuthorizationFlow {
    /// What its forms' tokens are bound to.
    var id: String { requestID.text }
}

extension ProvenRequest {
    /// `login_hint` fills the field and proves nothing (OpenID Connect Core §3.1.2.1).
    var suggestedUserName: String {
        String((request.loginHint ?? "").prefix(255))
    }

    /// What the consent page says about who asks.
    fileprivate var origin: ConsentPage.Origin {
        guard client.requiresConsent else { return .registered }
        guard let origin = target.redirect.uri.httpsOrigin else { return .appOnThisDevice }
        return .site(host: String(origin.dropFirst("https://".count)))
    }
}

extension PageAccount {
    init(_ person: Person) {
        let userName = person.email ?? person.username
        self.init(
            name: person.displayName == person.username ? nil : person.displayName,
            userName: userName
        )
    }
}

extension SignInPage.Problem {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .wrongPair, .missing: .ok
        case .mustWait: .tooManyRequests
        case .busy: .serviceUnavailable
        }
    }

    fileprivate var retryAfter: Double? {
        switch self {
        case .wrongPair, .missing: nil
        case .mustWait(let seconds): Double(seconds)
        case .busy: 2
        }
    }
}

/// A form or address came back without the flow it belongs to.
struct FlowLoss: Error {
    enum Reason: Sendable {
        /// The browser keeps no cookies.
        case noCookie
        /// Another browser's, or nobody's.
        case unmatched
        case tookTooLong
    }

    let reason: Reason
    /// Starts the same request again, where it can be read.
    let restart: PageLink?

    init(_ reason: Reason, restart: PageLink?) {
        self.reason = reason
        self.restart = restart
    }
}

/// A form post that no page of ours in this browser sent.
struct ForgedForm: Error {}
