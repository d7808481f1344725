import PorticoProtocol
import PorticoStores

/// The next step of an authorization request (OpenID Connect Core §3.1.2.3, §3.1.2.4).
enum Interaction: Hashable, Sendable {
    /// None: answer with a code.
    case answer
    case signIn(Reason)
    /// A new account is made.
    case register
    case selectAccount
    case confirmEmail
    case setUpSecondFactor
    /// The person chooses a new password, because the app asks for that.
    case updatePassword
    case consent
    /// The client knows people by their DIDs, and the account has none (docs/decisions/0064).
    case withoutDID
    case refuse(OAuthError)

    enum Reason: Hashable, Sendable {
        /// No one is signed in.
        case nobody
        /// The person is signed in but must authenticate again: `prompt=login`, `max_age`.
        case again
        /// The request names a person other than the one signed in.
        case another
    }
}

/// Decides the next step of an authorization request, in the order of OpenID Connect Core §3.1.2.1.
struct InteractionRules: Sendable {
    let request: AuthorizationRequest
    let flow: FlowMarks
    let session: PersonSession?
    /// Whether the session's person is the one that the request names, if it names one
    /// (``ClientRequest/names(_:)``).
    let isNamed: Bool
    /// Whether the person has to confirm their address first.
    let mustConfirmEmail: Bool
    /// Whether the person has to add an authenticator app first.
    let mustSetUpSecondFactor: Bool
    /// What the app asks the person to do, where that was not done or cancelled.
    let action: RequestedAction.Kind?
    /// Whether the session is one that an app has handed on: it changes nothing about an account.
    let isHandedOn: Bool
    /// Whether the session is the proof that the next change of the account asks for
    /// (``SessionStore/Proof``).
    let isProof: Bool
    /// Whether a page must ask before anything is released.
    let needsConsent: Bool
    /// Whether that page reaches the person: not in a browser that has nothing of them but what an
    /// app handed on. A program could press its button.
    let mayConsent: Bool
    /// Whether the client knows people by their DIDs, and the session's person has none.
    let lacksDID: Bool

    /// The steps already done for this very request.
    struct FlowMarks: Hashable, Sendable {
        var authenticatedSession: String?
        var hasSelectedAccount = false
    }

    func next(at now: Int64) -> Interaction {
        request.prompt.contains(.none) ? withoutInteraction(now) : withInteraction(now)
    }

    /// `prompt=none`: no page, whatever happens (OpenID Connect Core §3.1.2.1, §3.1.2.6).
    private func withoutInteraction(_ now: Int64) -> Interaction {
        guard let session, !isTooOld(session, now), isNamed else {
            return .refuse(OAuthError(.loginRequired, "The person has to sign in."))
        }
        if mustConfirmEmail {
            return .refuse(
                OAuthError(.interactionRequired, "The person has to confirm their address.")
            )
        }
        if mustSetUpSecondFactor {
            return .refuse(
                OAuthError(.interactionRequired, "The person has to add an authenticator app.")
            )
        }
        if action != nil {
            return .refuse(OAuthError(.interactionRequired, "The person has to be asked."))
        }
        if needsConsent {
            return .refuse(OAuthError(.consentRequired, "The person has to allow this."))
        }
        if lacksDID {
            return .refuse(OAuthError(.accessDenied, "This account has no DID yet."))
        }
        return .answer
    }

    private func withInteraction(_ now: Int64) -> Interaction {
        // Initiating User Registration via OpenID Connect §4: even if a person is signed in. An
        // account that was made, or signed in with, for this very request is what was asked for.
        if request.prompt.contains(.create),
            session == nil || session?.id != flow.authenticatedSession
        {
            return .register
        }
        guard let session else { return .signIn(.nobody) }
        // A sign-in for this very request satisfies prompt=login and max_age, even max_age=0, so
        // that going back in the browser does not ask again endlessly.
        let isFresh = flow.authenticatedSession == session.id
        guard isNamed else {
            return isFresh
                ? .refuse(
                    OAuthError(.loginRequired, "Another person than the one asked for signed in.")
                )
                : .signIn(.another)
        }
        if !isFresh, request.prompt.contains(.login) || isTooOld(session, now) {
            return .signIn(.again)
        }
        if request.prompt.contains(.selectAccount), !isFresh, !flow.hasSelectedAccount {
            return .selectAccount
        }
        if mustSetUpSecondFactor { return .setUpSecondFactor }
        if mustConfirmEmail { return isProof ? .confirmEmail : .signIn(.again) }
        if let action { return act(action) }
        if lacksDID { return .withoutDID }
        guard needsConsent else { return .answer }
        return mayConsent ? .consent : .signIn(.again)
    }

    /// To change how an account is reached, the person must have proven just now who they are.
    private func act(_ action: RequestedAction.Kind) -> Interaction {
        guard !isHandedOn, isProof else { return .signIn(.again) }
        return switch action {
        case .updatePassword: .updatePassword
        case .configureTOTP: .setUpSecondFactor
        }
    }

    /// `max_age`: the last authentication is too long ago; with 0 it always is (OpenID Connect Core
    /// §3.1.2.1).
    private func isTooOld(_ session: PersonSession, _ now: Int64) -> Bool {
        guard let maxAge = request.maxAge else { return false }
        // A provider may have answered by a session that it had: then it proves nothing new.
        let proven = session.identity == nil ? session.authenticatedAt : session.provenAt
        return maxAge == 0 || proven.map { now - $0 > maxAge } ?? true
    }
}
