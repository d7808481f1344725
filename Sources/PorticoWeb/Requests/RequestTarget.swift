import PorticoBytes

/// The path and query of a request, in the one spelling we answer to (RFC 9112 §3.2.1).
///
/// Nothing is normalised: a path with an escape, a dot segment, an empty segment or a slash at its
/// end is another path, and nothing is there; a segment that some server takes for one of these, once it
/// has taken its parameters off, is one (RFC 3986 §3.3: `..;v=1`). So no two spellings can mean one
/// resource, to us, to whatever stands before us and to the APIs behind us.
package struct RequestTarget: Sendable {
    /// Begins with a slash; printable ASCII without escapes.
    package let path: String

    /// What follows the first `?`, as it came; `nil` without one.
    package let query: Substring.UTF8View?

    /// - Parameter target: As on the request line: `request.head.path`.
    package init?(_ target: String?) {
        guard let target else { return nil }
        let bytes = target.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        guard Self.isCanonical(bytes[..<end]) else { return nil }
        path = String(target[..<end])
        if end == bytes.endIndex {
            query = nil
        } else {
            let query = bytes[bytes.index(after: end)...]
            // A fragment never goes on the wire (RFC 9110 §4.2.5).
            guard query.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else {
                return nil
            }
            self.query = query
        }
    }

    /// What stands between the slashes; empty for `/`.
    package var segments: [Substring] {
        path.split(separator: "/")
    }

    private static func isCanonical(_ path: Substring.UTF8View) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        if path.count == 1 { return true }
        // The bytes since the last slash, up to its parameters: how many, and whether all are dots.
        var length = 0
        var areDots = true
        var isParameter = false
        for byte in path.dropFirst() {
            switch byte {
            case UInt8(ascii: "/"):
                guard isSegment(length, areDots) else { return false }
                length = 0
                areDots = true
                isParameter = false
            case UInt8(ascii: ";"): isParameter = true
            default:
                guard isPathCharacter(byte) else { return false }
                guard !isParameter else { continue }
                length += 1
                areDots = areDots && byte == UInt8(ascii: ".")
            }
        }
        return isSegment(length, areDots)
    }

    /// Neither empty nor `.` or `..`.
    private static func isSegment(_ length: Int, _ areDots: Bool) -> Bool {
        length > 0 && !(areDots && length <= 2)
    }

    /// `pchar` without escapes (RFC 3986 §3.3).
    private static func isPathCharacter(_ byte: UInt8) -> Bool {
        byte.isUnreserved || "!$&'()*+,=:@".utf8.contains(byte)
    }
}
