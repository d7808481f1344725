import Hummingbird
import PorticoBytes
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// `POST …/login-actions/consent`: what a person allows a client (OpenID Connect Core §3.1.2.4), and
/// `POST …/login-actions/select-account`.
struct ConsentEndpoint: Sendable {
    let flow: BrowserFlow
    let people: any PersonStore
    let events: SecurityEvents

    func post(_ visit: RealmVisit) async throws -> Response {
        let step = try await flow.signedInStep("consent", visit)
        switch step.form["action"] {
        case "allow":
            try await people.allow(
                step.proven.consentScope,
                to: step.proven.client.id,
                by: step.session.person.id,
                at: visit.now
            )
            events.consented(step.session.person, step.proven.client, visit)
            return try await next(step.proven, step.flow, step.session, hasConsented: true, visit)
        case "switch":
            return try signIn(step.proven, step.flow, visit)
        default:
            throw AuthorizationRefusal.redirect(
                OAuthError(.accessDenied, "The person did not allow it."),
                step.proven.target
            )
        }
    }

    func selectAccount(_ visit: RealmVisit) async throws -> Response {
        let form = try await FormParameters(body: visit.request)
        try form.refuseRepeats()
        var begun = try flow.flow(form["request"], visit)
        try flow.checkForm("select account", form["csrf"], transaction: begun.id, visit)
        let proven = try await flow.requests.resume(begun, in: visit.realm, at: visit.moment)
        switch form["action"] {
        case "continue":
            begun.hasSelectedAccount = true
            let session = try await flow.session(visit)
            return try await next(proven, begun, session, hasConsented: false, visit)
        case "switch":
            return try signIn(proven, begun, visit)
        default:
            throw AuthorizationRefusal.redirect(
                OAuthError(.accessDenied, "The person did not choose an account."),
                proven.target
            )
        }
    }

    private func next(
        _ proven: ProvenRequest,
        _ begun: AuthorizationFlow,
        _ session: LiveBrowserSession?,
        hasConsented: Bool,
        _ visit: RealmVisit
    ) async throws -> Response {
        try await flow.next(
            proven,
            begun,
            session: session,
            hasConsented: hasConsented,
            browser: browser(visit),
            visit
        )
    }

    private func signIn(
        _ proven: ProvenRequest,
        _ begun: AuthorizationFlow,
        _ visit: RealmVisit
    ) throws -> Response {
        try flow.signInPage(proven, begun, userName: "", browser: browser(visit), visit)
    }

    /// The form's token has been checked against it.
    private func browser(_ visit: RealmVisit) -> String {
        flow.cookies(of: visit).visit(visit.request.headers) ?? ""
    }
}
