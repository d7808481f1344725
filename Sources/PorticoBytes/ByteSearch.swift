extension String {
    /// Whether `part` occurs in it, byte by byte. `contains` compares characters, which is many
    /// times slower, and treats two encodings of a character as equal.
    package func hasBytes(_ part: StaticString) -> Bool {
        withBytes(of: utf8) { text in part.withUTF8Buffer { occurs($0, in: text) } }
    }
}

private func occurs(
    _ part: UnsafeBufferPointer<UInt8>,
    in text: UnsafeBufferPointer<UInt8>
) -> Bool {
    guard let first = part.first else { return true }
    guard text.count >= part.count else { return false }
    return (0...(text.count - part.count)).contains { start in
        text[start] == first && part.indices.allSatisfy { text[start + $0] == part[$0] }
    }
}
