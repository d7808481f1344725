import Crypto
package import PorticoBytes

/// The secret that proves at the token endpoint which client made the authorization request (RFC
/// 7636 §4.1): 43 to 128 unreserved characters.
package struct CodeVerifier: Sendable, Equatable {
    private let secret: SecretText

    /// - Returns: `nil` if the text has another length or alphabet.
    package init?(_ text: String) {
        guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy({ $0.isUnreserved })
        else {
            return nil
        }
        secret = SecretText(text)
    }

    /// A new verifier: 32 random octets as 43 characters.
    package init(random: RandomSource) {
        secret = SecretText(random.text(32))
    }

    package func reveal() -> String { secret.reveal() }

    /// RFC 7636 §4.2, method `S256`, the only one supported.
    package var challenge: CodeChallenge {
        CodeChallenge(hash: Hash256(of: secret.reveal()))
    }
}

/// The SHA-256 of a ``CodeVerifier``, sent in the authorization request (RFC 7636 §4.2).
package struct CodeChallenge: Hashable, Sendable {
    package let hash: Hash256

    /// - Returns: `nil` if the text is not 43 characters of base64url, as every SHA-256 is.
    package init?(_ text: String) {
        guard text.utf8.count == 43, let bytes = Base64URL.decode(text) else { return nil }
        hash = Hash256(kept: bytes)
    }

    package init(hash: Hash256) {
        self.hash = hash
    }

    package var text: String { Base64URL.encode(hash.bytes) }

    /// Whether this challenge was made from `verifier`, in constant time (RFC 7636 §4.6).
    package func isMet(by verifier: CodeVerifier) -> Bool {
        ConstantTime.equal(verifier.challenge.hash.bytes, hash.bytes)
    }
}
