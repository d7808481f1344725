import Hummingbird
import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/verify-email`: somebody confirms their address before an app gets anything,
/// where the realm wants it (OpenID Connect Core §5.1: `email_verified`).
struct ConfirmEmailEndpoint: Sendable {
    let flow: BrowserFlow
    let confirmations: EmailConfirmations
    let events: SecurityEvents

    func post(_ visit: RealmVisit) async throws -> Response {
        let step = try await flow.signedInStep("confirm e-mail", visit)
        var visit = visit
        visit.visit = visit.visit.speaking(try FormParameters(decoding: step.flow.parameters))
        switch step.form["action"] {
        case "switch":
            let browser = VisitCookie(visit, flow).value
            return try flow.signInPage(
                step.proven,
                step.flow,
                userName: "",
                browser: browser,
                visit
            )
        case "cancel":
            throw AuthorizationRefusal.redirect(
                OAuthError(.accessDenied, "The person did not confirm their address."),
                step.proven.target
            )
        case "confirm": return try await confirm(step.form["code"] ?? "", step, visit)
        default:
            return try await send(isAgain: step.form["action"] == "resend", step, visit)
        }
    }

    private func send(isAgain: Bool, _ step: SignedInStep, _ visit: RealmVisit) async throws
        -> Response
    {
        let person = step.session.person
        guard flow.mustConfirmEmail(person, visit), let address = person.email else {
            return try await goOn(step, visit)
        }
        try flow.expectMail(for: step.proven)
        try await confirmations.send(to: address, of: person, visit)
        return try codePage(nil, wasResent: isAgain, step, visit)
    }

    private func confirm(_ code: String, _ step: SignedInStep, _ visit: RealmVisit) async throws
        -> Response
    {
        guard flow.mustConfirmEmail(step.session.person, visit) else {
            return try await goOn(step, visit)
        }
        guard !code.isEmpty else { return try codePage(.missing, step, visit) }
        switch try await confirmations.confirm(code, of: step.session.person, visit) {
        case .confirmed:
            events.emailConfirmed(step.session.person, visit)
            return try await goOn(step, visit)
        case .wrong(let left):
            return try codePage(left > 0 ? .wrong(triesLeft: left) : .tooMany, step, visit)
        case .expired: return try codePage(.expired, step, visit)
        case .unknown: return try codePage(.used, step, visit)
        }
    }

    /// The request's next step, for the person as they are now.
    private func goOn(_ step: SignedInStep, _ visit: RealmVisit) async throws -> Response {
        try await flow.next(
            step.proven,
            step.flow,
            session: try await flow.session(visit),
            browser: VisitCookie(visit, flow).value,
            visit
        )
    }

    private func codePage(
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ step: SignedInStep,
        _ visit: RealmVisit
    ) throws -> Response {
        let form = try flow.form(
            .verifyEmail,
            "confirm e-mail",
            step.transaction,
            step.flow,
            VisitCookie(visit, flow).value,
            visit
        )
        return flow.page(
            EmailCodePage(
                address: EmailCodePage.masked(step.session.person.email ?? ""),
                form: form,
                problem: problem,
                canChangeAddress: false,
                minutes: Int(EmailConfirmations.lifetime / 60),
                wasResent: wasResent
            ),
            visit.visit,
            redirecting: step.proven.target.redirect.uri
        )
    }
}
