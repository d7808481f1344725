import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// A cookie that an answer sets (RFC 6265 §5.2). Its attributes for browsers mean nothing here: it is
/// sent to the backend's own origin only.
struct ReceivedCookie: Sendable {
    let value: SecretText
    /// `Max-Age`, in seconds.
    let maxAge: Int64?

    /// Of a value, in bytes.
    private static let longest = 8 * 1024

    /// - Returns: `nil` if the answer sets no cookie of that name, sets it twice, or takes it back.
    init?(named name: String, in reply: HTTPReply) {
        let prefix = Array("\(name)=".utf8)
        let fields = reply.response.headerFields[values: .setCookie].filter {
            $0.utf8.starts(with: prefix)
        }
        guard fields.count == 1, let field = fields.first, field.utf8.count <= Self.longest + 1024
        else { return nil }
        let parts = field.utf8.dropFirst(prefix.count).split(
            separator: UInt8(ascii: ";"),
            omittingEmptySubsequences: false
        )
        guard let text = parts.first.map({ String(Substring($0)) }), Self.isValue(text) else {
            return nil
        }
        value = SecretText(text)
        maxAge = parts.dropFirst().compactMap(Self.maxAge).last
        // A cookie whose time is over is taken back (RFC 6265 §5.3).
        guard maxAge != 0 else { return nil }
    }

    private static func maxAge(_ attribute: Substring.UTF8View) -> Int64? {
        let text = attribute.drop { $0 == UInt8(ascii: " ") }
        let name = Array("max-age=".utf8)
        guard text.prefix(name.count).map(\.lowercased) == name else { return nil }
        let digits = text.dropFirst(name.count)
        return digits.first == UInt8(ascii: "-") ? 0 : Int64(digits: digits, atMost: 9)
    }

    /// A token (RFC 6265 §4.1.1).
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    /// A value without quotation marks, and not too long.
    static func isValue(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isVisible && !"\",;\\".utf8.contains($0) }
    }
}
