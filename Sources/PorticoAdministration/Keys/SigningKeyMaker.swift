package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
import PorticoSystem

/// Makes signing keys, sealed for the store.
package struct SigningKeyMaker: Sendable {
    private let seal: SigningKeySeal

    package init(ring: KeyRing) {
        seal = SigningKeySeal(ring: ring)
    }

    /// - Parameter activeFrom: When it starts signing tokens; seconds since 1970.
    package func make(
        _ algorithm: SignatureAlgorithm,
        realmID: String,
        activeFrom: Int64,
        at moment: Moment
    ) throws -> SigningKeyRecord {
        let key = try SigningKey(
            generating: algorithm,
            keyID: Self.keyID(at: moment),
            random: moment.random
        )
        return SigningKeyRecord(
            realmID: realmID,
            keyID: key.keyID,
            algorithm: algorithm,
            sealedPrivateKey: seal.seal(key, realmID: realmID, random: moment.random),
            createdAt: moment.seconds,
            activeFrom: activeFrom
        )
    }

    /// `2026-11-21-` and 48 random bits: an administrator sees a key's age, and key IDs are unique
    /// across realms (RFC 7517 §4.5).
    private static func keyID(at moment: Moment) -> String {
        let day = moment.now.formatted(.iso8601.year().month().day())
        return "\(day)-\(moment.random.text(6))"
    }
}
