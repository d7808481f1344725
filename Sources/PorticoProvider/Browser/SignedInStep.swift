import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A form of an authorization request's page that is for one person: who they are, and the request,
/// proven anew.
struct SignedInStep: Sendable {
    let form: FormParameters
    let flow: AuthorizationFlow
    let session: LiveBrowserSession
    let proven: ProvenRequest

    /// What the tokens of such forms are bound to: what one person read in one transaction is what
    /// they answer there, and nobody in another.
    var transaction: String { flow.transaction(of: session, proven) }
}

extension AuthorizationFlow {
    func transaction(of session: LiveBrowserSession, _ proven: ProvenRequest) -> String {
        "\(id) \(session.session.id) \(proven.consentScope.text)"
    }
}

extension BrowserFlow {
    /// - Parameter purpose: Of the form.
    /// - Throws: ``LostRequest``, ``ForgedForm`` or ``AuthorizationRefusal``.
    func signedInStep(_ purpose: StaticString, _ context: RealmContext) async throws -> SignedInStep
    {
        let form = try context.form()
        try form.refuseRepeats()
        let begun = try flow(form["request"], context)
        guard let session = try await session(context) else {
            throw LostRequest(.unmatched, restart: nil)
        }
        let proven = try await requests.resume(begun, in: context.realm, at: context.moment)
        let step = SignedInStep(form: form, flow: begun, session: session, proven: proven)
        try checkForm(purpose, form, transaction: step.transaction, context)
        return step
    }
}
