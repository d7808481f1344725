import Mustache

/// How dynamic text is written into a page: the same in text and in quoted attributes (WEB-XSS-1).
///
/// The library's own escaping looks at whole characters, and a quotation mark followed by a combining
/// accent is another character than a quotation mark: it would pass, and end the attribute. This one
/// looks at bytes.
struct HTMLEscaping: MustacheContentType {
    static let name = "PORTICO-HTML"

    func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: { Self.replacement(of: $0) != nil }) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 32)
        for byte in text.utf8 {
            if let replacement = Self.replacement(of: byte) {
                escaped.append(contentsOf: replacement.utf8)
            } else {
                escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func replacement(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        // A browser reads a bare CR as LF, and NUL as nothing at all.
        case 0x0D: "&#13;"
        case 0x00: "\u{FFFD}"
        default: nil
        }
    }
}
