import Crypto
import PorticoBytes

/// Identifies a public key by its content (RFC 7638 §3).
package struct JWKThumbprint: Hashable, Sendable {
    /// SHA-256, as base64url: 43 characters.
    package let text: String

    /// Hashes the required members only, in the order of their names, without white space.
    package init(_ jwk: JWK) {
        text = Base64URL.encode(SHA256.hash(data: jwk.requiredMembers.serialized()))
    }

    /// - Returns: `nil` if it is not the base64url of a SHA-256.
    package init?(_ text: String) {
        guard Base64URL.decode(text)?.count == 32 else { return nil }
        self.text = text
    }
}
