import PorticoBytes

/// Non-ASCII text in a header (RFC 2047).
enum EncodedWord {
    /// The value of a free-text header, folded.
    ///
    /// - Parameter nameLength: The length of the text before it on the first line, with the colon
    ///   and space.
    static func unstructured(_ text: String, after nameLength: Int) -> String {
        let isPlain =
            isASCII(text) && nameLength + text.utf8.count <= 76 && !text.contains("=?")
            && text.utf8.first != UInt8(ascii: " ") && text.utf8.last != UInt8(ascii: " ")
        return isPlain ? text : words(text, after: nameLength)
    }

    /// A name before an address: a quoted string, or encoded words (RFC 5322 §3.2.5, RFC 2047 §5).
    ///
    /// - Parameter name: Without quotation marks and backslashes.
    static func phrase(_ name: String, after nameLength: Int) -> String {
        let isPlain = isASCII(name) && name.utf8.count <= 60 && !name.contains("=?")
        return isPlain ? "\"\(name)\"" : words(name, after: nameLength)
    }

    private static func isASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Words of at most 75 characters, on lines of at most 76, never splitting a character (RFC
    /// 2047 §2, §5).
    private static func words(_ text: String, after nameLength: Int) -> String {
        var words: [String] = []
        var pending: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // The first line has the header's name, the others a space.
            let room =
                76 - (words.isEmpty ? nameLength : 1) - opening.utf8.count - closing.utf8.count
            if pending.count + bytes.count > room / 4 * 3 {
                words.append(word(pending))
                pending = []
            }
            pending += bytes
        }
        if !pending.isEmpty { words.append(word(pending)) }
        return words.joined(separator: "\r\n ")
    }

    private static let opening = "=?UTF-8?B?"
    private static let closing = "?="

    private static func word(_ bytes: [UInt8]) -> String {
        opening + String(decoding: TransferEncoding.base64(bytes), as: UTF8.self) + closing
    }
}
