/// How a client gets tokens (RFC 6749 §1.3).
package enum GrantType: String, CaseIterable, Hashable, Sendable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
}
