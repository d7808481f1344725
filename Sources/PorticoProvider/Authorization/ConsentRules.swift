import PorticoAdministration
import PorticoProtocol
import PorticoStores

/// Whether a person must be asked before a client gets anything (docs/decisions/0039, RFC 8252
/// §8.6, OpenID Connect Core §3.1.2.4), or before one gets their administrative rights
/// (docs/decisions/0071).
struct ConsentRules: Sendable {
    let client: Client
    let redirect: PermittedRedirect
    let request: AuthorizationRequest
    let scope: Scope

    /// - Parameters:
    ///   - earlier: What the person has already allowed the client; `nil` for nothing.
    func isNeeded(earlier: Scope?) -> Bool {
        if request.prompt.contains(.consent) || client.lendsByName(at: redirect) { return true }
        guard client.requiresConsent else { return false }
        // Earlier consent counts only if no other app can receive the answer.
        guard redirect.assuresClient, let earlier else { return true }
        return !scope.isSubset(of: earlier)
    }

    /// Whether the answer depends on earlier consent.
    var dependsOnEarlier: Bool {
        client.requiresConsent && redirect.assuresClient && !request.prompt.contains(.consent)
    }
}

extension Client {
    /// Whether people administer by it, and any program on their device can use its name with that
    /// redirect: then a page asks each time.
    func lendsByName(at redirect: PermittedRedirect) -> Bool {
        type == .public && lendsAdministration && !redirect.assuresClient
    }
}
