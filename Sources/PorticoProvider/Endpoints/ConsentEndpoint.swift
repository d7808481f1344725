import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/consent`: what a person allows a client (OpenID Connect Core §3.1.2.4), and
/// `POST …/login-actions/select-account`.
struct ConsentEndpoint: Sendable {
    let flow: BrowserFlow
    let people: PersonStore
    let events: SecurityEvents

    func post(_ context: RealmContext) async throws -> Response {
        try await flow.signedInStep("consent", context) { step in
            switch step.form["action"] {
            case "allow":
                try await allow(step.proven, in: step.session.session, context)
                events.note(
                    .consented,
                    context,
                    person: step.session.person.id,
                    client: step.proven.client.clientID
                )
                return try await goOn(step, hasConsented: true, context)
            case "switch":
                return try signIn(step.proven, step.flow, context)
            default:
                throw step.proven.declined("The person did not allow it.")
            }
        }
    }

    private func allow(
        _ proven: ProvenRequest,
        in session: PersonSession,
        _ context: RealmContext
    ) async throws {
        let client = proven.client
        // Where people are asked each time, nothing is kept that would be listed and never count.
        guard client.consentMemory != .none else { return }
        try await people.allow(
            Consent(scope: proven.consentScope, fingerprint: client.consentFingerprint),
            to: client,
            by: session.personID,
            in: session,
            notBefore: proven.notBefore,
            at: context.now
        )
    }

    /// The choice is between the account that the page has shown and another.
    func selectAccount(_ context: RealmContext) async throws -> Response {
        try await flow.signedInStep("select account", context) { step in
            switch step.form["action"] {
            case "continue":
                var step = step
                step.flow.hasSelectedAccount = true
                return try await goOn(step, context)
            case "switch":
                return try signIn(step.proven, step.flow, context)
            default:
                throw step.proven.declined("The person did not choose an account.")
            }
        }
    }

    private func goOn(_ step: SignedInStep, hasConsented: Bool = false, _ context: RealmContext)
        async throws -> Response
    {
        try await flow.next(
            step.proven,
            step.flow,
            session: step.session,
            hasConsented: hasConsented,
            browser: try flow.browser(context).value,
            context
        )
    }

    private func signIn(
        _ proven: ProvenRequest,
        _ begun: AuthorizationFlow,
        _ context: RealmContext
    ) throws -> Response {
        try flow.signInPage(
            for: AppSignIn(proven: proven, begun: begun),
            in: flow.browser(context),
            context
        )
    }
}
