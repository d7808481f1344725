/// Reads the elements of DER that keys and certificates are made of, one after another (X.690 §8,
/// §10).
///
/// A length has its shortest form and at most three bytes, and an element ends within what holds
/// it. Nothing is read recursively, so that depth costs nothing.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) {
        rest = Array(bytes)[...]
    }

    /// The content of the only element of some bytes.
    static func only(_ tag: UInt8, in bytes: some Collection<UInt8>) -> ArraySlice<UInt8>? {
        var reader = DERReader(bytes)
        guard let content = reader.read(tag), reader.isAtEnd else { return nil }
        return content
    }

    var isAtEnd: Bool { rest.isEmpty }
    var nextTag: UInt8? { rest.first }

    /// The content of the next element; `nil` if it has another tag or ends too late.
    mutating func read(_ tag: UInt8) -> ArraySlice<UInt8>? {
        var bytes = rest
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first & 0x80 != 0 {
            let count = Int(first & 0x7F)
            guard 1...3 ~= count, bytes.count >= count, bytes.first != 0 else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80 else { return nil }
            bytes = bytes.dropFirst(count)
        }
        guard bytes.count >= length else { return nil }
        rest = bytes.dropFirst(length)
        return bytes.prefix(length)
    }

    /// The next element with its tag and length.
    mutating func element(_ tag: UInt8) -> ArraySlice<UInt8>? {
        let before = rest
        guard read(tag) != nil else { return nil }
        return before.dropLast(rest.count)
    }

    /// An INTEGER that is not negative: big-endian, without leading zeros.
    mutating func unsigned() -> [UInt8]? {
        guard let bytes = read(DER.integer), let first = bytes.first, first & 0x80 == 0 else {
            return nil
        }
        return Array(bytes.drop { $0 == 0 })
    }

    /// The bytes of a BIT STRING without unused bits.
    mutating func bits() -> ArraySlice<UInt8>? {
        guard let bytes = read(DER.bitString), bytes.first == 0 else { return nil }
        return bytes.dropFirst()
    }
}

/// Writes DER.
enum DER {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30

    /// The tag of an element that is there by its number (`[0]`), constructed.
    static func numbered(_ number: UInt8) -> UInt8 { 0xA0 | number }

    static func encode(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// An INTEGER is signed: a leading zero keeps a high first bit from meaning a negative number.
    ///
    /// - Parameter number: Big-endian, without leading zeros.
    static func encode(unsigned number: [UInt8]) -> [UInt8] {
        let needsZero = number.first.map { $0 & 0x80 != 0 } ?? true
        return encode(integer, needsZero ? [0] + number : number)
    }
}
