import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// What a person signs in for, and what follows: an app's authorization request, or a page of their own
/// account. Nothing of it needs a redirect URI: what comes later, a device's page or a console, asks
/// for a person in the same way.
protocol SignInPurpose: Sendable {
    /// Who asks, as the page says it.
    var asker: String { get }
    /// The `client_id` for the log; `nil` for the Provider's own pages.
    var clientID: String? { get }
    /// Where the page's form may lead in the end, proven before.
    var redirect: RedirectURI? { get }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) throws
        -> PageForm

    /// The person does not want to.
    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response

    /// Back to who asked, for a person who cannot sign in.
    func wayBack() -> PageLink?

    func goOn(_ new: BrowserSignIn.Begun, _ flow: BrowserFlow, _ context: RealmContext)
        async throws -> Response
}

/// An app's authorization request (OpenID Connect Core §3.1.2.3).
struct AppSignIn: SignInPurpose {
    let proven: ProvenRequest
    let begun: AuthorizationFlow

    var asker: String { proven.client.name }
    var clientID: String? { proven.client.clientID }
    var redirect: RedirectURI? { proven.target.redirect.uri }

    func form(_ flow: BrowserFlow, in browser: FormBrowser, _ context: RealmContext) throws
        -> PageForm
    {
        try flow.form(.authenticate, "sign-in", begun.id, begun, browser.value, context)
    }

    func cancel(_ flow: BrowserFlow, _ context: RealmContext) throws -> Response {
        throw AuthorizationRefusal.redirect(
            OAuthError(.accessDenied, "The person stopped signing in."),
            proven.target
        )
    }

    /// The client learns that nobody signed in, and not why.
    func wayBack() -> PageLink? {
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

/// A page that people have for themselves, for no app.
struct AccountSignIn: SignInPurpose {
    let place: AccountPlace
    let asker: String

    init(_ place: AccountPlace, _ context: RealmContext) {
        self.place = place
        asker = context.realm.displayName
    }

    var clientID: String? { nil }
    var redirect: RedirectURI? { nil }

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

    func wayBack() -> PageLink? { nil }

    func goOn(_ new: BrowserSignIn.Begun, _ flow: BrowserFlow, _ context: RealmContext) throws
        -> Response
    {
        try flow.redirect(to: place.path(context), cookies: new.cookies)
    }
}

/// Something failed after a person was signed in: the browser must get its cookies all the same,
/// because those that it had are worth nothing any more.
struct ErrorAfterSignIn: Error {
    let error: any Error
    let cookies: [HTTPField]
}
