import HTTPTypes
import PorticoPages
import PorticoProtocol
import PorticoStores
import PorticoWeb

/// A submitted form of an authorization request's page for one person, with who they are and the
/// request, proven again.
struct SignedInStep: Sendable {
    let form: FormParameters
    var flow: AuthorizationFlow
    let session: LiveSession
    let proven: ProvenRequest

    /// The value that tokens of such forms are bound to: an answer counts only for the person and
    /// the transaction it was shown for.
    var transaction: String { flow.transaction(of: session, proven) }
}

extension AuthorizationFlow {
    func transaction(of session: LiveSession, _ proven: ProvenRequest) -> String {
        "\(id) \(session.session.id) \(proven.consentScope.text)"
    }
}

extension BrowserFlow {
    /// Takes a submitted form of an authorization request's page for one person.
    ///
    /// If another person is signed in by now, no one is, or the request asks for something else, the answer
    /// does not count, and the next page is for the one who is signed in (docs/decisions/0104).
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the form.
    ///   - again: The answer to the very same form, sent again; `nil` if there is none but that of `body`.
    /// - Throws: ``LostRequest``, ``ForgedForm`` or ``AuthorizationRefusal``, and what the closures throw.
    func signedInStep(
        _ purpose: StaticString,
        _ context: RealmContext,
        again: (FormDeed, ProvenRequest, AuthorizationFlow) async throws -> Response? = {
            _,
            _,
            _ in nil
        },
        _ body: (SignedInStep) async throws -> Response
    ) async throws -> Response {
        let form = try context.form()
        try form.refuseRepeats()
        let begun = try await flow(form["request"], context)
        try await checkOrigin(purpose, form, context)
        let proven = try await proven(begun, context)
        return try await sent(SentForm(form, context), at: context.now) { deed in
            if let deed, let answer = try await again(deed, proven, begun) { return answer }
            let session = try await session(of: begun, context)
            if let session {
                let step = SignedInStep(form: form, flow: begun, session: session, proven: proven)
                if forms.isAbout(step.transaction, form) {
                    if let answer = deed?.answer { return answer }
                    return try await body(step)
                }
            }
            let browser = try browser(context).value
            return try await next(proven, begun, session: session, browser: browser, context)
                .notDone
        }
    }
}
