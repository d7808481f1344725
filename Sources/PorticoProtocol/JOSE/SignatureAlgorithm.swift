/// The signature algorithms that are accepted and made here (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// There is no `none` and no HMAC: what is not listed cannot be asked for.
package enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
    case es256 = "ES256"
    case edDSA = "EdDSA"
    case rs256 = "RS256"
    case ps256 = "PS256"
}
