package import HTTPTypes

extension HTTPField {
    /// A field as it came over the wire: blanks around a value are not part of it (RFC 9112 §5.1).
    ///
    /// `HTTPField(name:value:)` takes them off as well, but takes the blanks at the end times the bytes
    /// before them: a product that somebody chooses.
    package init(_ name: Name, received value: String) {
        self.init(name: name, value: Self.withoutBlanks(value))
    }

    /// In one pass from each end.
    package static func withoutBlanks(_ value: String) -> String {
        let bytes = value.utf8
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        let end = bytes.index(after: last)
        guard first != bytes.startIndex || end != bytes.endIndex else { return value }
        return String(value[first..<end])
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
