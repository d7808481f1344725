import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Opens the pages of a person's own account. A person who is not signed in signs in first; a form
/// is bound to the session and to this browser, so that it cannot be submitted in another person's
/// name.
struct AccountPageAccess: Sendable {
    let place: AccountPlace
    let flow: BrowserFlow

    /// The parts common to all pages.
    struct Frame: Sendable {
        let account: PageAccount
        let form: PageForm
        let signOut: PageLink?
        let navigation: PageNavigation
    }

    /// - Parameter body: Gets the submitted form, or `nil` if the page is only requested.
    /// - Throws: ``ForgedForm``, and what `body` throws.
    func enter(
        _ context: RealmContext,
        _ body: (LiveBrowserSession, FormParameters?) async throws -> Response
    ) async throws -> Response {
        let form =
            context.method == .post ? try context.form() : nil
        try form?.refuseRepeats()
        // From a foreign site: the session cookie would be missing, and the sign-in page must not
        // replace the cookie that other tabs need.
        guard !flow.isForeignPost(context) else { throw ForgedForm() }
        guard let session = try await flow.session(context) else {
            return try flow.signInPage(
                for: AccountSignIn(place, context),
                in: flow.browser(context),
                context
            )
        }
        if let form {
            let transaction = session.session.id
            try flow.checkForm(place.form, form, transaction: transaction, context)
        }
        return try await body(session, form)
    }

    /// - Parameter request: A sealed request that the form brings back.
    func page(
        _ session: LiveBrowserSession,
        request: String? = nil,
        _ context: RealmContext,
        _ make: (Frame) -> some Page
    ) throws -> Response {
        let browser = try flow.browser(context)
        let frame = Frame(
            account: PageAccount(session.person),
            form: flow.forms.form(
                place.path(context),
                place.form,
                session.session.id,
                in: browser,
                request: request
            ),
            signOut: PageLink(
                path: RealmURLs.path(realmName: context.realm.name, .endSession)
            ),
            navigation: AccountPlace.navigation(context)
        )
        return flow.page(make(frame), context, cookies: browser.cookies)
    }
}
