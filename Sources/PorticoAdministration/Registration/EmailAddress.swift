import PorticoBytes

/// An email address as stored: ASCII, lower case (HTML standard §4.10.5.1.5, "valid e-mail
/// address").
package enum EmailAddress {
    /// The address in its stored form, or `nil` if it is not valid.
    package static func folded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= 254, let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            1...64 ~= at, bytes[..<at].allSatisfy(isLocal),
            isDomain(bytes[(at + 1)...])
        else { return nil }
        return text.lowercased()
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
    }

    private static func isDomain(_ domain: ArraySlice<UInt8>) -> Bool {
        domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
            label in
            1...63 ~= label.count
                && label.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
                && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        }
    }
}
