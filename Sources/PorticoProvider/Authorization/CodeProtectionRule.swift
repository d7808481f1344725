import PorticoProtocol
import PorticoStores

/// The protection that an authorization request must have, so that an attacker can neither redeem a
/// stolen code nor inject it into another person's sign-in (RFC 9700 §2.1.1). Only this rule
/// decides it.
struct CodeProtectionRule: Sendable {
    let protection: CodeProtection

    init(of client: Client) {
        protection = client.codeProtection
    }

    func check(_ request: AuthorizationRequest) throws(OAuthError) {
        try check(request.challenge, nonce: request.nonce, request.scope)
    }

    func check(_ challenge: CodeChallenge?, nonce: String?, _ scope: Scope) throws(OAuthError) {
        // RFC 7636 §4.4.1.
        if challenge != nil { return }
        switch protection {
        case .none: return
        case .pkce: throw OAuthError(.invalidRequest, "code_challenge is required.")
        case .pkceOrNonce:
            // The nonce comes back only in the ID Token (OpenID Connect Core §3.1.3.7 (11)).
            guard nonce != nil, scope.contains("openid") else {
                throw OAuthError(
                    .invalidRequest,
                    "code_challenge is required, or a nonce with the scope openid."
                )
            }
        }
    }
}
