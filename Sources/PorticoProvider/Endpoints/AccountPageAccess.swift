import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoSignIn
import PorticoStores
import PorticoWeb

extension AccountPlace {
    func path(_ flow: BrowserFlow, _ context: RealmContext) -> String {
        let realm = context.realm
        let base = isOfRealm ? "/realms/\(realm.name)" : flow.elsewhere.base(realm.id, realm.name)
        return base + path
    }

    /// - Parameter waiting: An authorization request that waits.
    func path(
        _ flow: BrowserFlow,
        _ context: RealmContext,
        bringing waiting: ResumableRequest?
    ) -> String {
        path(flow, context) + (waiting.map { "?request=" + $0.sealed } ?? "")
    }
}

/// Opens the account pages that are the Provider's: connected apps, password, second step. A person who is not signed in signs in first; a form
/// is bound to the session and to this browser, so that it cannot be submitted in another person's
/// name.
struct AccountPageAccess: Sendable {
    let place: AccountPlace
    /// What its forms do, a literal.
    let form: StaticString
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
        _ body: (LiveSession, FormParameters?) async throws -> Response
    ) async throws -> Response {
        let form =
            context.method == .post ? try context.form() : nil
        try form?.refuseRepeats()
        // From a foreign site: the session cookie would be missing, and the sign-in page must not
        // replace the cookie that other tabs need.
        guard !flow.isForeignPost(context) else { throw ForgedForm() }
        guard let session = try await flow.session(context) else {
            let waiting = ResumableRequest(try context.parameters()["request"], flow, context)
            return try flow.signInPage(
                for: AccountSignIn(place, waiting: waiting?.sealed, context),
                in: flow.browser(context),
                context
            )
        }
        guard let form else { return try await body(session, nil) }
        // Of a session before this one, or another cookie: nothing is done, and the page is shown as it
        // is now.
        let isCurrent =
            try await flow.counts(self.form, form, context)
            && flow.forms.isAbout(session.session.id, form)
        return try await body(session, isCurrent ? form : nil)
    }

    /// For a person whose session does not prove them now: they come back to the page.
    ///
    /// - Parameter request: A sealed request that waits, and is brought back.
    func signInAgain(
        _ session: LiveSession,
        request: String? = nil,
        _ context: RealmContext
    ) throws -> Response {
        if let proof = flow.proof(of: session, returningTo: place.path(flow, context), context) {
            return try flow.redirect(to: proof)
        }
        return try flow.signInPage(
            for: AccountSignIn(place, waiting: request, context),
            userName: session.person.email ?? session.person.username,
            again: true,
            in: flow.browser(context),
            context
        )
    }

    /// - Parameter request: A sealed request that the form brings back.
    func page(
        _ session: LiveSession,
        request: String? = nil,
        _ context: RealmContext,
        _ make: (Frame) -> some Page
    ) throws -> Response {
        let browser = try flow.browser(context)
        let frame = Frame(
            account: PageAccount(session.person),
            form: flow.forms.form(
                place.path(flow, context),
                form,
                session.session.id,
                in: browser,
                request: request
            ),
            signOut: PageLink(path: context.path(.endSession)),
            navigation: flow.navigation(context)
        )
        return flow.page(make(frame), context, cookies: browser.cookies)
    }
}
