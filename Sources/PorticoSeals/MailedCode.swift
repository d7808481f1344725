import Crypto
package import PorticoBytes

/// Six digits that are mailed, or shown in one browser to be typed in another: drawn, kept as a keyed
/// hash, sealed into the mail.
///
/// A plain hash of six digits would be found by trying them all (docs/decisions/0038).
package struct MailedCode: Sendable {
    private let ring: KeyRing

    package init(ring: KeyRing) {
        self.ring = ring
    }

    /// 000000 to 999999, each as likely: what lies beyond the last whole million is drawn again.
    package static func draw(_ random: RandomSource) -> String {
        while true {
            let number = UInt32(bigEndianBytes: random.bytes(4))
            guard number < 4_294_000_000 else { continue }
            let digits = String(number % 1_000_000)
            return String(repeating: "0", count: 6 - digits.count) + digits
        }
    }

    /// A code as somebody typed it, without the blanks and dashes that people copy along.
    package static func typed(_ text: String) -> String {
        text.filter { !$0.isWhitespace && $0 != "-" }
    }

    /// The keyed hash of a code for whom or what it is. A code that was made under a former key of the
    /// ring is not found again: ten minutes, once a rotation.
    package func hash(of code: String, for owner: Hash256) -> Hash256? {
        guard let key = ring.derivedKey(purpose: "mailed code", from: ring.activeID) else {
            return nil
        }
        let message = owner.bytes + Array(code.utf8)
        return Hash256(kept: Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
    }

    /// The code as it waits in the outbox, for the mail of that id.
    package func seal(_ code: String, for mail: UniqueID, random: RandomSource) -> String {
        let vault = SealedAtRest(ring: ring, purpose: "mailed code")
        return Base64URL.encode(vault.seal(Array(code.utf8), for: mail.text, random: random))
    }
}
