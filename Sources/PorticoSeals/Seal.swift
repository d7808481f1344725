import Crypto
package import PorticoBytes
package import PorticoSystem

/// Encrypts data for a holder that must return it unread and unchanged: a cookie, an authorization
/// code, a pending request (RFC 6749 §10.3, §10.5).
///
/// A seal is `version1 ‖ masterKeyID4 ‖ day4 ‖ nonce12 ‖ ciphertext ‖ tag16` in base64url,
/// AES-256-GCM with the key HKDF(master, purpose ‖ realm ‖ day). Each purpose and each realm has
/// its own keys, so a seal made for one is not valid for another. The time of sealing is inside.
package struct Seal: Sendable {
    private let ring: KeyRing
    private let purpose: [UInt8]
    private let realm: [UInt8]

    /// - Parameters:
    ///   - purpose: What the seal is for, a unique literal.
    ///   - realm: The realm's id; empty for none.
    package init(ring: KeyRing, purpose: StaticString, realm: String) {
        self.ring = ring
        self.purpose = bytes(purpose)
        self.realm = Array(realm.utf8)
    }

    /// How far another node's clock may be ahead, in seconds.
    private static let tolerance: TimeInterval = 60
    private static let version: UInt8 = 1
    private static let headerLength = 9
    private static let nonceLength = 12
    private static let tagLength = 16
    private static let issuedLength = 8
    private static let shortest = headerLength + nonceLength + issuedLength + tagLength

    /// How many bytes longer a seal is than its plaintext, before base64url.
    package static let overhead = shortest

    /// `plaintext` under the ring's active key, in base64url: 60 characters more than its own
    /// base64url.
    package func seal(_ plaintext: [UInt8], at now: Date, random: RandomSource) -> String {
        let milliseconds = Self.milliseconds(now)
        let day = Self.day(milliseconds)
        let header = [Self.version] + ring.activeID.bytes + day.bigEndianBytes
        guard let key = key(day, from: ring.activeID, remembering: true),
            // `try?`: fails only for a length other than 12.
            let nonce = try? AES.GCM.Nonce(data: random.bytes(Self.nonceLength)),
            // `try?`: fails only for another key size, which no ring holds.
            let box = try? AES.GCM.seal(
                milliseconds.bigEndianBytes + plaintext,
                using: key,
                nonce: nonce,
                authenticating: associated(header)
            )
        else { preconditionFailure("A ring always has its active key, 32 bytes long.") }
        var sealed = header
        sealed.reserveCapacity(plaintext.count + Self.shortest)
        sealed += nonce
        sealed += box.ciphertext
        sealed += box.tag
        return Base64URL.encode(sealed)
    }

    /// The sealed plaintext.
    ///
    /// - Parameters:
    ///   - lifetime: How many seconds after sealing it still opens.
    ///   - maximumLength: A longer text is refused before any key is derived.
    package func open(
        _ text: some Collection<UInt8>,
        at now: Date,
        within lifetime: TimeInterval,
        maximumLength: Int = 4096
    ) throws(SealError) -> [UInt8] {
        try opened(text, at: now, within: lifetime, maximumLength: maximumLength).plaintext
    }

    /// The same with the time of sealing, to the millisecond.
    package func opened(
        _ text: some Collection<UInt8>,
        at now: Date,
        within lifetime: TimeInterval,
        maximumLength: Int
    ) throws(SealError) -> (plaintext: [UInt8], sealedAt: Date) {
        guard text.count <= maximumLength, let sealed = Base64URL.decode(text),
            sealed.count >= Self.shortest, sealed[0] == Self.version,
            let id = KeyRing.KeyID(bytes: sealed[1..<5])
        else { throw .doesNotOpen }
        let day = UInt32(bigEndianBytes: sealed[5..<9])
        let latest = Self.day(Self.milliseconds(now.addingTimeInterval(Self.tolerance)))
        let earliest = Self.day(Self.milliseconds(now.addingTimeInterval(-lifetime)))
        guard day <= latest,
            // Days outside the life of any seal are not cached: otherwise an attacker could fill
            // the cache.
            let key = key(day, from: id, remembering: day >= earliest)
        else { throw .doesNotOpen }
        let plaintext = try decrypt(sealed, with: key)
        let milliseconds = UInt64(bigEndianBytes: plaintext.prefix(Self.issuedLength))
        guard Self.day(milliseconds) == day else { throw .doesNotOpen }
        let issued = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        guard issued.timeIntervalSince(now) <= Self.tolerance else { throw .fromTheFuture }
        guard now.timeIntervalSince(issued) < lifetime else { throw .expired }
        return (Array(plaintext.dropFirst(Self.issuedLength)), issued)
    }

    package func open(
        _ text: String,
        at now: Date,
        within lifetime: TimeInterval,
        maximumLength: Int = 4096
    ) throws(SealError) -> [UInt8] {
        try open(text.utf8, at: now, within: lifetime, maximumLength: maximumLength)
    }

    private func decrypt(_ sealed: [UInt8], with key: SymmetricKey) throws(SealError) -> [UInt8] {
        let header = Array(sealed.prefix(Self.headerLength))
        do {
            // Nonce, ciphertext and tag, in this order.
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Self.headerLength))
            return Array(
                try AES.GCM.open(box, using: key, authenticating: associated(header))
            )
        } catch {
            throw .doesNotOpen
        }
    }

    private func associated(_ header: [UInt8]) -> [UInt8] {
        lengthPrefixed([purpose, realm, header])
    }

    private func key(_ day: UInt32, from id: KeyRing.KeyID, remembering: Bool) -> SymmetricKey? {
        ring.derive(
            [bytes("portico seal 1"), purpose, realm, day.bigEndianBytes],
            from: id,
            remembering: remembering
        )
    }

    // MARK: Time

    /// Milliseconds since 1970; a clock before that, or after the year 292 million, counts as 1970.
    private static func milliseconds(_ date: Date) -> UInt64 {
        UInt64(exactly: (date.timeIntervalSince1970 * 1000).rounded(.down)) ?? 0
    }

    private static func day(_ milliseconds: UInt64) -> UInt32 {
        UInt32(clamping: milliseconds / 86_400_000)
    }
}
