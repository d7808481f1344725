import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A submitted form of an authorization request's page for one person, with who they are and the
/// request, proven again.
struct SignedInStep: Sendable {
    let form: FormParameters
    var flow: AuthorizationFlow
    let session: LiveBrowserSession
    let proven: ProvenRequest

    /// The value that tokens of such forms are bound to: an answer counts only for the person and
    /// the transaction it was shown for.
    var transaction: String { flow.transaction(of: session, proven) }
}

extension AuthorizationFlow {
    func transaction(of session: LiveBrowserSession, _ proven: ProvenRequest) -> String {
        "\(id) \(session.session.id) \(proven.consentScope.text)"
    }
}

extension BrowserFlow {
    /// - Parameter purpose: The purpose of the form.
    /// - Throws: ``LostRequest``, ``ForgedForm`` or ``AuthorizationRefusal``.
    func signedInStep(_ purpose: StaticString, _ context: RealmContext) async throws -> SignedInStep
    {
        let form = try context.form()
        try form.refuseRepeats()
        let begun = try flow(form["request"], context)
        guard let session = try await session(of: begun, context) else {
            throw LostRequest(.unmatched, restart: nil)
        }
        let proven = try await requests.resume(
            begun,
            in: context.realm,
            from: context.address,
            at: context.moment
        )
        let step = SignedInStep(form: form, flow: begun, session: session, proven: proven)
        try checkForm(purpose, form, transaction: step.transaction, context)
        return step
    }
}
