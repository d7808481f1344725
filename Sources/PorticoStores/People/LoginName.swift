import PorticoBytes

/// A user name as it is kept and looked up (RFC 8265 §3.3, UsernameCaseMapped): what a person types
/// in capitals, in full-width letters or in decomposed characters is the same name. Stores, sign-in,
/// import and commands all use this one spelling.
package enum LoginName {
    /// `text` in the one spelling that is kept, without white space around it. What it makes of a
    /// text that is no name, no person has: of one over 1 KiB, an empty text.
    package static func folded(_ text: String) -> String {
        guard text.utf8.count <= NormalForm.longest else { return "" }
        var narrow = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if 0xFF01...0xFFEF ~= scalar.value, let narrowed = NormalForm.nfkc(String(scalar)) {
                narrow.append(contentsOf: narrowed.unicodeScalars)
            } else {
                narrow.append(scalar)
            }
        }
        let composed = NormalForm.nfc(String(narrow).lowercased()) ?? ""
        return String(composed.unicodeScalars.trimming { $0.properties.isWhitespace })
    }

    /// Whether a folded text may be a new user name: 1 to 200 bytes of letters, digits and visible ASCII
    /// (RFC 8264 §4.2, IdentifierClass), so no spaces and nothing invisible. A joiner may stand where it
    /// shows.
    package static func isName(_ folded: String) -> Bool {
        guard (1...200).contains(folded.utf8.count) else { return false }
        let scalars = Array(folded.unicodeScalars)
        return scalars.indices.allSatisfy { index in
            let scalar = scalars[index]
            if scalar.isASCII { return 0x21...0x7E ~= scalar.value }
            if scalar == "\u{200C}" || scalar == "\u{200D}" {
                return isJoiner(at: index, in: scalars)
            }
            switch scalar.properties.generalCategory {
            case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber,
                .nonspacingMark,
                .spacingMark:
                // No second spelling of other characters.
                let text = String(scalar)
                return NormalForm.nfkc(text).map { $0.utf8.elementsEqual(text.utf8) } ?? false
            default: return false
            }
        }
    }

    /// Whether a zero-width joiner or non-joiner makes a difference that can be seen: behind a virama, and
    /// a non-joiner between Arabic letters that would be joined (RFC 5892 §A.1, §A.2). Elsewhere two names
    /// would look the same.
    private static func isJoiner(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0 else { return false }
        if scalars[index - 1].properties.canonicalCombiningClass == .virama { return true }
        guard scalars[index] == "\u{200C}", index + 1 < scalars.count,
            let left = scalars[..<index].last(where: {
                $0.properties.generalCategory != .nonspacingMark
            })
        else { return false }
        let right = scalars[index + 1]
        return joinsBothSides.contains(left.value)
            && (joinsBothSides.contains(right.value) || joinsBefore.contains(right.value))
    }

    /// Letters of Arabic, Persian and Urdu that are joined to the next one (Joining_Type D).
    private static let joinsBothSides: Set<UInt32> = [
        0x0626, 0x0628, 0x062A, 0x062B, 0x062C, 0x062D, 0x062E, 0x0633, 0x0634, 0x0635, 0x0636,
        0x0637, 0x0638, 0x0639, 0x063A, 0x0641, 0x0642, 0x0643, 0x0644, 0x0645, 0x0646, 0x0647,
        0x0649, 0x064A, 0x0679, 0x067E, 0x0686, 0x06A9, 0x06AF, 0x06BE, 0x06C1, 0x06CC,
    ]

    /// Those that are joined to the one before only (Joining_Type R).
    private static let joinsBefore: Set<UInt32> = [
        0x0622, 0x0623, 0x0624, 0x0625, 0x0627, 0x0629, 0x062F, 0x0630, 0x0631, 0x0632, 0x0648,
        0x0688, 0x0691, 0x0698, 0x06C0, 0x06D2,
    ]
}
