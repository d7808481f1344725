/// Bounds foreign text before it is used.
///
/// Swift's `String` normalises to compare, to hash and to fold, and for non-ASCII text that can
/// take time quadratic in its length: seconds for 32 kB of combining marks. So foreign text becomes
/// a `String` only if it is ASCII, or at most ``longest`` bytes, which makes all further use of it
/// cheap.
package enum ForeignText {
    /// The longest non-ASCII text, in bytes: as long as the longest password, and four times an
    /// email address.
    package static let longest = 1024

    /// Whether the bytes are all ASCII, or few enough.
    package static func isBounded(_ text: some Collection<UInt8>) -> Bool {
        text.count <= longest || withBytes(of: text) { $0.allSatisfy { $0 < 0x80 } }
    }

    /// - Returns: `nil` if the bytes are not UTF-8, or not bounded.
    package static func decoded(_ bytes: [UInt8]) -> String? {
        isBounded(bytes) ? String(validUTF8: bytes) : nil
    }
}

extension String {
    /// - Returns: `nil` if the bytes are not UTF-8. What is not is replaced in decoding, and then
    ///   differs; `String(validating:as:)` needs iOS 18.
    package init?(validUTF8 bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}

/// A text as a key: keys are equal only if their bytes are (RFC 6749 §1.9, OpenID Connect Core
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
    /// The case with this exact spelling, compared as bytes; `nil` if there is none.
    package init?(wire text: String) {
        guard let found = Self.allCases.first(where: { sameBytes($0.rawValue, text) }) else {
            return nil
        }
        self = found
    }
}
