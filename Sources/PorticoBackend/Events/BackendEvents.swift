package import Logging
import Portico
import PorticoBytes
import PorticoStores
import PorticoWeb

/// Security events of the BFF as log lines; never a token, a code or an email address (OWASP ASVS
/// 16.3). Events of an account are in the audit trail as well.
package struct BackendEvents: Sendable {
    private let logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    func providerFailed(_ provider: String, _ error: SignInError, _ context: BackendContext) {
        switch error.kind {
        // A person who cancels is not a failure.
        case .cancelled, .denied:
            return log("sign_in.cancelled", context, ["provider": provider])
        default: break
        }
        var facts = ["provider": provider, "why": error.description]
        if case .misconfigured(.clientRefused) = error.kind {
            facts["advice"] =
                "Compare client id, secret and redirect URIs with what is registered there."
        }
        log("provider.failed", context, facts, level: .warning)
    }

    /// Several accounts have the address of a new person. The operator may have to join them
    /// (docs/decisions/0030).
    func severalMatches(_ matches: [AccountMatch], _ provider: String, _ context: BackendContext) {
        log(
            "accounts.same_address",
            context,
            [
                "provider": provider,
                "accounts": matches.map(\.accountID.text).joined(separator: ","),
            ],
            level: .warning
        )
    }

    func handOffRefused(_ refusal: HandOffRefusal, app: String, _ context: BackendContext) {
        log("hand_off.refused", context, ["app": app, "why": refusal.rawValue])
    }

    func refreshReplayed(_ session: AccountSession, _ context: BackendContext) {
        log(
            "refresh.replayed",
            context,
            ["session": session.id.text, "account": session.accountID.text]
        )
    }

    /// A sign-in by handle did not begin, or did not end in a session.
    ///
    /// - Parameter step: Where: a literal.
    func handleFailed(
        _ fault: HandleFault,
        _ context: BackendContext,
        _ step: StaticString = "start"
    ) {
        let place = ["why": fault.word, "step": "\(step)"]
        log("handle.failed", context, place.merging(fault.details) { $1 })
    }

    /// A person goes on at the host that the account which signed in belongs to.
    ///
    /// - Parameter did: From a form of ours.
    func handleAgain(_ did: String, _ context: BackendContext) {
        log("handle.again", context, ["did": did])
    }

    func logoutTokenRefused(_ provider: String, _ why: String, _ context: BackendContext) {
        log("logout_token.refused", context, ["provider": provider, "why": why])
    }

    func providerEndedSessions(_ provider: String, _ count: Int, _ context: BackendContext) {
        log("sign_out.provider", context, ["provider": provider, "sessions": "\(count)"])
    }

    package func providerUnusable(_ failure: BackendDirectory.Failure) {
        logger.error(
            "provider cannot be used",
            metadata: [
                "provider": .string(failure.provider), "why": .string("\(failure.error)"),
            ]
        )
    }

    /// An unexpected error.
    func failed(_ error: any Error, _ context: BackendContext) {
        logger.error(
            "unexpected error",
            metadata: [
                "request": .string(context.requestID), "kind": .string("\(type(of: error))"),
            ]
        )
    }

    private func log(
        _ event: String,
        _ context: BackendContext,
        _ facts: [String: String],
        level: Logger.Level = .notice
    ) {
        var metadata: Logger.Metadata = [
            "event": .string(event),
            "request": .string(context.requestID),
            "address": .string(context.address),
        ]
        for (name, value) in facts { metadata[name] = .string(value) }
        logger.log(level: level, "security event", metadata: metadata)
    }
}
