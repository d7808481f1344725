/// Characters of ASCII as bytes: the classes that the grammars of the RFCs are written in
/// (RFC 5234 appendix B.1). No byte of another character is in any of them.
extension UInt8 {
    /// `0` to `9`.
    @inlinable package var isDigit: Bool { 0x30...0x39 ~= self }

    @inlinable package var isLetter: Bool { 0x61...0x7A ~= self | 0x20 }

    @inlinable package var isLowercaseLetter: Bool { 0x61...0x7A ~= self }

    @inlinable package var isLetterOrDigit: Bool { isLetter || isDigit }

    /// A space or a tab (RFC 9110 §5.6.3).
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// What means itself in a URI (RFC 3986 §2.3).
    @inlinable package var isUnreserved: Bool {
        isLetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "~")
    }

    /// What can be seen (RFC 5234 appendix B.1, VCHAR).
    @inlinable package var isVisible: Bool { 0x21...0x7E ~= self }

    /// What may stand in a URI (RFC 3986 §2).
    package var isURICharacter: Bool { isVisible && !#""<>\^`{|}"#.utf8.contains(self) }

    /// A capital letter as the small one; any other byte as it is.
    @inlinable package var lowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }

    /// The value of a hexadecimal digit, small or capital.
    @inlinable package var hexDigitValue: UInt8? {
        if isDigit { return self - 0x30 }
        return 0x61...0x66 ~= self | 0x20 ? (self | 0x20) - 0x61 + 10 : nil
    }
}

extension FixedWidthInteger {
    /// A number that is written with nothing but digits: no sign, no blank.
    ///
    /// - Returns: `nil` where there are none or more than `longest`, or the number does not fit.
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
