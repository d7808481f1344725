import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The pages on which a forgotten password is replaced, each with its form bound to this browser.
struct PasswordResetPages: Sendable {
    let flow: BrowserFlow

    private static let minutes = Int(PasswordResets.lifetime / 60)

    /// - Parameter wayBack: The authorization request that the person came from.
    func asking(
        _ email: String,
        isMissing: Bool = false,
        wayBack: WayBack?,
        _ visit: RealmVisit
    ) throws -> Response {
        let made = try form(
            .resetCredentials,
            "forgot password",
            wayBack?.flow.id ?? "",
            request: wayBack?.sealed,
            visit
        )
        return flow.page(
            ForgotPasswordPage(
                state: isMissing ? .emailMissing : .asking,
                email: email,
                form: made.form
            ),
            visit.visit,
            cookies: made.cookies
        )
    }

    func sent(
        _ id: UniqueID,
        to email: String,
        problem: ForgotPasswordPage.CodeProblem? = nil,
        wayBack: WayBack?,
        cookies: [HTTPField] = [],
        _ visit: RealmVisit
    ) throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        let made = try form(
            .resetCredentials,
            "password code",
            id.text,
            request: seal.seal(id, .asked, at: visit.moment),
            visit
        )
        return flow.page(
            ForgotPasswordPage(
                state: .sent(to: email, problem: problem),
                form: made.form,
                back: wayBack?.restart(visit),
                minutes: Self.minutes
            ),
            visit.visit,
            cookies: made.cookies + cookies
        )
    }

    /// The proof has been brought: a new password may be chosen.
    func choosing(
        _ reset: PasswordReset,
        _ person: Person,
        problem: NewPasswordPage.Problem? = nil,
        _ visit: RealmVisit
    ) throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        let made = try form(
            .newPassword,
            "new password",
            reset.id.text,
            request: seal.seal(reset.id, .proven, at: visit.moment),
            visit
        )
        return flow.page(
            NewPasswordPage(
                userName: person.email ?? person.username,
                leastCharacters: PasswordPolicy.minimumLength,
                form: made.form,
                problem: problem
            ),
            visit.visit,
            cookies: made.cookies
        )
    }

    /// The link was opened in another browser. Nothing is made before somebody presses the button:
    /// programs that look through mail open links.
    func elsewhere(_ reset: PasswordReset, _ visit: RealmVisit) throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: visit.realm.realm.id)
        let made = try form(
            .newPassword,
            "password elsewhere",
            reset.id.text,
            request: seal.seal(reset.id, .elsewhere, at: visit.moment),
            visit
        )
        return flow.page(
            CodeForOtherBrowserPage(state: .asking(made.form)),
            visit.visit,
            cookies: made.cookies
        )
    }

    func code(_ code: String, seconds: Int64, _ visit: RealmVisit) -> Response {
        let parts = [code.prefix(3), code.dropFirst(3)].joined(separator: " ")
        let minutes = Int(max(1, seconds / 60))
        return flow.page(
            CodeForOtherBrowserPage(state: .code(parts, minutes: minutes)),
            visit.visit
        )
    }

    func outcome(
        _ outcome: PasswordLinkPage.Outcome,
        wayBack: WayBack?,
        cookies: [HTTPField] = [],
        _ visit: RealmVisit
    ) -> Response {
        // Who came from no app signs in to their account.
        let account = PageLink(path: RealmURLs.path(realmName: visit.realm.realm.name, .apps))
        let next = outcome == .done ? wayBack?.restart(visit) ?? account : again(wayBack, visit)
        return flow.page(
            PasswordLinkPage(outcome: outcome, next: next, minutes: Self.minutes),
            visit.visit,
            status: outcome == .done ? .ok : .badRequest,
            cookies: cookies
        )
    }

    /// Where another link can be asked for.
    func again(_ wayBack: WayBack?, _ visit: RealmVisit) -> PageLink? {
        let path = RealmURLs.path(realmName: visit.realm.realm.name, .resetCredentials)
        return PageLink(path: path + (wayBack.map { "?request=" + $0.sealed } ?? ""))
    }

    private func form(
        _ route: ProviderRoute,
        _ purpose: StaticString,
        _ transaction: String,
        request: String?,
        _ visit: RealmVisit
    ) throws -> (form: PageForm, cookies: [HTTPField]) {
        let browser = VisitCookie(visit, flow)
        let form = PageForm(
            action: RealmURLs.path(realmName: visit.realm.realm.name, route),
            request: request,
            csrf: flow.tokens.token(
                form: purpose,
                transaction: transaction,
                cookie: browser.value
            )
        )
        return (form, try browser.setting())
    }
}
