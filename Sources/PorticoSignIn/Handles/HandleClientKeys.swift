import HTTPTypes
import PorticoATProtocol
package import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
package import PorticoStores
import PorticoWeb

/// The keys that authenticate this server to hosts (RFC 7523 §2.2; AT Protocol, OAuth, Confidential
/// Client Authentication).
package struct HandleClientKeys: Sendable {
    /// The usable keys, beginning with the one used last.
    private let keys: [(activeFrom: Int64, key: SigningKey)]

    /// How many seconds a new key is published before it is used: hosts keep what they fetched for
    /// ten minutes, and a cache in between may be a minute old.
    package static let publishedFirst: Int64 = 660

    /// - Parameter records: A withdrawn one is not used, whatever else it says.
    init(_ records: [HandleClientKey], ring: KeyRing) {
        let vault = Self.vault(ring)
        keys = records.compactMap { record in
            guard record.withdrawnAt == nil,
                let algorithm = SignatureAlgorithm.allCases.first(where: {
                    sameBytes($0.rawValue, record.algorithm)
                }),
                let sealed = Base64URL.decode(record.sealedPrivateKey),
                // `try?`: a key that does not open counts as withdrawn, so its sessions end.
                let stored = try? vault.open(sealed, for: record.keyID),
                // `try?`: the same reason.
                let key = try? SigningKey(algorithm, stored: stored, keyID: record.keyID)
            else { return nil }
            return (record.activeFrom, key)
        }
    }

    /// The key of new sessions; `nil` if there is none yet.
    func current(at now: Int64) -> SigningKey? {
        keys.first { $0.activeFrom <= now }?.key
    }

    /// A session's own key; `nil` if it must no longer be used.
    func key(_ id: String) -> SigningKey? {
        keys.first { sameBytes($0.key.keyID, id) }?.key
    }

    /// Includes keys that are not used yet, and keys that only old sessions use.
    package var published: JWKSet { JWKSet(keys.map(\.key.verificationKey)) }

    fileprivate static func vault(_ ring: KeyRing) -> SealedAtRest {
        SealedAtRest(ring: ring, purpose: "handle client key")
    }
}

extension HandleClientKey {
    /// A new key, to be used once every host can have seen it (ATP-CA-5).
    package static func next(ring: KeyRing, at moment: Moment) throws(JWKError) -> HandleClientKey {
        try HandleClientKey(ring: ring, usedAfter: HandleClientKeys.publishedFirst, at: moment)
    }

    /// A new key.
    ///
    /// - Parameter delay: How many seconds it is published before its use.
    package init(ring: KeyRing, usedAfter delay: Int64, at moment: Moment) throws(JWKError) {
        var key = try SigningKey(generating: .es256, random: moment.random)
        // Commands take its id, where a hyphen would begin an option.
        while key.keyID.hasPrefix("-") {
            key = try SigningKey(generating: .es256, random: moment.random)
        }
        let sealed = HandleClientKeys.vault(ring).seal(
            key.revealStored(),
            for: key.keyID,
            random: moment.random
        )
        self.init(
            keyID: key.keyID,
            algorithm: key.algorithm.rawValue,
            sealedPrivateKey: Base64URL.encode(sealed),
            createdAt: moment.seconds,
            activeFrom: moment.seconds + delay
        )
    }
}
