/// ASCII character classes of the RFCs' grammars, for bytes (RFC 5234 appendix B.1). No byte of a
/// non-ASCII character is in any of them.
extension UInt8 {
    /// `0` to `9`.
    @inlinable package var isDigit: Bool { 0x30...0x39 ~= self }

    @inlinable package var isLetter: Bool { 0x61...0x7A ~= self | 0x20 }

    @inlinable package var isLowercaseLetter: Bool { 0x61...0x7A ~= self }

    @inlinable package var isLetterOrDigit: Bool { isLetter || isDigit }

    /// A space or a tab (RFC 9110 §5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// A character that needs no escape in a URI (RFC 3986 §2.3).
    @inlinable package var isUnreserved: Bool {
        isLetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "~")
    }

    /// A visible character (RFC 5234 appendix B.1, VCHAR).
    @inlinable package var isVisible: Bool { 0x21...0x7E ~= self }

    /// A character that may occur in a URI (RFC 3986 §2).
    package var isURICharacter: Bool { isVisible && !#""<>\^`{|}"#.utf8.contains(self) }

    /// An upper-case letter as lower case; any other byte unchanged.
    @inlinable package var lowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }

    /// The value of a hexadecimal digit, in lower or upper case.
    @inlinable package var hexDigitValue: UInt8? {
        if isDigit { return self - 0x30 }
        return 0x61...0x66 ~= self | 0x20 ? (self | 0x20) - 0x61 + 10 : nil
    }
}

extension FixedWidthInteger {
    /// A number written in digits only: no sign, no blank.
    ///
    /// - Returns: `nil` if there are no digits or more than `longest`, or if the number does not
    ///   fit.
    @inlinable package init?(digits: some Collection<UInt8>, atMost longest: Int = 18) {
        guard (1...longest).contains(digits.count) else { return nil }
        var number: Self = 0
        for digit in digits {
            guard digit.isDigit else { return nil }
            let (shifted, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = shifted.addingReportingOverflow(Self(digit - 0x30))
            guard !isTooLarge, !overflow else { return nil }
            number = sum
        }
        self = number
    }
}
