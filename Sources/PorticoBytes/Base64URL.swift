/// Base64 with the URL and filename safe alphabet, without padding (RFC 4648 §5, RFC 7515 §2).
///
/// Decoding is strict: no padding, no white space, no foreign character, and the bits that the
/// last character does not use must be zero. So each byte string has exactly one text, and two
/// texts that decode to the same bytes cannot pass for two different tokens.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The text of ``encode(_:)`` as ASCII bytes.
    package static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.underestimatedCount * 4 + 2) / 3)
        append(bytes, to: &text)
        return text
    }

    /// Appends the text of `bytes` to `text`.
    package static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            pending = (pending << 8) | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int((pending >> bits) & 0x3F)])
            }
        }
        if bits > 0 {
            text.append(alphabet[Int((pending << (6 - bits)) & 0x3F)])
        }
    }

    /// The bytes that `text` stands for, or `nil` where it is not the one text of any bytes.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            pending = (pending << 6) | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        let unused = pending & ((1 << bits) - 1)
        return unused == 0 ? bytes : nil
    }

    package static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8)
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// The value of each ASCII character, 255 for those that have none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        return values
    }()
}
