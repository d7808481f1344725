import PorticoAdministration
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// What reads the refresh tokens that the server before has made, from when a realm swaps them on
/// (docs/decisions/0051).
struct FormerTokens: Sendable {
    let swap: TokenSwap
    private let keys: [HMACKey]

    /// - Returns: `nil` where the realm has never swapped any.
    /// - Throws: where the ring does not have the key that a secret was sealed with.
    init?(of realm: Realm, _ kept: [KeptKey], ring: KeyRing) throws {
        guard let swap = realm.tokenSwap else { return nil }
        let seal = KeptKeySeal(ring: ring)
        self.swap = swap
        keys = try kept.compactMap { key in
            guard key.kind == .hmac, let algorithm = HMACAlgorithm(wire: key.algorithm),
                let sealed = key.sealed
            else { return nil }
            let secret = try seal.open(sealed, of: key.keyID, realmID: key.realmID)
            // `try?`: a secret that is too short verifies nothing.
            return try? HMACKey(algorithm, secret: secret, keyID: key.keyID)
        }
    }

    /// Whether the window is open at `now` (seconds since 1970): tokens are swapped, or may be again, and
    /// what has ended must be known then.
    func isOpen(at now: Int64) -> Bool { now < swap.closesAt }

    /// The key that a token names.
    func key(named keyID: String) -> HMACKey? {
        keys.first { $0.keyID.map { sameBytes($0, keyID) } ?? false }
    }
}
