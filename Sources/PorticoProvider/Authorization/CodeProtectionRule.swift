import PorticoProtocol
import PorticoStores

/// What an authorization request must carry, so that a stolen code is worth nothing: to whoever redeems
/// it, or plays it into somebody else's sign-in (RFC 9700 §2.1.1). The one place where it is decided.
struct CodeProtectionRule: Sendable {
    let protection: CodeProtection

    init(of client: Client) {
        protection = client.codeProtection
    }

    func check(_ request: AuthorizationRequest) throws(OAuthError) {
        // RFC 7636 §4.4.1.
        if request.challenge != nil { return }
        switch protection {
        case .none: return
        case .pkce: throw OAuthError(.invalidRequest, "code_challenge is required.")
        case .pkceOrNonce:
            // It comes back in the ID Token only (OpenID Connect Core §3.1.3.7 (11)).
            guard request.nonce != nil, request.scope.contains("openid") else {
                throw OAuthError(
                    .invalidRequest,
                    "code_challenge is required, or a nonce with the scope openid."
                )
            }
        }
    }
}
