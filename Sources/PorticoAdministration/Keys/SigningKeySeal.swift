package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores

/// Seals the private keys of realms for the database, and opens them (docs/decisions/0038).
package struct SigningKeySeal: Sendable {
    private let seal: SealedAtRest

    package init(ring: KeyRing) {
        seal = SealedAtRest(ring: ring, purpose: "signing key")
    }

    package func seal(_ key: SigningKey, realmID: String, random: RandomSource) -> String {
        Base64URL.encode(
            seal.seal(key.revealStored(), for: Self.owner(realmID, key.keyID), random: random)
        )
    }

    /// - Throws: if the ring does not have the key it was sealed with, or the row was changed.
    package func open(_ record: SigningKeyRecord) throws -> SigningKey {
        guard let sealed = Base64URL.decode(record.sealedPrivateKey) else {
            throw SealError.doesNotOpen
        }
        let secret = try seal.open(sealed, for: Self.owner(record.realmID, record.keyID))
        return try SigningKey(record.algorithm, stored: secret, keyID: record.keyID)
    }

    private static func owner(_ realmID: String, _ keyID: String) -> String {
        realmID + "/" + keyID
    }
}
