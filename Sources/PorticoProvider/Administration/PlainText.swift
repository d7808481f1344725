/// What people may call themselves and their things: text that shows as it reads.
package enum PlainText {
    /// Whether `text` is one line that no control character breaks and no invisible character
    /// turns around (Unicode Technical Report 36 §2; RFC 8266 §2.1).
    ///
    /// - Parameter length: How many bytes of UTF-8 it has at the most.
    static func isLine(_ text: String, length: Int) -> Bool {
        text.utf8.count <= length && text.unicodeScalars.allSatisfy { isVisible($0) }
    }

    /// The same, line breaks and tabs admitted.
    static func isText(_ text: String, length: Int) -> Bool {
        text.utf8.count <= length
            && text.unicodeScalars.allSatisfy { ["\n", "\r", "\t"].contains($0) || isVisible($0) }
    }

    /// `text` for a terminal, a report or a log: what cannot be seen is written as `\\u{…}`, and what
    /// is too long is cut.
    package static func shown(_ text: String, length: Int = 200) -> String {
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
        switch scalar.properties.generalCategory {
        // Joiners belong to the spelling of Persian and of the languages of India, and to emoji.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
