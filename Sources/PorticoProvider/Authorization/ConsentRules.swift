import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoStores

/// Whether a person must be asked before a client gets anything (docs/decisions/0039, RFC 8252
/// §8.6, OpenID Connect Core §3.1.2.4), or before one gets their administrative rights
/// (docs/decisions/0071). A client that describes itself is asked about again once it has changed
/// (Client ID Metadata Document §6.3).
struct ConsentRules: Sendable {
    let client: Client
    let redirect: PermittedRedirect
    let request: AuthorizationRequest
    let scope: Scope
    /// Whether the session was there before this request.
    let isRemembered: Bool

    /// - Parameters:
    ///   - earlier: What the person has already allowed the client; `nil` for nothing.
    func isNeeded(earlier: Consent?) -> Bool {
        if request.prompt.contains(.consent) || client.lendsByName(at: redirect) { return true }
        guard client.requiresConsent else { return false }
        guard dependsOnEarlier, let earlier else { return true }
        return !earlier.covers(scope, of: client)
    }

    /// Whether the answer depends on earlier consent: it counts only if no other app can receive the
    /// answer.
    var dependsOnEarlier: Bool {
        guard client.requiresConsent, !request.prompt.contains(.consent) else { return false }
        return switch client.consentMemory {
        case .kept: redirect.assuresClient
        case .namedAccount: request.loginHint != nil && isRemembered
        case .none: false
        }
    }
}

extension AuthorizationFlow {
    /// Whether the session was not begun for this very request.
    func isRemembered(_ session: LiveSession) -> Bool {
        authenticatedSession.map { !sameBytes($0, session.session.id) } ?? true
    }
}

extension Client {
    /// Whether people administer by it, and any program on their device can use its name with that
    /// redirect: then a page asks each time.
    func lendsByName(at redirect: PermittedRedirect) -> Bool {
        type == .public && lendsAdministration && !redirect.assuresClient
    }
}
