import PorticoBytes

/// Each field preceded by its length in four bytes.
func lengthPrefixed(_ fields: [[UInt8]]) -> [UInt8] {
    var joined: [UInt8] = []
    joined.reserveCapacity(fields.reduce(0) { $0 + $1.count + 4 })
    for field in fields {
        joined += UInt32(truncatingIfNeeded: field.count).bigEndianBytes
        joined += field
    }
    return joined
}

func bytes(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { Array($0) }
}
