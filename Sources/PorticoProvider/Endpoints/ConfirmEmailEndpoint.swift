import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/verify-email`: a person confirms their address before an app gets
/// anything, if the realm requires it (OpenID Connect Core §5.1: `email_verified`).
struct ConfirmEmailEndpoint: Sendable {
    let flow: BrowserFlow
    let confirmations: EmailConfirmations
    let events: SecurityEvents

    func post(_ context: RealmContext) async throws -> Response {
        try await flow.signedInStep("confirm e-mail", context) { step in
            try await submit(step, context)
        }
    }

    private func submit(_ step: SignedInStep, _ context: RealmContext) async throws -> Response {
        var context = context
        context.speak(try FormParameters(decoding: step.flow.parameters))
        switch step.form["action"] {
        case "switch":
            return try flow.signInPage(
                for: AppSignIn(proven: step.proven, begun: step.flow),
                in: flow.browser(context),
                context
            )
        case "cancel":
            throw AuthorizationRefusal.redirect(
                OAuthError(.accessDenied, "The person did not confirm their address."),
                step.proven.target
            )
        default: break
        }
        // The code proves that the person is there; with what, the session.
        let session = step.session.session
        guard try await flow.sessions.proves(session, .strength, at: context.now) else {
            return try await goOn(step, context)
        }
        switch step.form["action"] {
        case "confirm": return try await confirm(step.form["code"] ?? "", step, context)
        default:
            return try await send(isAgain: step.form["action"] == "resend", step, context)
        }
    }

    private func send(isAgain: Bool, _ step: SignedInStep, _ context: RealmContext) async throws
        -> Response
    {
        let person = step.session.person
        guard context.realm.mustConfirmEmail(person), let address = person.email else {
            return try await goOn(step, context)
        }
        try flow.expectMail(for: step.proven)
        try await confirmations.send(to: address, of: person, context)
        let page = try codePage(nil, wasResent: isAgain, step, context)
        flow.sent.note(.answered(page), of: SentForm(step.form, context), at: context.now)
        return page
    }

    private func confirm(_ code: String, _ step: SignedInStep, _ context: RealmContext) async throws
        -> Response
    {
        guard context.realm.mustConfirmEmail(step.session.person) else {
            return try await goOn(step, context)
        }
        guard !code.isEmpty else { return try codePage(.missing, step, context) }
        switch try await confirmations.confirm(code, of: step.session.person, context) {
        case .confirmed:
            events.note(.emailConfirmed, context, person: step.session.person.id)
            return try await goOn(step, context)
        case .wrong(let left):
            return try codePage(left > 0 ? .wrong(triesLeft: left) : .tooMany, step, context)
        case .expired: return try codePage(.expired, step, context)
        case .unknown: return try codePage(.used, step, context)
        }
    }

    /// The request's next step, for the person's current state.
    private func goOn(_ step: SignedInStep, _ context: RealmContext) async throws -> Response {
        try await flow.next(
            step.proven,
            step.flow,
            session: try await flow.session(of: step.flow, context),
            browser: try flow.browser(context).value,
            context
        )
    }

    private func codePage(
        _ problem: EmailCodePage.Problem?,
        wasResent: Bool = false,
        _ step: SignedInStep,
        _ context: RealmContext
    ) throws -> Response {
        let form = try flow.form(
            .verifyEmail,
            "confirm e-mail",
            step.transaction,
            step.flow,
            try flow.browser(context).value,
            context
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
            context,
            redirecting: .onward
        )
    }
}
