import PorticoBytes
import PorticoPages
import PorticoStores
import PorticoWeb

/// Links a second identity to an account after the person has proven both (WEB-ACC-1).
struct IdentityLinking: Sendable {
    let accounts: AccountStore
    let sessions: SessionCheck
    let responder: BackendResponder

    /// Answers a link's callback, in the browser of the session that requested it.
    func callAsFunction(
        _ subject: SignInCompletion.Subject,
        sessionID: UniqueID,
        attemptID: UniqueID,
        returningTo path: LocalPath,
        _ context: BackendContext
    ) async throws -> Response {
        // The attempt's cookie alone does not prove the person: their session must be present too.
        guard let live = try await sessions.ifAny(context), live.session.id == sessionID else {
            return responder.failed(SignInFailure(.invalidState, .unknown), nil, context)
        }
        let outcome = try await accounts.link(
            event(subject, sessionID, [.attempt(attemptID, at: context.now)], context),
            at: context.now
        )
        return try responder.linked(
            outcome,
            subject.identity.provider,
            of: sessionID,
            path,
            context
        )
    }

    func event(
        _ subject: SignInCompletion.Subject,
        _ sessionID: UniqueID,
        _ spending: [SpentOnce],
        _ context: BackendContext
    ) -> LinkEvent {
        LinkEvent(
            spending: spending,
            identity: subject.identity,
            sessionID: sessionID,
            notice: .wayAdded(subject.identity.provider, context)
        )
    }
}

extension MailDraft {
    /// To the account's own address: it has a new sign-in method.
    static func wayAdded(_ provider: String, _ context: BackendContext) -> MailDraft {
        MailDraft(
            id: context.moment.id(),
            to: nil,
            message: .wayAdded(provider: provider),
            language: context.language.tag,
            createdAt: context.now
        )
    }
}
