import HTTPTypes
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// Username and password: `POST …/login-actions/authenticate` for an app (OpenID Connect Core
/// §3.1.2.3), `POST …/account/sign-in` for a person's own account.
struct SignInEndpoint: Sendable {
    let flow: BrowserFlow
    let check: PasswordCheck
    let signIn: BrowserSignIn
    let resets: PasswordResets
    let events: SecurityEvents

    func post(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        let begun = try flow.flow(form["request"], context)
        try flow.checkForm("sign-in", form, transaction: begun.id, context)
        let proven = try await flow.requests.resume(begun, in: context.realm, at: context.moment)
        var context = context
        context.speak(try FormParameters(decoding: begun.parameters))
        return try await submit(form, for: AppSignIn(proven: proven, begun: begun), context)
    }

    /// The form replaces a page of the account; the browser is redirected to that page afterwards.
    func postForAccount(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        let place = AccountPlace(named: form["page"])
        guard flow.formCookie(context).value(context.headers) != nil else {
            throw LostRequest(.noCookie, restart: PageLink(path: place.path(context)))
        }
        try flow.checkForm("account sign-in", form, transaction: place.rawValue, context)
        return try await submit(form, for: AccountSignIn(place, context), context)
    }

    /// - Parameter form: Already checked: it came from our page in this browser.
    private func submit(
        _ form: FormParameters,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response {
        let browser = try flow.browser(context)
        switch form["action"] {
        case "cancel": return try purpose.cancel(flow, context)
        case "switch": return try flow.signInPage(for: purpose, in: browser, context)
        default: break
        }
        let typed = PasswordCheck.Typed(form)
        switch try await check(typed, context) {
        case .recognised(let credentials, _)
        where credentials.person.requiredActions.contains(RequiredAction.updatePassword):
            guard let response = try await choosePassword(credentials, for: purpose, context)
            else {
                return try flow.signInPage(
                    for: purpose,
                    userName: typed.userName,
                    problem: .wrongPair,
                    in: browser,
                    context
                )
            }
            return response
        case .recognised(let credentials, let rehashed):
            let new = try await signIn(credentials, rehashed, context)
            events.signedIn(new.live, purpose.clientID, context)
            return try await purpose.goOn(new, flow, context)
        case .again(let problem):
            // A person who must authenticate again is not asked who they are.
            let person = try await flow.session(context)?.person
            return try flow.signInPage(
                for: purpose,
                userName: typed.userName,
                again: person.map { sameBytes($0.email ?? $0.username, typed.userName) } ?? false,
                problem: problem,
                in: browser,
                context
            )
        case .blocked:
            let back = purpose.back()
            return flow.page(
                ErrorPage(
                    issue: .accountBlocked,
                    client: back.map { _ in purpose.asker },
                    back: back
                ),
                context,
                status: .forbidden
            )
        }
    }

    /// The old password was right, and opens nothing but the page for a new one.
    /// `nil` if it is not right any more.
    private func choosePassword(
        _ credentials: PersonCredentials,
        for purpose: some SignInPurpose,
        _ context: RealmContext
    ) async throws -> Response? {
        let cookies = flow.cookies(of: context)
        let browser =
            cookies.reset(context.headers) ?? FormToken.cookie(random: context.moment.random)
        let path = try await resets.demand(
            of: credentials,
            browser: Hash256(of: browser),
            back: try purpose.sealed(flow, context),
            context
        )
        guard let path else { return nil }
        return try flow.redirect(to: path, cookies: [try cookies.setReset(browser)])
    }
}
