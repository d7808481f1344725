import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The door to the pages that somebody has for themselves. Whoever is not signed in signs in first; a
/// form is bound to the session and to this browser, so that what one person sees, nobody sends in
/// another's name.
struct AccountDoor: Sendable {
    let place: AccountPlace
    let flow: BrowserFlow
    let signIn: AccountSignInEndpoint

    /// What each of the pages shows.
    struct Frame: Sendable {
        let account: PageAccount
        let form: PageForm
        let signOut: PageLink?
        let navigation: PageNavigation
    }

    /// - Parameter body: Gets the form that was sent, and `nil` where the page is only asked for.
    /// - Throws: ``ForgedForm``, and what `body` throws.
    func enter(
        _ visit: RealmVisit,
        _ body: (LiveBrowserSession, FormParameters?) async throws -> Response
    ) async throws -> Response {
        let form =
            visit.request.method == .post ? try await FormParameters(body: visit.request) : nil
        try form?.refuseRepeats()
        // Another site's: the session would not be with it, and the sign-in page must not take the
        // place of the cookie that other tabs need.
        guard !flow.isForeignPost(visit) else { throw ForgedForm() }
        guard let session = try await flow.session(visit) else {
            return try signIn.page(before: place, visit)
        }
        if let form {
            let transaction = session.session.id
            try flow.checkForm(place.form, form["csrf"], transaction: transaction, visit)
        }
        return try await body(session, form)
    }

    func page(
        _ session: LiveBrowserSession,
        _ visit: RealmVisit,
        _ make: (Frame) -> some Page
    ) throws -> Response {
        let browser = VisitCookie(visit, flow)
        let csrf = flow.tokens.token(
            form: place.form,
            transaction: session.session.id,
            cookie: browser.value
        )
        let frame = Frame(
            account: PageAccount(session.person),
            form: PageForm(action: place.path(visit), csrf: csrf),
            signOut: PageLink(
                path: RealmURLs.path(realmName: visit.realm.realm.name, .endSession)
            ),
            navigation: AccountPlace.navigation(visit)
        )
        return flow.page(make(frame), visit.visit, cookies: try browser.setting())
    }
}
