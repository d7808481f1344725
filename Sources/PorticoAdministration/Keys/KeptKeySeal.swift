package import PorticoBytes
package import PorticoSeals
import PorticoStores

/// Seals the secrets of keys that sign nothing here, and opens them (docs/decisions/0038).
package struct KeptKeySeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "kept key")
    }

    package func seal(
        _ secret: [UInt8],
        of keyID: String,
        realmID: String,
        random: RandomSource
    ) -> String {
        Base64URL.encode(seal.seal(secret, for: realmID + "/" + keyID, random: random))
    }

    /// - Throws: if the ring does not have the key it was sealed with, or the row was changed.
    package func open(_ sealed: String, of keyID: String, realmID: String) throws -> [UInt8] {
        guard let bytes = Base64URL.decode(sealed) else { throw SealError.doesNotOpen }
        return try seal.open(bytes, for: realmID + "/" + keyID)
    }
}
