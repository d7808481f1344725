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

    /// Whether a folded text may be a user name: 1 to 200 bytes of letters, digits and visible ASCII
    /// (RFC 8264 §4.2, IdentifierClass), so no spaces and nothing invisible.
    package static func isName(_ folded: String) -> Bool {
        (1...200).contains(folded.utf8.count)
            && folded.unicodeScalars.allSatisfy { scalar in
                if scalar.isASCII { return 0x21...0x7E ~= scalar.value }
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
}
