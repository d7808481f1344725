import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// The purpose of a sign-in, and what follows: an app's authorization request, or a page of the
/// person's own account. It does not require a redirect URI, so a device's page or a console could
/// use it too.
protocol SignInPurpose: Sendable {
    /// Who requests the sign-in, as shown on the page.
    var asker: String { get }
    /// The `client_id` for the log; `nil` for the Provider's own pages.
    var clientID: String? { get }
    /// Where the page's form leads.
    var formTarget: FormTarget { get }

    /// What its forms do, a literal.
    var formName: StaticString { get }

    /// What its forms are bound to.
    var transaction: String { get }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) throws
        -> PageForm

    /// The person cancels.
    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response

    /// The authorization request, to be restarted later; `nil` if there is none.
    func sealed(_ flow: BrowserFlow, _ context: RealmContext) throws -> String?

    /// The path, with its query, that a person comes back to who has signed in elsewhere.
    func path(_ flow: BrowserFlow, _ context: RealmContext) throws -> String

    /// Whether a person who signs in elsewhere must prove there who they are, even if the provider knows
    /// them.
    var asksAnew: Bool { get }

    /// Whether an identity waits for it, which stays in the browser.
    var isJoining: Bool { get }

    /// A link back to the requester, for a person who cannot sign in.
    func back() -> PageLink?

    func goOn(_ new: BrowserSignIn.Begun, _ flow: BrowserFlow, _ context: RealmContext)
        async throws -> Response

    /// For a person who is signed in in this browser already; `nil` if they must sign in all the same.
    func goOn(signedIn live: LiveSession, _ flow: BrowserFlow, _ context: RealmContext)
        async throws -> Response?
}

/// An app's authorization request (OpenID Connect Core §3.1.2.3).
struct AppSignIn: SignInPurpose {
    let proven: ProvenRequest
    let begun: AuthorizationFlow

    var asker: String { proven.client.name }
    var clientID: String? { proven.client.clientID }
    var formTarget: FormTarget { .onward }
    var formName: StaticString { "sign-in" }
    var transaction: String { begun.id }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) throws
        -> PageForm
    {
        try flow.form(.authenticate, formName, begun.id, begun, browser.value, context)
    }

    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response {
        throw proven.declined("The person stopped signing in.")
    }

    func sealed(_ flow: BrowserFlow, _ context: RealmContext) throws -> String? {
        try AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
            .seal(begun, at: context.moment)
    }

    func path(_ flow: BrowserFlow, _ context: RealmContext) throws -> String {
        let seal = AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
        return RealmURLs.signedIn(
            try seal.seal(begun, at: context.moment),
            realmName: context.realm.name
        )
    }

    var isJoining: Bool { false }

    var asksAnew: Bool {
        proven.request.prompt.contains(.login) || proven.request.maxAge != nil
    }

    /// The client learns that no one signed in, but not why.
    func back() -> PageLink? {
        let error = OAuthError(.accessDenied, "The person could not sign in.")
        return proven.target.location(proven.target.failure(error)).flatMap {
            PageLink(redirect: $0)
        }
    }

    func goOn(_ new: BrowserSignIn.Begun, _ flow: BrowserFlow, _ context: RealmContext)
        async throws -> Response
    {
        var begun = begun
        begun.browser = Hash256(of: new.browser)
        begun.authenticatedSession = new.live.session.id
        begun.handedOn = nil
        do {
            return try await flow.next(
                proven,
                begun,
                session: new.live,
                browser: new.browser,
                cookies: new.cookies,
                context
            )
        } catch {
            throw ErrorAfterSignIn(error: error, cookies: new.cookies)
        }
    }

    func goOn(signedIn live: LiveSession, _ flow: BrowserFlow, _ context: RealmContext)
        async throws -> Response?
    {
        var begun = begun
        // This page asked for a sign-in, whatever was done before it.
        begun.authenticatedSession = nil
        // They have signed in in this browser: what goes on is its session.
        begun.handedOn = nil
        return try await flow.step(for: live, proven, begun, context)
    }
}

/// A page of a person's own account, or of the web app that shares their browser's session; independent of
/// apps of the realm.
struct AccountSignIn: SignInPurpose {
    let place: AccountPlace
    /// A page of the web app, in place of ``place``.
    let returnTo: LocalPath?
    /// Whether the page asked for a new sign-in, which only this sign-in page knows.
    let isAskedAnew: Bool
    /// A sealed authorization request that the page brings back. It opens as one does in the address of
    /// such a page: it is looked at there.
    let waiting: String?
    let asker: String

    init(
        _ place: AccountPlace,
        waiting: String? = nil,
        returnTo: LocalPath? = nil,
        isAskedAnew: Bool = false,
        _ context: RealmContext
    ) {
        self.place = place
        self.isAskedAnew = isAskedAnew
        self.returnTo = returnTo
        self.waiting = waiting
        asker = context.realm.displayName
    }

    var clientID: String? { nil }
    var formTarget: FormTarget { .ours }
    var formName: StaticString { "account sign-in" }
    var transaction: String { "\(place.rawValue) \(returnTo?.text ?? "")" }

    /// What its forms, and the way back from elsewhere, bring along.
    private var carried: [(name: String, value: String)] {
        [(name: "page", value: place.rawValue)]
            + (waiting.map { [(name: "waiting", value: $0)] } ?? [])
            + (returnTo.map { [(name: "return_to", value: $0.text)] } ?? [])
    }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) -> PageForm {
        flow.forms.form(
            context.path(.accountSignIn),
            formName,
            transaction,
            in: browser,
            fields: carried.map { PageField($0.name, $0.value) }
                + (isAskedAnew ? [PageField("prompt", "login")] : [])
        )
    }

    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response {
        try flow.redirect(to: "/realms/\(context.realm.name)")
    }

    func sealed(_ flow: BrowserFlow, _ context: RealmContext) -> String? { nil }

    func path(_ flow: BrowserFlow, _ context: RealmContext) -> String {
        FormEncoding.appending(carried, to: context.path(.signedIn))
    }

    /// Where they go on who are signed in.
    func destination(_ flow: BrowserFlow, _ context: RealmContext) -> String {
        returnTo?.text
            ?? place.path(flow, context, bringing: ResumableRequest(waiting, flow, context))
    }

    /// These pages change how the account is reached, delete it, or give its data away.
    var asksAnew: Bool {
        isAskedAnew || [.password, .secondFactors, .joining, .deletion, .export].contains(place)
    }
    var isJoining: Bool { place == .joining || returnTo?.isOfJoining == true }

    func back() -> PageLink? { nil }

    func goOn(_ new: BrowserSignIn.Begun, _ flow: BrowserFlow, _ context: RealmContext) throws
        -> Response
    {
        try go(new.live, new.cookies, flow, context)
    }

    /// These pages ask for a sign-in only if no one is signed in, or not lately enough.
    func goOn(signedIn live: LiveSession, _ flow: BrowserFlow, _ context: RealmContext)
        async throws -> Response?
    {
        guard try await flow.sessions.proves(live.session, .now, at: context.now) else {
            return nil
        }
        return try go(live, [], flow, context)
    }

    private func go(
        _ live: LiveSession,
        _ cookies: [HTTPField],
        _ flow: BrowserFlow,
        _ context: RealmContext
    ) throws -> Response {
        let isDemanded = live.person.requiredActions.contains(RequiredAction.configureTOTP)
        let path =
            isDemanded
            ? AccountSignIn(.secondFactors, waiting: waiting, context).destination(flow, context)
            : destination(flow, context)
        return try flow.redirect(to: path, cookies: cookies)
    }
}

/// An error after a person was signed in: the browser must still get its new cookies, because its
/// earlier ones are no longer valid.
struct ErrorAfterSignIn: Error {
    let error: any Error
    let cookies: [HTTPField]
}
