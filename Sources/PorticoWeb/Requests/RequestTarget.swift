import PorticoBytes

/// The path and query of a request, in the only accepted spelling (RFC 9112 §3.2.1).
///
/// Nothing is normalised: a path with an escape, a dot segment, an empty segment or a trailing
/// slash is a different path, which does not exist; a segment that some servers read as one of
/// these once they have removed its parameters counts as one (RFC 3986 §3.3: `..;v=1`). So no two
/// spellings can mean one resource to us, to a proxy in front of us and to the APIs behind us.
/// Where a route is written with a slash at its end, that path exists too; a service may also take
/// both spellings for one (``RouteTable/ignoresLastSlash``).
///
/// Below `/admin/` a segment may have escapes, because names of roles and groups stand in it. Routes
/// match the text as received; a segment is decoded where it is read (``decoded(_:)``).
package struct RequestTarget: Sendable {
    /// Begins with a slash; printable ASCII, without escapes unless it is below `/admin/`.
    package let path: String

    /// The text after the first `?`, as received; `nil` without one.
    package let query: Substring.UTF8View?

    /// Whether the path has a slash at its end.
    package var endsInSlash: Bool { path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") }

    /// - Parameters:
    ///   - target: As on the request line: `request.head.path`.
    ///   - takesSlash: Whether the path may have one slash at its end.
    package init?(_ target: String?, takesSlash: Bool = false) {
        guard let target else { return nil }
        let bytes = target.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        var segments = bytes[..<end]
        if takesSlash, segments.count > 2, segments.last == UInt8(ascii: "/") {
            segments = segments.dropLast()
        }
        guard Self.isCanonical(segments) else { return nil }
        path = String(target[..<end])
        if end == bytes.endIndex {
            query = nil
        } else {
            let query = bytes[bytes.index(after: end)...]
            // A fragment is never sent to a server (RFC 9110 §4.2.5).
            guard query.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else {
                return nil
            }
            self.query = query
        }
    }

    /// The path without a slash at its end.
    package var pathWithoutLastSlash: String { endsInSlash ? String(path.dropLast()) : path }

    /// The texts between the slashes; empty for `/`.
    package var segments: [Substring] {
        path.split(separator: "/")
    }

    /// A segment with its escapes resolved (RFC 3986 §2.1).
    ///
    /// - Returns: `nil` if the result is not UTF-8, too long (``ForeignText``), has a NUL, or is what `.` and `..` are to some
    ///   proxies.
    package static func decoded(_ segment: some StringProtocol) -> String? {
        var decoded: [UInt8] = []
        var rest = segment.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigitValue,
                let low = rest.popFirst()?.hexDigitValue
            else { return nil }
            decoded.append(high << 4 | low)
        }
        guard !decoded.contains(0), let text = ForeignText.decoded(decoded),
            !sameBytes(text, "."), !sameBytes(text, "..")
        else { return nil }
        return text
    }

    /// `%XX` for `%XX`: whether each escape is whole.
    private static func hasWholeEscapes(_ path: Substring.UTF8View) -> Bool {
        var rest = path
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else { continue }
            guard rest.popFirst()?.hexDigitValue != nil, rest.popFirst()?.hexDigitValue != nil
            else { return false }
        }
        return true
    }

    private static func isCanonical(_ path: Substring.UTF8View) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        if path.count == 1 { return true }
        let takesEscapes = path.starts(with: "/admin/".utf8) && hasWholeEscapes(path)
        // The length of the segment up to its parameters, and whether it consists of dots.
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
                guard isPathCharacter(byte) || takesEscapes && byte == UInt8(ascii: "%") else {
                    return false
                }
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
