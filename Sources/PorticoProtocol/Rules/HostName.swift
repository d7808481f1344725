import PorticoBytes

/// A host name of the public internet (RFC 1123 §2.1; AT Protocol, Handles): no address, nothing
/// that names this machine, this network or no host at all.
package struct HostName: Hashable, Sendable {
    /// Lower case, at most 253 bytes: two labels or more of letters, digits and hyphens.
    package let text: String

    package enum Refusal: Error, Hashable, Sendable {
        /// More than 253 bytes.
        case tooLong
        case character
        case tooFewLabels
        /// Empty, longer than 63 bytes, or with a hyphen at an end.
        case label
        /// The last label does not begin with a letter, as in an IP address.
        case topLevel
        /// The last label is not one of the public internet.
        case reserved
    }

    /// - Parameters:
    ///   - text: In any case, without a dot at its end.
    ///   - allowsTest: Whether names under `.test` are taken, too.
    /// - Throws: The first rule that the name breaks.
    package init(_ text: some StringProtocol, allowsTest: Bool = false) throws(Refusal) {
        guard text.utf8.count <= 253 else { throw .tooLong }
        let isAllowed = text.utf8.allSatisfy {
            $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
        guard isAllowed else { throw .character }
        let name = text.lowercased()
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last else { throw .tooFewLabels }
        let hyphen = UInt8(ascii: "-")
        for label in labels {
            guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen else {
                throw .label
            }
        }
        guard last.first?.isLetter == true else { throw .topLevel }
        guard !Self.reserved.contains(where: { last.elementsEqual($0) }) else { throw .reserved }
        guard allowsTest || !last.elementsEqual("test".utf8) else { throw .reserved }
        self.text = name
    }

    /// Registered for special use (RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476), and what the
    /// AT Protocol refuses besides.
    private static let reserved = [
        "alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion",
    ].map(\.utf8)
}
