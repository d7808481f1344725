import Crypto
import PorticoBytes

/// How a token is signed (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` and the HMAC family are not among the cases, so no list of allowed algorithms can hold
/// them, and no public key can be taken for a shared secret (RFC 8725 §2.1).
package enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
    /// ECDSA over P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519; the only curve of RFC 8037 that we know.
    case edDSA = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256, which OpenID Connect presumes.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256.
    case ps256 = "PS256"
}

extension SignatureAlgorithm {
    /// The left half of the hash that the algorithm signs with: `at_hash` of an access token and
    /// `c_hash` of a code (OpenID Connect Core §3.1.3.6, §3.3.2.11).
    package func leftHalfHash(of text: String) -> String {
        let bytes = Array(text.utf8)
        return switch self {
        case .es256, .rs256, .ps256: Base64URL.encode(SHA256.hash(data: bytes).prefix(16))
        case .edDSA: Base64URL.encode(SHA512.hash(data: bytes).prefix(32))
        }
    }
}
