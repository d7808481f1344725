import PorticoBytes

/// Tells by its form whether a word of a command line is a token: other users can read command
/// lines, and logs must not repeat it.
enum TokenForm {
    /// Whether `text` is what a JWS or JWE looks like (RFC 7515 §7.1, RFC 7516 §7.1): three or five parts
    /// in base64url, the first of them a JSON object. No file is called that by chance.
    static func isToken(_ text: some StringProtocol) -> Bool {
        var parts = 1
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                parts += 1
            } else if !isBase64URL(byte) {
                return false
            }
        }
        return (parts == 3 || parts == 5) && isBrace(text.utf8.prefix(2))
    }

    /// Whether the first octet that these characters encode is `{`.
    private static func isBrace(_ characters: some Sequence<UInt8>) -> Bool {
        var characters = characters.makeIterator()
        guard characters.next() == UInt8(ascii: "e"), let second = characters.next() else {
            return false
        }
        return UInt8(ascii: "w")...UInt8(ascii: "z") ~= second
            || second.isDigit || second == UInt8(ascii: "-") || second == UInt8(ascii: "_")
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-_".utf8.contains(byte)
    }
}
