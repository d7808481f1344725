import PorticoBytes

/// Encodes a text in seven bits and short lines (RFC 2045 §6).
enum TransferEncoding: String {
    case quotedPrintable = "quoted-printable"
    case base64 = "base64"

    /// The shorter of the two: Latin scripts stay legible, others do not triple in size.
    init(for text: [UInt8]) {
        let escaped = text.count { !Self.isLiteral($0) && $0 != 0x0D && $0 != 0x0A && $0 != 0x20 }
        self = escaped * 6 > text.count ? .base64 : .quotedPrintable
    }

    /// - Parameter text: Lines that end in CRLF.
    func encode(_ text: [UInt8]) -> [UInt8] {
        switch self {
        case .quotedPrintable: Self.quotedPrintable(text)
        case .base64: Self.base64Lines(text)
        }
    }

    /// Base64 with padding (RFC 4648 §4), without line ends.
    static func base64(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text = Base64URL.encodedBytes(bytes).map { character in
            switch character {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: character
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Lines of 76 characters (RFC 2045 §6.8).
    private static func base64Lines(_ text: [UInt8]) -> [UInt8] {
        var lines: [UInt8] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines += base64(rest.prefix(57)) + crlf
            rest = rest.dropFirst(57)
        }
        return lines
    }

    /// RFC 2045 §6.7: lines of at most 76 characters, with no white space at their ends.
    private static func quotedPrintable(_ text: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        var length = 0
        for index in text.indices {
            let byte = text[index]
            if byte == 0x0D || byte == 0x0A {
                encoded.append(byte)
                length = 0
                continue
            }
            let isAtEnd = index + 1 == text.count || text[index + 1] == 0x0D
            let isKept = byte == 0x20 ? !isAtEnd : isLiteral(byte)
            var piece = isKept ? [byte] : escape(byte)
            if length + piece.count > 75 {
                encoded += [UInt8(ascii: "=")] + crlf
                length = 0
            }
            // A full stop alone ends a mail in SMTP, and "From " begins another in a mailbox file:
            // encoding them protects them from careless programs on the route (RFC 2049 §3).
            if length == 0, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "F") {
                piece = escape(byte)
            }
            encoded += piece
            length += piece.count
        }
        return encoded
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        byte.isVisible && byte != UInt8(ascii: "=")
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        var escape: [UInt8] = []
        Hexadecimal.append(byte, after: "=", to: &escape)
        return escape
    }
}

let crlf: [UInt8] = [0x0D, 0x0A]
