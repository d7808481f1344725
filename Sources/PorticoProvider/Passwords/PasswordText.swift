import Foundation
import PorticoBytes

/// A password as somebody typed it, normalised once (Unicode NFC) and the same way when it is set
/// and when it is checked.
package struct PasswordText: Sendable {
    private let secret: SecretText

    /// The longest password in bytes: a bound against hashing as a denial of service.
    package static let maximumLength = 1024

    /// - Returns: `nil` where the text is longer than ``maximumLength``. Nothing is cut off.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        secret = SecretText(text.precomposedStringWithCanonicalMapping)
    }

    package var bytes: [UInt8] { Array(secret.reveal().utf8) }

    /// How many characters somebody sees.
    package var characterCount: Int { secret.reveal().count }

    /// For comparing with lists of bad passwords.
    var folded: String { secret.reveal().lowercased() }
}
