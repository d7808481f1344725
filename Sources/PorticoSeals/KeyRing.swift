package import Crypto
package import PorticoBytes

/// The master keys of an installation, one of them active (RFC 6819 §5.1.4.1.4, OWASP ASVS 11).
///
/// Every key that seals or authenticates data is derived from a master key with HKDF and a purpose,
/// so that no two uses share a key. A seal carries the id of the active key that made it; the other
/// keys still open what they sealed. To rotate: ``adding(random:)`` and copy the file to every
/// node, then ``activating(_:)``, and ``removing(_:)`` the old key after the longest life of a
/// seal.
///
/// - SeeAlso: ``load(_:)``, ``create(_:random:)``, ``loadOrCreate(_:random:)``
package struct KeyRing: Sendable {
    /// The id of a master key: four random bytes, printed as eight hexadecimal digits.
    package struct KeyID: Hashable, Sendable, CustomStringConvertible {
        package let value: UInt32

        package init(_ value: UInt32) {
            self.value = value
        }

        /// - Parameter bytes: Exactly four, most significant first; otherwise `nil`.
        package init?(bytes: some Collection<UInt8>) {
            guard bytes.count == 4 else { return nil }
            value = UInt32(bigEndianBytes: bytes)
        }

        package var bytes: [UInt8] { value.bigEndianBytes }

        package var description: String {
            Hexadecimal.text(bytes)
        }
    }

    /// The key that seals from now on.
    package let activeID: KeyID

    /// In the order of the file, oldest first.
    package let keyIDs: [KeyID]

    let masters: [KeyID: SymmetricKey]
    let cache: Locked<[[UInt8]: SymmetricKey]>

    /// - Parameter keys: 32 random bytes each, with unique ids, including `active`.
    package init(keys: [(id: KeyID, bytes: [UInt8])], active: KeyID) throws(KeyRingError) {
        var masters: [KeyID: SymmetricKey] = [:]
        for key in keys {
            guard key.bytes.count == 32 else { throw .malformed }
            guard masters.updateValue(SymmetricKey(data: key.bytes), forKey: key.id) == nil else {
                throw .malformed
            }
        }
        guard masters[active] != nil else { throw .malformed }
        self.masters = masters
        keyIDs = keys.map(\.id)
        activeID = active
        cache = Locked([:])
    }

    /// A ring with one new key.
    package init(random: RandomSource) throws(KeyRingError) {
        let id = KeyID(fresh: random, besides: [])
        try self.init(keys: [(id, random.bytes(32))], active: id)
    }

    package func contains(_ id: KeyID) -> Bool {
        masters[id] != nil
    }

    /// The ring with one more key, which opens but does not seal yet.
    package func adding(random: RandomSource) throws(KeyRingError) -> (ring: KeyRing, added: KeyID)
    {
        let id = KeyID(fresh: random, besides: keyIDs)
        return (try KeyRing(keys: keys + [(id, random.bytes(32))], active: activeID), id)
    }

    /// - Throws: ``KeyRingError/unknownKey`` if the ring does not hold `id`.
    package func activating(_ id: KeyID) throws(KeyRingError) -> KeyRing {
        guard contains(id) else { throw .unknownKey }
        return try KeyRing(keys: keys, active: id)
    }

    /// The ring without a key, which can then no longer open what that key sealed.
    ///
    /// - Throws: ``KeyRingError/unknownKey`` if the ring does not hold `id`, or it is the active
    ///   key.
    package func removing(_ id: KeyID) throws(KeyRingError) -> KeyRing {
        guard contains(id), id != activeID else { throw .unknownKey }
        return try KeyRing(keys: keys.filter { $0.id != id }, active: activeID)
    }

    /// The master keys themselves: only the file needs them.
    var keys: [(id: KeyID, bytes: [UInt8])] {
        keyIDs.compactMap { id in masters[id].map { (id, $0.withUnsafeBytes { Array($0) }) } }
    }
}

extension KeyRing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "KeyRing(active: \(activeID), keys: \(keyIDs.count))" }
    package var debugDescription: String { description }
    /// A ring never shows its keys.
    package var customMirror: Mirror { Mirror(self, children: ["active": activeID]) }
}

extension KeyRing.KeyID {
    /// An id that is not in use yet.
    fileprivate init(fresh random: RandomSource, besides taken: [Self]) {
        var candidate = Self(UInt32(bigEndianBytes: random.bytes(4)))
        while taken.contains(candidate) {
            candidate = Self(candidate.value &+ 1)
        }
        self = candidate
    }
}

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
