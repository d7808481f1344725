/// Bytes as hexadecimal digits, two for each (RFC 4648 §8).
package enum Hexadecimal {
    /// Lower-case digits.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { append(byte, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends two lower-case digits.
    package static func append(_ byte: UInt8, to text: inout [UInt8]) {
        text.append(lowercase.utf8Start[Int(byte >> 4)])
        text.append(lowercase.utf8Start[Int(byte & 0xF)])
    }

    /// Appends `sign` and two upper-case digits: `%2F` (RFC 3986 §2.1), `=2F` (RFC 2045 §6.7).
    package static func append(_ byte: UInt8, after sign: Unicode.Scalar, to text: inout [UInt8]) {
        text.append(UInt8(ascii: sign))
        text.append(uppercase.utf8Start[Int(byte >> 4)])
        text.append(uppercase.utf8Start[Int(byte & 0xF)])
    }

    /// The bytes for pairs of digits in either case; `nil` if the text holds anything else.
    package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let first = rest.popFirst() {
            guard let high = first.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// `text` with each `%XX` decoded once; `nil` if an escape is malformed (RFC 3986 §2.1).
    package static func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        withBytes(of: text) { percentDecoded($0) }
    }

    private static func percentDecoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "%") else {
                decoded.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.count, let high = text[index + 1].hexDigitValue,
                let low = text[index + 2].hexDigitValue
            else { return nil }
            decoded.append(high << 4 | low)
            index += 3
        }
        return decoded
    }

    private static let lowercase: StaticString = "0123456789abcdef"
    private static let uppercase: StaticString = "0123456789ABCDEF"
}
