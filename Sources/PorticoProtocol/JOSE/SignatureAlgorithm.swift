import Crypto
import PorticoBytes

/// The algorithm that signs a token (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` and the HMAC family are not cases, so a list of allowed algorithms cannot hold them, and
/// a public key cannot be mistaken for a shared secret (RFC 8725 §2.1).
package enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// ECDSA over P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519, the only supported curve of RFC 8037.
    case edDSA = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256, OpenID Connect's default.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256.
    case ps256 = "PS256"
}

extension SignatureAlgorithm {
    /// The left half of the algorithm's hash: `at_hash` of an access token and `c_hash` of a code
    /// (OpenID Connect Core §3.1.3.6, §3.3.2.11).
    package func leftHalfHash(of text: String) -> String {
        let bytes = Array(text.utf8)
        return switch self {
        case .es256, .rs256, .ps256: Base64URL.encode(SHA256.hash(data: bytes).prefix(16))
        case .edDSA: Base64URL.encode(SHA512.hash(data: bytes).prefix(32))
        }
    }
}
