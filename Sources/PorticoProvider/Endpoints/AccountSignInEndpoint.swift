import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/account/sign-in`: somebody signs in to see their account at the Provider, for no app. The
/// form stands in place of a page of the account; afterwards the browser is sent there.
struct AccountSignInEndpoint: Sendable {
    let flow: BrowserFlow
    let check: PasswordCheck
    let signIn: BrowserSignIn
    let events: SecurityEvents

    func post(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        let place = AccountPlace(named: form["page"])
        guard flow.cookies(of: visit).visit(visit.request.headers) != nil else {
            throw FlowLoss(.noCookie, restart: PageLink(path: place.path(visit)))
        }
        let transaction = place.rawValue
        try flow.checkForm("account sign-in", form["csrf"], transaction: transaction, visit)
        if form["action"] == "cancel" {
            return try flow.redirect(to: "/realms/\(visit.realm.realm.name)")
        }
        let typed = PasswordCheck.Typed(form)
        switch try await check(typed, visit) {
        case .recognised(let credentials, let rehashed):
            let new = try await signIn(credentials, rehashed, visit)
            events.signedIn(new.live, nil, visit)
            return try flow.redirect(to: place.path(visit), cookies: new.cookies)
        case .again(let problem):
            return try page(before: place, userName: typed.userName, problem: problem, visit)
        case .blocked:
            return flow.page(
                ErrorPage(issue: .accountBlocked),
                visit.visit,
                status: .forbidden
            )
        }
    }

    /// - Parameter place: Where it leads.
    func page(
        before place: AccountPlace,
        userName: String = "",
        problem: SignInPage.Problem? = nil,
        _ visit: RealmVisit
    ) throws -> Response {
        let browser = VisitCookie(visit, flow)
        let form = PageForm(
            action: RealmURLs.path(realmName: visit.realm.realm.name, .accountSignIn),
            csrf: flow.tokens.token(
                form: "account sign-in",
                transaction: place.rawValue,
                cookie: browser.value
            ),
            fields: [PageField("page", place.rawValue)]
        )
        return flow.page(
            SignInPage(
                client: visit.realm.realm.displayName,
                form: form,
                userName: userName,
                endsAnother: flow.mayEndAnother(visit),
                problem: problem,
                forgot: flow.forgot(nil, userName, visit)
            ),
            visit.visit,
            status: problem?.status ?? .ok,
            cookies: try browser.setting(),
            retryAfter: problem?.retryAfter
        )
    }
}
