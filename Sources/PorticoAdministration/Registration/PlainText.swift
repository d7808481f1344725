/// Names of people and things: text that displays as written.
package enum PlainText {
    /// Whether `text` is one line without control characters that break it and invisible characters
    /// that reorder it (Unicode Technical Report 36 §2; RFC 8266 §2.1).
    ///
    /// - Parameter length: The most bytes of UTF-8.
    package static func isLine(_ text: String, length: Int) -> Bool {
        text.utf8.count <= length && text.unicodeScalars.allSatisfy { isVisible($0) }
    }

    /// The same, but line breaks and tabs are allowed.
    package static func isText(_ text: String, length: Int) -> Bool {
        text.utf8.count <= length
            && text.unicodeScalars.allSatisfy { ["\n", "\r", "\t"].contains($0) || isVisible($0) }
    }

    /// `text` for a terminal, a report or a log: invisible characters are written as `\\u{…}`, and
    /// long text is cut.
    package static func shown(_ text: String, length: Int = 200) -> String {
        // Most text is plain, and a report has much of it.
        guard text.utf8.count > length || !text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            return text
        }
        var shown = ""
        for scalar in text.unicodeScalars {
            guard shown.count < length else { return shown + "…" }
            if isVisible(scalar) {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return shown
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return 0x20...0x7E ~= scalar.value }
        return switch scalar.properties.generalCategory {
        // Joiners are used in Persian, in the languages of India, and in emoji.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
