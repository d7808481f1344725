/// An id that is never used twice, written as a UUID (RFC 9562).
package struct UniqueID: Hashable, Sendable {
    /// 16 bytes.
    package let bytes: [UInt8]

    /// Random bits only (RFC 9562 §5.4, version 4).
    package init(random: RandomSource) {
        self.init(random.bytes(16), version: 4)
    }

    /// The time first, then 74 random bits (RFC 9562 §5.7, version 7).
    ///
    /// For rows that every sign-in adds: rows of the same time are adjacent in their indexes, while
    /// random ids would each change another page.
    ///
    /// - Parameter milliseconds: Since 1970; all earlier times count as 1970.
    package init(milliseconds: Int64, random: RandomSource) {
        var bytes = random.bytes(16)
        let time = UInt64(clamping: milliseconds)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: time >> (40 - 8 * index)) }
        self.init(bytes, version: 7)
    }

    private init(_ bytes: [UInt8], version: UInt8) {
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | version << 4
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// - Returns: `nil` if there are not exactly 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// - Returns: `nil` if the text is not 8-4-4-4-12 hexadecimal digits.
    package init?(_ text: String) {
        let text = Array(text.utf8)
        let hyphens = [8, 13, 18, 23]
        guard text.count == 36, hyphens.allSatisfy({ text[$0] == UInt8(ascii: "-") }) else {
            return nil
        }
        let digits = text.indices.filter { !hyphens.contains($0) }.map { text[$0] }
        guard let bytes = Hexadecimal.bytes(digits) else { return nil }
        self.bytes = bytes
    }

    /// The time of one that begins with a time, in milliseconds since 1970.
    package var milliseconds: Int64 {
        bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    /// 36 characters, lower case.
    package var text: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            Hexadecimal.append(byte, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
