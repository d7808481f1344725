import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
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
    /// Where the page's form leads in the end, already proven.
    var formTarget: FormTarget { get }

    /// What its forms are bound to.
    var transaction: String { get }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) throws
        -> PageForm

    /// The person cancels.
    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response

    /// The authorization request, to be restarted later; `nil` if there is none.
    func sealed(_ flow: BrowserFlow, _ context: RealmContext) throws -> String?

    /// A link back to the requester, for a person who cannot sign in.
    func back() -> PageLink?

    func goOn(_ new: BrowserSignIn.Begun, _ flow: BrowserFlow, _ context: RealmContext)
        async throws -> Response
}

/// An app's authorization request (OpenID Connect Core §3.1.2.3).
struct AppSignIn: SignInPurpose {
    let proven: ProvenRequest
    let begun: AuthorizationFlow

    var asker: String { proven.client.name }
    var clientID: String? { proven.client.clientID }
    var formTarget: FormTarget { proven.formTarget }
    var transaction: String { begun.id }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) throws
        -> PageForm
    {
        try flow.form(.authenticate, "sign-in", begun.id, begun, browser.value, context)
    }

    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response {
        throw proven.declined("The person stopped signing in.")
    }

    func sealed(_ flow: BrowserFlow, _ context: RealmContext) throws -> String? {
        try AuthorizationFlowSeal(ring: flow.ring, realmID: context.realm.id)
            .seal(begun, at: context.moment)
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
}

/// A page of a person's own account, independent of apps.
struct AccountSignIn: SignInPurpose {
    let place: AccountPlace
    let asker: String

    init(_ place: AccountPlace, _ context: RealmContext) {
        self.place = place
        asker = context.realm.displayName
    }

    var clientID: String? { nil }
    var formTarget: FormTarget { .ours }
    var transaction: String { place.rawValue }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) -> PageForm {
        flow.forms.form(
            RealmURLs.path(realmName: context.realm.name, .accountSignIn),
            "account sign-in",
            place.rawValue,
            in: browser,
            fields: [PageField("page", place.rawValue)]
        )
    }

    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response {
        try flow.redirect(to: "/realms/\(context.realm.name)")
    }

    func sealed(_ flow: BrowserFlow, _ context: RealmContext) -> String? { nil }

    func back() -> PageLink? { nil }

    func goOn(_ new: BrowserSignIn.Begun, _ flow: BrowserFlow, _ context: RealmContext) throws
        -> Response
    {
        let isDemanded = new.live.person.requiredActions.contains(RequiredAction.configureTOTP)
        let place = isDemanded ? AccountPlace.secondFactors : place
        return try flow.redirect(to: place.path(context), cookies: new.cookies)
    }
}

/// An error after a person was signed in: the browser must still get its new cookies, because its
/// earlier ones are no longer valid.
struct ErrorAfterSignIn: Error {
    let error: any Error
    let cookies: [HTTPField]
}
