import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/required-action`: a person who is signed in chooses a new password, because
/// an app asks for it (`kc_action=UPDATE_PASSWORD`).
struct RequiredActionEndpoint: Sendable {
    let flow: BrowserFlow
    let change: PasswordChange

    func post(_ context: RealmContext) async throws -> Response {
        try await flow.signedInStep("update password", context) { deed, proven, begun in
            guard case .signedIn(let sessionID) = deed,
                let new = try await change.signIn.again(sessionID, context)
            else { return nil }
            var begun = begun
            begun.action = .success
            return try await AppSignIn(proven: proven, begun: begun).goOn(new, flow, context)
        } _: { step in
            try await submit(step, context)
        }
    }

    private func submit(_ step: SignedInStep, _ context: RealmContext) async throws -> Response {
        var step = step
        var context = context
        context.speak(try FormParameters(decoding: step.flow.parameters))
        guard step.form["action"] != "cancel" else {
            step.flow.action = .cancelled
            return try await flow.next(
                step.proven,
                step.flow,
                session: step.session,
                browser: try flow.browser(context).value,
                context
            )
        }
        guard step.flow.handedOn == nil else { return try signInAgain(step, context) }
        switch try await change(to: step.form["password"], in: step.session, context) {
        case .changed(let new):
            flow.sent.note(
                .signedIn(sessionID: new.live.session.id),
                of: SentForm(step.form, context),
                at: context.now
            )
            step.flow.action = .success
            return try await AppSignIn(proven: step.proven, begun: step.flow)
                .goOn(new, flow, context)
        case .refused(let problem):
            return try flow.updatePasswordPage(
                PendingPage(step.proven, step.flow, in: flow.browser(context), context),
                step.session,
                problem
            )
        case .unproven: return try signInAgain(step, context)
        }
    }

    private func signInAgain(_ step: SignedInStep, _ context: RealmContext) throws -> Response {
        try flow.signInPage(
            for: AppSignIn(proven: step.proven, begun: step.flow),
            userName: step.session.person.email ?? step.session.person.username,
            again: true,
            in: flow.browser(context),
            context
        )
    }
}
