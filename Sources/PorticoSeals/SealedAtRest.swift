import Crypto
package import PorticoBytes

/// Encrypts a stored secret that must be used again: a private key or a client secret in the
/// database (OWASP ASVS 13.3, RFC 6819 §5.1.4.1.4).
///
/// `version1 ‖ masterKeyID4 ‖ nonce12 ‖ ciphertext ‖ tag16`, AES-256-GCM. Unlike a ``Seal`` it does
/// not expire. It opens only for the owner it was sealed for, so rows cannot be exchanged.
package struct SealedAtRest: Sendable {
    private let ring: KeyRing
    private let purpose: [UInt8]

    /// - Parameter purpose: The kind of secret, a unique literal.
    package init(ring: KeyRing, purpose: StaticString) {
        self.ring = ring
        self.purpose = bytes(purpose)
    }

    private static let version: UInt8 = 2
    private static let headerLength = 5
    private static let nonceLength = 12
    private static let tagLength = 16

    /// - Parameter owner: The id of the secret's owner, for instance the key's or client's row.
    package func seal(_ secret: [UInt8], for owner: String, random: RandomSource) -> [UInt8] {
        let header = [Self.version] + ring.activeID.bytes
        guard let key = key(from: ring.activeID),
            // `try?`: fails only for a length other than 12.
            let nonce = try? AES.GCM.Nonce(data: random.bytes(Self.nonceLength)),
            // `try?`: fails only for another key size, which no ring holds.
            let box = try? AES.GCM.seal(
                secret,
                using: key,
                nonce: nonce,
                authenticating: associated(header, owner)
            )
        else { preconditionFailure("A ring always has its active key, 32 bytes long.") }
        return header + nonce + box.ciphertext + box.tag
    }

    /// - Throws: ``SealError/doesNotOpen`` for every failure.
    package func open(_ sealed: [UInt8], for owner: String) throws(SealError) -> [UInt8] {
        guard sealed.count >= Self.headerLength + Self.nonceLength + Self.tagLength,
            let id = keyID(of: sealed), let key = key(from: id)
        else { throw .doesNotOpen }
        let header = Array(sealed.prefix(Self.headerLength))
        do {
            // Nonce, ciphertext and tag, in this order.
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Self.headerLength))
            return Array(
                try AES.GCM.open(box, using: key, authenticating: associated(header, owner))
            )
        } catch {
            throw .doesNotOpen
        }
    }

    /// Whether an older master key sealed this. It must then be sealed again before that key is
    /// removed from the ring.
    package func isOutdated(_ sealed: [UInt8]) -> Bool {
        keyID(of: sealed) != ring.activeID
    }

    private func keyID(of sealed: [UInt8]) -> KeyRing.KeyID? {
        guard sealed.count >= Self.headerLength, sealed[0] == Self.version else { return nil }
        return KeyRing.KeyID(bytes: sealed[1..<Self.headerLength])
    }

    private func associated(_ header: [UInt8], _ owner: String) -> [UInt8] {
        lengthPrefixed([purpose, Array(owner.utf8), header])
    }

    private func key(from id: KeyRing.KeyID) -> SymmetricKey? {
        ring.derive([bytes("portico rest 1"), purpose], from: id, remembering: true)
    }
}
