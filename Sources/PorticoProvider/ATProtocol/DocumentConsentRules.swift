import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Whether a person must be asked before a client with a document gets anything (AT Protocol, OAuth,
/// Authorization Interface; Client ID Metadata Document §6.3).
///
/// Always, unless a confidential client names the account, the person was signed in before, and they
/// allowed the same or more to the client as it is now.
struct DocumentConsentRules: Sendable {
    private let documented: DocumentedClient
    private let proven: ProvenRequest
    /// Whether the session was there before this request.
    private let isRemembered: Bool

    /// - Returns: `nil` for a registered client.
    init?(_ proven: ProvenRequest, isRemembered: Bool) {
        guard let documented = proven.client.documented else { return nil }
        self.documented = documented
        self.proven = proven
        self.isRemembered = isRemembered
    }

    /// Whether the answer depends on earlier consent.
    var dependOnEarlier: Bool {
        proven.client.type == .confidential && proven.request.loginHint != nil && isRemembered
            && !proven.request.prompt.contains(.consent)
    }

    /// - Parameter earlier: What the person has already allowed the client; `nil` for nothing.
    func isNeeded(earlier: DocumentConsent?) -> Bool {
        guard dependOnEarlier, let earlier else { return true }
        return earlier.fingerprint != documented.document.fingerprint
            || !proven.scope.isSubset(of: earlier.scope)
    }
}

extension AuthorizationFlow {
    /// Whether the session was not begun for this very request.
    func isRemembered(_ session: LiveBrowserSession) -> Bool {
        authenticatedSession.map { !sameBytes($0, session.session.id) } ?? true
    }
}
