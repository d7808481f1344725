import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/authenticate`: user name and password (OpenID Connect Core §3.1.2.3).
struct SignInEndpoint: Sendable {
    let flow: BrowserFlow
    let check: PasswordCheck
    let signIn: BrowserSignIn
    let events: SecurityEvents

    func post(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        let begun = try flow.flow(form["request"], visit)
        try flow.checkForm("sign-in", form["csrf"], transaction: begun.id, visit)
        let proven = try await flow.requests.resume(begun, in: visit.realm, at: visit.moment)
        var visit = visit
        visit.visit = visit.visit.speaking(try FormParameters(decoding: begun.parameters))
        // `checkForm` has seen the cookie.
        let browser = flow.cookies(of: visit).visit(visit.request.headers) ?? ""
        switch form["action"] {
        case "cancel":
            throw AuthorizationRefusal.redirect(
                OAuthError(.accessDenied, "The person stopped signing in."),
                proven.target
            )
        case "switch":
            return try flow.signInPage(proven, begun, userName: "", browser: browser, visit)
        default: break
        }
        let typed = PasswordCheck.Typed(form)
        switch try await check(typed, visit) {
        case .recognised(let credentials, let rehashed):
            return try await begin(credentials, rehashed, proven, begun, visit)
        case .again(let problem):
            // Whoever had to show that it is still them is not asked who they are.
            let person = try await flow.session(visit)?.person
            return try flow.signInPage(
                proven,
                begun,
                userName: typed.userName,
                again: person.map { sameBytes($0.email ?? $0.username, typed.userName) } ?? false,
                problem: problem,
                browser: browser,
                visit
            )
        case .blocked: return blocked(proven, visit)
        }
    }

    /// The way back to the client stays: it learns that nobody signed in, and not why.
    private func blocked(_ proven: ProvenRequest, _ visit: RealmVisit) -> Response {
        let error = OAuthError(.accessDenied, "The person could not sign in.")
        let target = proven.target
        return flow.page(
            ErrorPage(
                issue: .accountBlocked,
                client: proven.client.name,
                wayBack: target.location(target.failure(error)).flatMap {
                    PageLink(redirect: $0)
                }
            ),
            visit.visit,
            status: .forbidden
        )
    }

    private func begin(
        _ credentials: PersonCredentials,
        _ rehashed: PasswordHash?,
        _ proven: ProvenRequest,
        _ begun: AuthorizationFlow,
        _ visit: RealmVisit
    ) async throws -> Response {
        let new = try await signIn(credentials, rehashed, visit)
        events.signedIn(new.live, proven.client.clientID, visit)
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
                visit
            )
        } catch {
            throw ErrorAfterSignIn(error: error, cookies: new.cookies)
        }
    }
}

/// Something failed after somebody was signed in: the browser must get its cookies all the same,
/// because those that it had are worth nothing any more.
struct ErrorAfterSignIn: Error {
    let error: any Error
    let cookies: [HTTPField]
}
