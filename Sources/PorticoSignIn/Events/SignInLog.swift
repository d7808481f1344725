package import Logging
package import Portico
import PorticoBytes
package import PorticoStores
import PorticoWeb

/// Security events of signing in, and of the backend, as log lines; never a token, a code or an email address (OWASP ASVS
/// 16.3). Events of an account are in the audit trail as well.
package struct SignInLog: Sendable {
    private let logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    package func providerFailed(_ provider: String, _ error: SignInError, _ context: SignInContext)
    {
        switch error.kind {
        // A person who cancels is not a failure.
        case .cancelled, .denied:
            return log(.signInCancelled, context, ["provider": provider])
        default: break
        }
        var facts = ["provider": provider, "why": error.description]
        if case .misconfigured(.clientRefused) = error.kind {
            facts["advice"] =
                "Compare client id, secret and redirect URIs with what is registered there."
        }
        log(.providerFailed, context, facts, level: .warning)
    }

    /// Several accounts have the address of a new person. The operator may have to join them
    /// (docs/decisions/0030).
    func severalMatches(_ matches: [AccountMatch], _ provider: String, _ context: SignInContext) {
        log(
            .accountsMatch,
            context,
            [
                "provider": provider,
                "accounts": matches.map(\.personID).joined(separator: ","),
            ],
            level: .warning
        )
    }

    package func handOffRefused(_ refusal: HandOffRefusal, app: String, _ context: SignInContext) {
        log(.handOffRefused, context, ["app": app, "why": refusal.rawValue])
    }

    package func refreshReplayed(_ session: PersonSession, _ context: SignInContext) {
        log(
            .refreshReplayed,
            context,
            ["session": session.id, "account": session.personID]
        )
    }

    /// A sign-in by handle did not begin, or did not end in a session.
    ///
    /// - Parameter step: Where: a literal.
    package func handleFailed(
        _ fault: HandleFault,
        _ context: SignInContext,
        _ step: StaticString = "start"
    ) {
        let place = ["why": fault.word, "step": "\(step)"]
        log(.handleFailed, context, place.merging(fault.details) { $1 })
    }

    /// A person goes on at the host that the account which signed in belongs to.
    ///
    /// - Parameter did: From a form of ours.
    package func handleAgain(_ did: String, _ context: SignInContext) {
        log(.handleAgain, context, ["did": did])
    }

    /// - Parameter session: The one that ended; `nil`: that of the request.
    func signedOut(
        _ live: LiveSession,
        session: String? = nil,
        isEverywhere: Bool = false,
        _ context: SignInContext
    ) {
        log(
            isEverywhere ? .signedOutElsewhere : .signedOut,
            context,
            ["sub": live.person.id, "sid": session ?? live.session.id]
        )
    }

    /// A person ended the session that an app had of its own.
    func appRemoved(_ client: String, _ live: LiveSession, _ context: SignInContext) {
        log(.tokenRevoked, context, ["sub": live.person.id, "client": client])
    }

    func logoutTokenRefused(_ provider: String, _ why: String, _ context: SignInContext) {
        log(.logoutTokenRefused, context, ["provider": provider, "why": why])
    }

    func providerEndedSessions(_ provider: String, _ count: Int, _ context: SignInContext) {
        log(.signedOutByProvider, context, ["provider": provider, "sessions": "\(count)"])
    }

    package func providerUnusable(_ failure: ProviderRegister.Failure) {
        logger.error(
            "provider cannot be used",
            metadata: ["provider": .string(failure.provider), "why": .string("\(failure.error)")]
        )
    }

    /// An unexpected error.
    func failed(_ error: any Error, _ context: SignInContext) {
        logger.error(
            "unexpected error",
            metadata: [
                "request": .string(context.requestID), "kind": .string("\(type(of: error))"),
            ]
        )
    }

    private func log(
        _ kind: Event.Kind,
        _ context: SignInContext,
        _ facts: [String: String],
        level: Logger.Level = .notice
    ) {
        var metadata: Logger.Metadata = [
            "event": .string(kind.rawValue),
            "request": .string(context.requestID),
            "address": .string(context.address),
        ]
        if let realm = context.realm { metadata["realm"] = .string(realm.name) }
        for (name, value) in facts { metadata[name] = .string(value) }
        logger.log(level: level, "security event", metadata: metadata)
    }
}
