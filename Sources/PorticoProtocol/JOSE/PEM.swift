import PorticoBytes

/// Text armour around DER (RFC 7468).
enum PEM {
    /// Longer than a private RSA key of 8192 bits, in bytes of text.
    static let longest = 16 * 1024

    /// The bytes of a text with one block, whatever its label, or without armour: base64 with or
    /// without line breaks.
    static func bytes(_ text: String) throws(ForeignKeyError) -> [UInt8] {
        guard text.utf8.count <= longest else { throw .tooLarge }
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        var body = Array(text.utf8).drop(while: isSpace)
        while body.last.map(isSpace) ?? false { body.removeLast() }
        if body.first == UInt8(ascii: "-") {
            guard let first = body.firstIndex(of: UInt8(ascii: "\n")),
                let last = body.lastIndex(of: UInt8(ascii: "\n")),
                let opened = label(body[..<first], "BEGIN"),
                let closed = label(body[(last + 1)...], "END"), opened == closed
            else { throw .unreadable }
            body = body[first...last]
        }
        let bytes = Base64.decode(body.filter { !isSpace($0) })
        guard let bytes, !bytes.isEmpty else { throw .unreadable }
        return bytes
    }

    /// What stands between `-----BEGIN ` and `-----`.
    private static func label(_ line: ArraySlice<UInt8>, _ word: String) -> [UInt8]? {
        let line = line.last == 0x0D ? line.dropLast() : line
        let beginning = Array("-----\(word) ".utf8)
        let end = Array("-----".utf8)
        guard line.count > beginning.count + end.count, line.starts(with: beginning),
            line.suffix(end.count).elementsEqual(end)
        else { return nil }
        return Array(line.dropFirst(beginning.count).dropLast(end.count))
    }
}
