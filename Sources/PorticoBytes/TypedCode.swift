/// A code as a person typed it, or pasted it from a mail: in the digits of their keyboard, with what makes
/// it easier to read.
package enum TypedCode {
    /// In bytes; a recovery code of full-width letters has half of it.
    private static let longest = 128

    /// In ASCII: digits of every script become 0 to 9, full-width letters plain ones, small letters
    /// capital ones. White space, dashes and characters without a shape, such as marks of direction, are
    /// left out.
    ///
    /// - Returns: Empty where nothing is left, or the text is longer than any code.
    package static func compact(_ typed: String) -> String {
        guard typed.utf8.count <= longest else { return "" }
        var kept = String.UnicodeScalarView()
        for scalar in typed.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format,
                .dashPunctuation:
                continue
            case .decimalNumber: kept.append(digit(scalar))
            default:
                // The minus sign is no dash to Unicode.
                if scalar != "\u{2212}" { kept.append(capital(scalar)) }
            }
        }
        return String(kept)
    }

    private static func digit(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard let value = scalar.properties.numericValue, let digit = UInt8(exactly: value),
            digit < 10
        else { return scalar }
        return Unicode.Scalar(UInt8(ascii: "0") + digit)
    }

    private static func capital(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let plain: UInt32 =
            switch scalar.value {
            case 0xFF21...0xFF3A, 0xFF41...0xFF5A: scalar.value - 0xFEE0
            default: scalar.value
            }
        return Unicode.Scalar(0x61...0x7A ~= plain ? plain - 0x20 : plain) ?? scalar
    }
}
