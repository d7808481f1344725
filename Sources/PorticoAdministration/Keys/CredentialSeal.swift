package import PorticoBytes
package import PorticoSeals
import PorticoStores

/// Seals the secrets of second factors for the database, and opens them (docs/decisions/0038).
package struct CredentialSeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "second factor")
    }

    /// - Parameter id: The credential's, to which the secret is bound.
    package func seal(_ secret: SecretText, of id: String, random: RandomSource) -> String {
        Base64URL.encode(seal.seal(Array(secret.reveal().utf8), for: id, random: random))
    }

    /// - Throws: if the ring does not have the key it was sealed with, or the row was changed.
    package func open(_ sealed: String, of id: String) throws -> SecretText {
        guard let bytes = Base64URL.decode(sealed),
            let text = String(validUTF8: try seal.open(bytes, for: id))
        else { throw SealError.doesNotOpen }
        return SecretText(text)
    }
}
