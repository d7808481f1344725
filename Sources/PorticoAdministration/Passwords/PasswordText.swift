import PorticoBytes
import PorticoStores

/// A typed password, normalised (Unicode NFC) in the same manner when it is set and when it is
/// checked; and as it was typed, for hashes of servers that do not normalise.
package struct PasswordText: Sendable {
    private let secret: SecretText
    private let typed: SecretText

    /// The longest password in bytes: a limit against denial of service by hashing.
    package static let maximumLength = NormalForm.longest

    /// - Returns: `nil` if the text is longer than ``maximumLength``. It is never cut.
    package init?(_ text: String) {
        guard let normal = NormalForm.nfc(text) else { return nil }
        secret = SecretText(normal)
        typed = SecretText(text)
    }

    package var bytes: [UInt8] { Array(secret.reveal().utf8) }

    /// The bytes that a hash may have been made from: as typed, and ``bytes`` if they differ.
    var candidates: [[UInt8]] {
        let typed = Array(typed.reveal().utf8)
        return typed == bytes ? [bytes] : [typed, bytes]
    }

    /// The number of visible characters.
    package var characterCount: Int { secret.reveal().count }

    /// For comparing with lists of bad passwords.
    var folded: String { secret.reveal().lowercased() }
}
