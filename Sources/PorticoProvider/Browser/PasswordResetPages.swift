import HTTPTypes
import PorticoAdministration
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// The pages for replacing a forgotten password, each with its form bound to this browser.
struct PasswordResetPages: Sendable {
    let flow: BrowserFlow

    private static let minutes = Int(PasswordResets.lifetime / 60)

    /// - Parameter back: The authorization request that the person came from.
    func asking(
        _ email: String,
        isMissing: Bool = false,
        back: ResumableRequest?,
        _ context: RealmContext
    ) throws -> Response {
        let made = try form(
            .resetCredentials,
            "forgot password",
            back?.flow.id ?? "",
            request: back?.sealed,
            context
        )
        return flow.page(
            ForgotPasswordPage(
                state: isMissing ? .emailMissing : .asking,
                email: email,
                form: made.form
            ),
            context,
            cookies: made.cookies
        )
    }

    func sent(
        _ id: UniqueID,
        to email: String,
        problem: ForgotPasswordPage.CodeProblem? = nil,
        back: ResumableRequest?,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: context.realm.id)
        let made = try form(
            .resetCredentials,
            "password code",
            id.text,
            request: seal.seal(id, .asked, at: context.moment),
            context
        )
        return flow.page(
            ForgotPasswordPage(
                state: .sent(to: email, problem: problem),
                form: made.form,
                back: back?.restart(context),
                minutes: Self.minutes
            ),
            context,
            cookies: made.cookies + cookies
        )
    }

    /// The person has proven themselves: they may choose a new password.
    func choosing(
        _ reset: PasswordReset,
        _ person: Person,
        problem: NewPasswordPage.Problem? = nil,
        _ context: RealmContext
    ) throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: context.realm.id)
        let made = try form(
            .newPassword,
            "new password",
            reset.id.text,
            request: seal.seal(reset.id, .proven, at: context.moment),
            context
        )
        return flow.page(
            NewPasswordPage(
                userName: person.email ?? person.username,
                leastCharacters: PasswordPolicy.minimumLength,
                form: made.form,
                problem: problem,
                isDemanded: reset.isDemanded
            ),
            context,
            cookies: made.cookies
        )
    }

    /// The link was opened in another browser. The code is made only when the person presses the
    /// button, because programs that scan mail open links.
    func elsewhere(_ reset: PasswordReset, _ context: RealmContext) throws -> Response {
        let seal = PasswordResetSeal(ring: flow.ring, realmID: context.realm.id)
        let made = try form(
            .newPassword,
            "password elsewhere",
            reset.id.text,
            request: seal.seal(reset.id, .elsewhere, at: context.moment),
            context
        )
        return flow.page(
            CodeForOtherBrowserPage(state: .asking(made.form)),
            context,
            cookies: made.cookies
        )
    }

    func code(_ code: String, seconds: Int64, _ context: RealmContext) -> Response {
        let parts = [code.prefix(3), code.dropFirst(3)].joined(separator: " ")
        let minutes = Int(max(1, seconds / 60))
        return flow.page(CodeForOtherBrowserPage(state: .code(parts, minutes: minutes)), context)
    }

    func outcome(
        _ outcome: PasswordLinkPage.Outcome,
        back: ResumableRequest?,
        cookies: [HTTPField] = [],
        _ context: RealmContext
    ) -> Response {
        // A person who did not come from an app signs in to their account.
        let account = PageLink(path: context.path(.apps))
        let next = outcome == .done ? back?.restart(context) ?? account : again(back, context)
        return flow.page(
            PasswordLinkPage(outcome: outcome, next: next, minutes: Self.minutes),
            context,
            status: outcome == .done ? .ok : .badRequest,
            cookies: cookies
        )
    }

    /// The link for requesting another email.
    func again(_ back: ResumableRequest?, _ context: RealmContext) -> PageLink? {
        let path = context.path(.resetCredentials)
        return PageLink(path: path + (back.map { "?request=" + $0.sealed } ?? ""))
    }

    private func form(
        _ route: RealmPath,
        _ purpose: StaticString,
        _ transaction: String,
        request: String?,
        _ context: RealmContext
    ) throws -> (form: PageForm, cookies: [HTTPField]) {
        let browser = try flow.browser(context)
        let form = flow.forms.form(
            context.path(route),
            purpose,
            transaction,
            in: browser,
            request: request
        )
        return (form, browser.cookies)
    }
}
