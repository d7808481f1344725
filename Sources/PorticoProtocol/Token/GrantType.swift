/// How a client gets tokens (RFC 6749 §1.3).
package enum GrantType: String, CaseIterable, Hashable, Sendable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    /// RFC 8693. Not a matter of registration: which client may exchange for which other one is.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
}
