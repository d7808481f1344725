package import Logging
import Portico
import PorticoBytes
import PorticoStores

/// Security events of the BFF as log lines; never a token, code or address of a mailbox (OWASP
/// ASVS 16.3). What happened to an account stands in the audit trail as well.
package struct BackendEvents: Sendable {
    private let logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    func providerFailed(_ provider: String, _ error: SignInError, _ visit: BackendVisit) {
        // A change of mind is nobody's failure.
        if case .cancelled = error.kind {
            return log("sign_in.cancelled", visit, ["provider": provider])
        }
        var facts = ["provider": provider, "why": error.description]
        if case .misconfigured(.clientRefused) = error.kind {
            facts["advice"] =
                "Compare client id, secret and redirect URIs with what is registered there."
        }
        log("provider.failed", visit, facts, level: .warning)
    }

    /// Several accounts have the address of somebody new. Whoever runs the service may have to join
    /// them (docs/decisions/0030).
    func severalMatches(_ matches: [AccountMatch], _ provider: String, _ visit: BackendVisit) {
        log(
            "accounts.same_address",
            visit,
            [
                "provider": provider,
                "accounts": matches.map(\.accountID.text).joined(separator: ","),
            ],
            level: .warning
        )
    }

    func handOffRefused(_ refusal: HandOffRefusal, app: String, _ visit: BackendVisit) {
        log("hand_off.refused", visit, ["app": app, "why": refusal.rawValue])
    }

    func refreshReplayed(_ session: AccountSession, _ visit: BackendVisit) {
        log(
            "refresh.replayed",
            visit,
            ["session": session.id.text, "account": session.accountID.text]
        )
    }

    func logoutTokenRefused(_ provider: String, _ why: String, _ visit: BackendVisit) {
        log("logout_token.refused", visit, ["provider": provider, "why": why])
    }

    func providerEndedSessions(_ provider: String, _ count: Int, _ visit: BackendVisit) {
        log("sign_out.provider", visit, ["provider": provider, "sessions": "\(count)"])
    }

    package func providerUnusable(_ failure: BackendDirectory.Failure) {
        logger.error(
            "provider cannot be used",
            metadata: [
                "provider": .string(failure.provider), "why": .string("\(failure.error)"),
            ]
        )
    }

    /// An error that nobody expected.
    func failed(_ error: any Error, _ visit: BackendVisit) {
        logger.error(
            "unexpected error",
            metadata: [
                "request": .string(visit.requestID), "kind": .string("\(type(of: error))"),
            ]
        )
    }

    private func log(
        _ event: String,
        _ visit: BackendVisit,
        _ facts: [String: String],
        level: Logger.Level = .notice
    ) {
        var metadata: Logger.Metadata = [
            "event": .string(event),
            "request": .string(visit.requestID),
            "address": .string(visit.address),
        ]
        for (name, value) in facts { metadata[name] = .string(value) }
        logger.log(level: level, "security event", metadata: metadata)
    }
}
