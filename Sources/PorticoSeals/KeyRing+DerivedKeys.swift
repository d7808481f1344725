package import Crypto
import PorticoBytes

extension KeyRing {
    /// A 32-byte key for `purpose` from the active master key, for HMACs stored together with
    /// ``activeID``, so that an old ring key can still verify them.
    package func derivedKey(purpose: StaticString) -> SymmetricKey? {
        derivedKey(purpose: purpose, from: activeID)
    }

    /// A 32-byte key for `purpose`, or `nil` if the ring does not hold `id`.
    package func derivedKey(purpose: StaticString, from id: KeyID) -> SymmetricKey? {
        derive([bytes("portico key 1"), bytes(purpose)], from: id, remembering: true)
    }

    /// HKDF-SHA256 of a master key (RFC 5869).
    ///
    /// - Parameters:
    ///   - label: The fields of the `info`, each preceded by its length, so that no two lists of
    ///     fields give the same bytes.
    ///   - remembering: Whether to cache the key. Not for labels that foreign input can choose.
    func derive(_ label: [[UInt8]], from id: KeyID, remembering: Bool) -> SymmetricKey? {
        guard let master = masters[id] else { return nil }
        let info = lengthPrefixed(label)
        let name = id.bytes + info
        if let known = cache.withLock({ $0[name] }) {
            return known
        }
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: master,
            info: info,
            outputByteCount: 32
        )
        if remembering {
            cache.withLock { keys in
                if keys.count >= Self.mostRemembered { keys.removeAll(keepingCapacity: true) }
                keys[name] = key
            }
        }
        return key
    }

    /// Purposes times realms times days in use; a full cache is cleared.
    static let mostRemembered = 1024

    /// The number of cached keys.
    var remembered: Int { cache.withLock { $0.count } }
}
