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
        let step = try await flow.signedInStep("consent", context)
        switch step.form["action"] {
        case "allow":
            try await allow(step.proven, in: step.session.session, context)
            events.consented(step.session.person, step.proven.client, context)
            return try await next(step.proven, step.flow, step.session, hasConsented: true, context)
        case "switch":
            return try signIn(step.proven, step.flow, context)
        default:
            throw step.proven.declined("The person did not allow it.")
        }
    }

    private func allow(
        _ proven: ProvenRequest,
        in session: BrowserSession,
        _ context: RealmContext
    ) async throws {
        let client = proven.client
        if let document = client.keptDocument, let documented = client.documented?.document {
            // A public client is asked about each time: nothing of it is kept, and nothing listed.
            guard client.type == .confidential else { return }
            try await people.allow(
                DocumentConsent(scope: proven.scope, fingerprint: documented.fingerprint),
                to: document,
                in: session,
                notBefore: proven.notBefore,
                at: context.now
            )
        } else {
            try await people.allow(
                proven.consentScope,
                to: client.id,
                by: session.personID,
                at: context.now
            )
        }
    }

    func selectAccount(_ context: RealmContext) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        var begun = try flow.flow(form["request"], context)
        try flow.checkForm("select account", form, transaction: begun.id, context)
        let proven = try await flow.requests.resume(
            begun,
            in: context.realm,
            from: context.address,
            at: context.moment
        )
        switch form["action"] {
        case "continue":
            begun.hasSelectedAccount = true
            let session = try await flow.session(context)
            return try await next(proven, begun, session, hasConsented: false, context)
        case "switch":
            return try signIn(proven, begun, context)
        default:
            throw proven.declined("The person did not choose an account.")
        }
    }

    private func next(
        _ proven: ProvenRequest,
        _ begun: AuthorizationFlow,
        _ session: LiveBrowserSession?,
        hasConsented: Bool,
        _ context: RealmContext
    ) async throws -> Response {
        try await flow.next(
            proven,
            begun,
            session: session,
            hasConsented: hasConsented,
            browser: browser(context),
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

    /// The browser that the form's token was checked against.
    private func browser(_ context: RealmContext) -> String {
        flow.formCookie(context).value(context.headers) ?? ""
    }
}
