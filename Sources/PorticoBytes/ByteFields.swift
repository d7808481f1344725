/// Writes a fixed sequence of fields for ``ByteReader`` to read back: the content of a seal.
package struct ByteWriter: Sendable {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Bytes of a length known to both sides.
    package mutating func fixed(_ field: [UInt8]) {
        bytes.append(contentsOf: field)
    }

    package mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    package mutating func integer(_ value: Int64) {
        bytes += value.bigEndianBytes
    }

    /// Bytes of any length up to 65,535.
    package mutating func sized(_ field: some Collection<UInt8>) {
        let length = UInt16(clamping: field.count)
        bytes += length.bigEndianBytes
        bytes.append(contentsOf: field.prefix(Int(length)))
    }

    package mutating func text(_ field: String) {
        sized(field.utf8)
    }

    /// Keeps an absent text distinct from an empty one.
    package mutating func optionalText(_ field: String?) {
        byte(field == nil ? 0 : 1)
        if let field { text(field) }
    }
}

/// Reads what a ``ByteWriter`` wrote. A read fails if bytes are missing; it never traps.
package struct ByteReader: Sendable {
    private var rest: ArraySlice<UInt8>

    /// The bytes are not in the writer's format.
    package struct Malformed: Error {
        package init() {}
    }

    package init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    package mutating func fixed(_ count: Int) throws(Malformed) -> [UInt8] {
        guard rest.count >= count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    package mutating func byte() throws(Malformed) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Malformed() }
        return byte
    }

    package mutating func integer() throws(Malformed) -> Int64 {
        Int64(bigEndianBytes: try fixed(8))
    }

    package mutating func sized() throws(Malformed) -> [UInt8] {
        let length = Int(UInt16(bigEndianBytes: try fixed(2)))
        return try fixed(length)
    }

    package mutating func text() throws(Malformed) -> String {
        guard let text = String(validUTF8: try sized()) else { throw Malformed() }
        return text
    }

    package mutating func optionalText() throws(Malformed) -> String? {
        try byte() == 0 ? nil : try text()
    }

    /// - Throws: if bytes are left over.
    package func end() throws(Malformed) {
        guard rest.isEmpty else { throw Malformed() }
    }
}
