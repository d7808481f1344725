/// Base64 with the alphabet of RFC 4648 §4; as strict in decoding as ``Base64URL``.
package enum Base64 {
    /// - Parameter padded: With `=` to a multiple of four characters.
    package static func encode(_ bytes: some Sequence<UInt8>, padded: Bool = true) -> String {
        var text = Base64URL.encodedBytes(bytes).map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        while padded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The decoded bytes, or `nil` if `text` is not the exact encoding of any bytes.
    ///
    /// - Parameter padded: Whether it ends with `=` where the length asks for it, or has none at
    ///   all.
    package static func decode(_ text: some Collection<UInt8>, padded: Bool = true) -> [UInt8]? {
        var bytes = Array(text)
        if padded {
            guard bytes.count % 4 == 0 else { return nil }
            for _ in 0..<2 where bytes.last == UInt8(ascii: "=") { bytes.removeLast() }
        }
        // The characters of the URL alphabet are not allowed.
        guard !bytes.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        return Base64URL.decode(
            bytes.map {
                switch $0 {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: $0
                }
            }
        )
    }
}
