/// The characters that a line of a mail may show.
package enum PlainLine {
    /// Whether a text is one line that reads in the order in which it is written.
    ///
    /// A line end would begin another header (CWE-93); other controls reach terminals. Embeddings
    /// and overrides make a line look like another one. Isolates allow a foreign word in a line of
    /// the other direction: they are accepted if each is closed (Unicode Standard Annex 9 §2).
    package static func isPlain(_ text: String) -> Bool {
        var open = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x2066...0x2068: open += 1
            case 0x2069:
                open -= 1
                guard open >= 0 else { return false }
            default:
                guard !isControl(scalar), !isDirection(scalar) else { return false }
            }
        }
        return open == 0
    }

    /// Foreign text, such as a device's name, made safe for use in a line.
    ///
    /// It is never refused: an attacker who could make a notice fail could keep it from the person
    /// it warns. It is cut, has no marks that change the direction, and no mail program makes a
    /// link of it.
    package static func foreign(_ text: String, longest: Int = 60) -> String {
        var kept = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            guard length < longest else {
                kept.append("\u{2026}")
                break
            }
            length += 1
            if scalar.properties.generalCategory == .format {
                // Joiners are part of how Persian and Hindi are written.
                if scalar == "\u{200C}" || scalar == "\u{200D}" { kept.append(scalar) }
            } else if isControl(scalar) || scalar == "/" || scalar == ":" || scalar == "@" {
                kept.append(" ")
            } else if kept.last == ".", scalar.properties.isAlphabetic {
                // `evil.example` would become a link, `Version 1.2` would not.
                kept.append(" ")
                kept.append(scalar)
            } else {
                kept.append(scalar)
            }
        }
        return String(kept)
    }

    /// A line that consists of one isolate, without its marks: a line stands alone anyway, and a
    /// mail program would read the marks as part of the address between them.
    static func bare(_ line: String) -> String {
        let scalars = line.unicodeScalars
        guard let first = scalars.first, (0x2066...0x2068).contains(first.value),
            scalars.last == "\u{2069}"
        else { return line }
        let inner = scalars.dropFirst().dropLast()
        return inner.contains { (0x2066...0x2069).contains($0.value) }
            ? line : String(String.UnicodeScalarView(inner))
    }

    /// Whether a language is written from right to left, by its tag (RFC 5646 §2.2.1).
    static func isRightToLeft(_ language: String) -> Bool {
        let primary = language.split(separator: "-").first.map { $0.lowercased() }
        return primary.map { ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"].contains($0) }
            ?? false
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static func isDirection(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value)
    }
}
