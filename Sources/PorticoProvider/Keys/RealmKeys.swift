package import PorticoProtocol
import PorticoSeals
import PorticoStores

/// The signing keys of a realm: those that sign, and those that verify what was signed before.
package struct RealmKeys: Sendable {
    private struct Entry: Sendable {
        let key: SigningKey
        let activeFrom: Int64
        let retiredFrom: Int64?
    }

    private let entries: [Entry]
    /// The JWK set as it is sent (RFC 7517 §5): public members only.
    package let keySet: [UInt8]
    /// The keys that verify, whatever their age; a token's own times tell whether it still counts.
    package let verificationKeys: [VerificationKey]

    init(_ records: [SigningKeyRecord], ring: KeyRing) throws {
        let seal = SigningKeySeal(ring: ring)
        entries = try records.sorted { $0.activeFrom > $1.activeFrom }.map { record in
            Entry(
                key: try seal.open(record),
                activeFrom: record.activeFrom,
                retiredFrom: record.retiredFrom
            )
        }
        verificationKeys = entries.map(\.key.verificationKey)
        keySet = JWKSet(verificationKeys).serialized()
    }

    /// The newest key of that algorithm that is active at `now` (seconds since 1970).
    func active(_ algorithm: SignatureAlgorithm, at now: Int64) -> SigningKey? {
        entries.first {
            $0.key.algorithm == algorithm && $0.activeFrom <= now
                && ($0.retiredFrom.map { now < $0 } ?? true)
        }?.key
    }

    /// The algorithms that some key signs with.
    package var algorithms: [SignatureAlgorithm] {
        SignatureAlgorithm.allCases.filter { algorithm in
            entries.contains { $0.key.algorithm == algorithm }
        }
    }
}
