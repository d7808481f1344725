/// Text that strangers send, bounded before anything is done with it.
///
/// Swift's `String` normalises to compare, to hash and to fold, and for a text that is not all ASCII
/// that can take time with the square of its length: seconds for 32 kB of combining marks. So a text
/// from outside becomes a `String` only where it is ASCII, or at most ``longest`` bytes: whatever
/// is done with it afterwards is cheap.
package enum ForeignText {
    /// The longest text that may hold anything but ASCII, in bytes: as long as the longest password,
    /// and four times an e-mail address.
    package static let longest = 1024

    /// Whether the bytes are all ASCII, or few enough.
    package static func isBounded(_ text: some Collection<UInt8>) -> Bool {
        text.count <= longest || withBytes(of: text) { $0.allSatisfy { $0 < 0x80 } }
    }

    /// - Returns: `nil` where the bytes are not UTF-8, or not bounded.
    package static func decoded(_ bytes: [UInt8]) -> String? {
        isBounded(bytes) ? String(validating: bytes, as: UTF8.self) : nil
    }
}

/// A text as a key: two keys are one only where their bytes are (RFC 6749 §1.9, OpenID Connect Core
/// §14), and hashing takes no longer than reading them.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: ExactText, other: ExactText) -> Bool {
        sameBytes(one.text, other.text)
    }

    package func hash(into hasher: inout Hasher) {
        withBytes(of: text.utf8) { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension CaseIterable where Self: RawRepresentable, RawValue == String {
    /// The case that is spelled so on the wire, byte by byte; `nil` where none is.
    package init?(wire text: String) {
        guard let found = Self.allCases.first(where: { sameBytes($0.rawValue, text) }) else {
            return nil
        }
        self = found
    }
}
