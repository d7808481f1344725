package import PorticoBytes

/// The id of a request, in the log and on the page that a person reads it from: ten characters of
/// Crockford's Base32, 50 random bits, without letters that look like digits.
package struct RequestID: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(random: RandomSource) {
        var bits = UInt64(bigEndianBytes: random.bytes(7))
        var characters: [UInt8] = []
        characters.reserveCapacity(10)
        for _ in 0..<10 {
            characters.append(Self.alphabet[Int(bits & 31)])
            bits >>= 5
        }
        text = String(decoding: characters, as: UTF8.self)
    }

    package var description: String { text }

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
}
