import Crypto
package import PorticoBytes

/// A six-digit code that is emailed, or shown in one browser to be entered in another: it is drawn,
/// stored as a keyed hash, and sealed for the email.
///
/// A plain hash of six digits could be reversed by trying them all (docs/decisions/0038).
package struct MailedCode: Sendable {
    private let ring: KeyRing

    package init(ring: KeyRing) {
        self.ring = ring
    }

    /// 000000 to 999999 with equal probability: values past the last whole million are drawn again.
    package static func draw(_ random: RandomSource) -> String {
        while true {
            let number = UInt32(bigEndianBytes: random.bytes(4))
            guard number < 4_294_000_000 else { continue }
            let digits = String(number % 1_000_000)
            return String(repeating: "0", count: 6 - digits.count) + digits
        }
    }

    /// The keyed hash of a code for its owner, as it was drawn or typed (``TypedCode``). A code made under an earlier key of the ring is no
    /// longer found: this affects ten minutes after each rotation.
    package func hash(of code: String, for owner: Hash256) -> Hash256? {
        guard let key = ring.derivedKey(purpose: "mailed code", from: ring.activeID) else {
            return nil
        }
        let message = owner.bytes + Array(TypedCode.compact(code).utf8)
        return Hash256(kept: Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
    }

    /// The code as stored in the outbox, for the email with that id.
    package func seal(_ code: String, for mail: UniqueID, random: RandomSource) -> String {
        let vault = SealedAtRest(ring: ring, purpose: "mailed code")
        return Base64URL.encode(vault.seal(Array(code.utf8), for: mail.text, random: random))
    }
}
