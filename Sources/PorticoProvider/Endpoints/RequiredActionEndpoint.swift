import PorticoBytes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/required-action`: a person who is signed in chooses a new password, because
/// an app asks for it (Keycloak `kc_action=UPDATE_PASSWORD`). They stay signed in in this browser,
/// and nowhere else.
struct RequiredActionEndpoint: Sendable {
    let flow: BrowserFlow
    let people: PersonStore
    let registration: PersonRegistration
    let signIn: BrowserSignIn
    let events: SecurityEvents

    func post(_ context: RealmContext) async throws -> Response {
        var step = try await flow.signedInStep("update password", context)
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
        func again(_ problem: NewPasswordPage.Problem?) throws -> Response {
            try flow.updatePasswordPage(
                step.proven,
                step.flow,
                step.session,
                problem,
                in: flow.browser(context),
                context
            )
        }
        let person = step.session.person
        // The page may have been open for long: the password is asked for again.
        let age = context.now - step.session.session.authenticatedAt
        guard step.flow.handedOn == nil, age <= RequestedAction.freshness else {
            return try signInAgain(step, context)
        }
        guard let typed = step.form["password"], !typed.isEmpty else { return try again(.missing) }
        let hash: PasswordHash
        do {
            hash = try await registration.hash(
                SecretText(typed),
                for: person,
                realmName: context.realm.name,
                random: context.moment.random
            )
        } catch let refusal as PasswordPolicy.Refusal {
            return try again(.init(refusal))
        }
        guard let new = try await change(hash, step.session, context) else {
            return try signInAgain(step, context)
        }
        step.flow.action = .success
        return try await AppSignIn(proven: step.proven, begun: step.flow).goOn(new, flow, context)
    }

    /// - Returns: `nil` where the session has ended meanwhile.
    private func change(
        _ password: PasswordHash,
        _ live: LiveBrowserSession,
        _ context: RealmContext
    ) async throws -> BrowserSignIn.Begun? {
        let cookie = context.moment.random.text(32)
        let notice: MailDraft? =
            flow.sendsMail
            ? live.person.email.map {
                MailDraft(.passwordChanged, id: context.moment.id(), to: $0, context)
            } : nil
        var session = live.session
        session.id = UniqueID(random: context.moment.random).text
        session.cookieHash = Hash256(of: cookie)
        session.createdAt = context.now
        session.lastSeenAt = context.now
        let kept = try await people.changePassword(
            password,
            in: live.session,
            continuing: session,
            notice: notice,
            at: context.now
        )
        guard let kept else { return nil }
        signIn.start.sessionEnded()
        events.passwordChanged(live.person, context)
        return try signIn.begun(
            LiveBrowserSession(session: kept, person: live.person),
            cookie: cookie,
            ended: nil,
            context
        )
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
