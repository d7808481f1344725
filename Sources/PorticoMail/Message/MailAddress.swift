import PorticoBytes

/// A mail recipient's address, in the accepted strict subset: a dot-atom, `@`, and a domain of at
/// least two host names (RFC 5321 §4.1.2, §4.5.3.1; RFC 5322 §3.4.1).
///
/// Quoted local parts, comments and address literals are refused: only letters, digits and
/// characters without a meaning to a mail server reach a header, a command or an argument.
/// Non-ASCII characters are refused too. They would need SMTPUTF8 (RFC 6531) at every server on the
/// route, of which only the first is known when the mail is sent. A domain in another script is
/// accepted as its A-labels, `xn--…` (RFC 5890).
package struct MailAddress: Hashable, Sendable {
    package let text: String

    package enum Refusal: Error, Hashable, Sendable {
        case notASCII
        case tooLong
        case malformed
    }

    package init(_ text: String) throws(Refusal) {
        let bytes = Array(text.utf8)
        // A path has at most 256 octets, including two angle brackets.
        guard bytes.count <= 254 else { throw .tooLong }
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .malformed }
        guard parts[0].count <= 64 else { throw .tooLong }
        guard Self.isDotAtom(parts[0]), Self.isDomain(parts[1]) else { throw .malformed }
        self.text = text
    }

    package var domain: String {
        String(text.drop { $0 != "@" }.dropFirst())
    }

    private static func isDotAtom(_ part: ArraySlice<UInt8>) -> Bool {
        // A program that gets the address as an argument could read it as an option.
        guard part.first != UInt8(ascii: "-") else { return false }
        return part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
    }

    private static func isAtomText(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isDomain(_ part: ArraySlice<UInt8>) -> Bool {
        let labels = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // One label is a machine of the local network, and digits alone are an IP address.
        guard labels.count >= 2, labels.allSatisfy(isLabel), let last = labels.last else {
            return false
        }
        return !last.allSatisfy { $0.isDigit }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { $0.isLetterOrDigit || $0 == hyphen }
    }
}
