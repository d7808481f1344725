import PorticoBytes

/// A mail server's answer as numbers (RFC 5321 §4.2, RFC 3463).
package struct SMTPReply: Hashable, Sendable {
    package let code: Int
    /// `5.1.1`, if the server sends one.
    package let enhancedCode: String?
    /// The plain words of its text.
    private let words: String

    init(code: Int, enhancedCode: String? = nil, text: String = "") {
        self.code = code
        self.enhancedCode = enhancedCode
        words = LogWords.of(text)
    }

    /// - Parameter line: The last line of a reply, without its end.
    init?(line: some Collection<UInt8>) {
        let digits = line.prefix(3)
        guard digits.count == 3,
            let code = Int(String(decoding: digits, as: UTF8.self)), (200...599).contains(code)
        else { return nil }
        let text = String(decoding: line.dropFirst(4), as: UTF8.self)
        let first = text.split(separator: " ").first.map(String.init) ?? ""
        let parts = first.split(separator: ".", omittingEmptySubsequences: false)
        let isEnhanced =
            parts.count == 3 && parts[0].count == 1
            && parts.allSatisfy {
                Int($0) != nil && $0.count <= 3 && $0.utf8.allSatisfy({ $0.isLetterOrDigit })
            }
        self.init(
            code: code,
            enhancedCode: isEnhanced ? first : nil,
            text: isEnhanced ? String(text.dropFirst(first.count)) : text
        )
    }

    /// The same without the server's words.
    var withoutWords: SMTPReply {
        SMTPReply(code: code, enhancedCode: enhancedCode)
    }

    /// For the log.
    package var logText: String {
        var text = String(code)
        if let enhancedCode { text += " \(enhancedCode)" }
        if !words.isEmpty { text += " \(words)" }
        return text
    }
}

/// A foreign text's plain English words, for a log: addresses, codes, numbers and anything that a
/// terminal might act on are left out.
enum LogWords {
    static func of(_ text: String, most: Int = 20) -> String {
        let words = text.utf8.prefix(1000)
            .split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
            .prefix(most)
            .compactMap { word in plain(word) }
        return words.joined(separator: " ")
    }

    private static func plain(_ word: some Collection<UInt8>) -> String? {
        var letters = Array(word)
        while let last = letters.last, ",.:;!".utf8.contains(last) { letters.removeLast() }
        let isWord =
            (1...16).contains(letters.count)
            && letters.allSatisfy { $0.isLetter }
        return isWord ? String(decoding: letters, as: UTF8.self) : nil
    }
}
