/// Base64 with the URL and filename safe alphabet, without padding (RFC 4648 §5, RFC 7515 §2).
///
/// Decoding is strict: no padding, no white space, no foreign character, and the unused bits of the
/// last character must be zero. So each byte string has exactly one text, and two texts that decode
/// to the same bytes cannot pass for two different tokens.
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: encodedBytes(bytes), as: UTF8.self)
    }

    /// The text of ``encode(_:)`` as ASCII bytes.
    package static func encodedBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.withContiguousStorageIfAvailable { encodedBytes($0) }
            ?? Array(bytes).withUnsafeBufferPointer { encodedBytes($0) }
    }

    /// Appends the text of `bytes` to `text`.
    package static func append(_ bytes: some Sequence<UInt8>, to text: inout [UInt8]) {
        text += encodedBytes(bytes)
    }

    private static func encodedBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let length = (bytes.count * 4 + 2) / 3
        return [UInt8](unsafeUninitializedCapacity: length) { text, count in
            write(bytes, to: text)
            count = length
        }
    }

    /// Encodes three bytes as four characters; one or two remaining bytes as two or three.
    private static func write(
        _ bytes: UnsafeBufferPointer<UInt8>,
        to text: UnsafeMutableBufferPointer<UInt8>
    ) {
        var index = 0
        var next = 0
        while index + 3 <= bytes.count {
            let group =
                UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
                | UInt32(bytes[index + 2])
            text[next] = character(group >> 18)
            text[next + 1] = character(group >> 12)
            text[next + 2] = character(group >> 6)
            text[next + 3] = character(group)
            index += 3
            next += 4
        }
        guard index < bytes.count else { return }
        let isPair = index + 2 == bytes.count
        let group = UInt32(bytes[index]) << 16 | (isPair ? UInt32(bytes[index + 1]) << 8 : 0)
        text[next] = character(group >> 18)
        text[next + 1] = character(group >> 12)
        if isPair { text[next + 2] = character(group >> 6) }
    }

    /// The decoded bytes, or `nil` if `text` is not the exact encoding of any bytes.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        withBytes(of: text) { decode($0) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var index = 0
        let isRight = values.withUnsafeBufferPointer { values in
            // Characters outside the alphabet set the high bits, and so does their union.
            var seen: UInt32 = 0
            func value(_ index: Int) -> UInt32 {
                let value = UInt32(values[Int(text[index])])
                seen |= value
                return value
            }
            while index + 4 <= text.count {
                let group =
                    value(index) << 18 | value(index + 1) << 12 | value(index + 2) << 6
                    | value(index + 3)
                bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                bytes.append(UInt8(truncatingIfNeeded: group))
                index += 4
            }
            guard index < text.count else { return seen < 64 }
            let isTriple = index + 3 == text.count
            let group =
                value(index) << 18 | value(index + 1) << 12 | (isTriple ? value(index + 2) << 6 : 0)
            bytes.append(UInt8(truncatingIfNeeded: group >> 16))
            if isTriple { bytes.append(UInt8(truncatingIfNeeded: group >> 8)) }
            let unused = isTriple ? group & 0xFF : group & 0xFFFF
            return seen < 64 && unused == 0
        }
        return isRight ? bytes : nil
    }

    package static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8)
    }

    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// The character for the six low bits.
    private static func character(_ bits: UInt32) -> UInt8 {
        alphabet.utf8Start[Int(bits & 0x3F)]
    }

    /// The value of each ASCII character, 255 for those outside the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for value in 0..<64 {
            values[Int(character(UInt32(value)))] = UInt8(value)
        }
        return values
    }()
}
