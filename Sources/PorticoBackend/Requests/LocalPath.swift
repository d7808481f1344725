import PorticoBytes
import PorticoProtocol

/// A place on this server that a sign-in returns to (WEB-REDIR-1): a path with its query, never
/// another site.
///
/// It is looked at as it came and after one decoding; whatever a browser could read as another
/// site, or as a header's end, is refused.
struct LocalPath: Hashable, Sendable {
    let text: String

    static let root = LocalPath(known: "/")
    static let dashboard = LocalPath(known: "/dashboard")
    static let onboarding = LocalPath(known: "/onboarding")
    static let ways = LocalPath(known: "/account/ways")

    static func known(_ text: StaticString) -> LocalPath { LocalPath(known: "\(text)") }

    private init(known text: String) {
        self.text = text
    }

    /// The welcome, and where to go on from there.
    static func onboarding(then path: LocalPath) -> LocalPath {
        guard path != dashboard else { return onboarding }
        let text = FormEncoding.appending([("return_to", path.text)], to: onboarding.text)
        return LocalPath(text) ?? onboarding
    }

    /// Where `return_to` leads: off-site places become `/`, none is the dashboard (attack E12).
    static func asked(_ given: String?) -> LocalPath {
        guard let given else { return dashboard }
        return LocalPath(given) ?? root
    }

    /// - Parameter given: Out of a form or query, decoded there once.
    init?(_ given: String) {
        let bytes = Array(given.utf8)
        guard bytes.count <= 1024, bytes.first == UInt8(ascii: "/"),
            bytes.allSatisfy({ 0x21...0x7E ~= $0 && !Self.foreign.contains($0) })
        else { return nil }
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        guard let decoded = Self.decoded(path), Self.isPlain(decoded) else { return nil }
        text = given
    }

    /// Characters that no URI has (RFC 3986 §2), and the fragment's mark: a browser adds its own.
    private static let foreign = Array("\"<>\\^`{|}#".utf8)

    /// Without controls, backslashes, empty and dot segments, also once parameters are taken off
    /// (`..;v=1`). A slash at the end is one.
    private static func isPlain(_ path: [UInt8]) -> Bool {
        guard path.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }) else {
            return false
        }
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        segments.removeFirst()
        if segments.last?.isEmpty == true { segments.removeLast() }
        return segments.map { $0.prefix { $0 != UInt8(ascii: ";") } }.allSatisfy { segment in
            !segment.isEmpty && !segment.elementsEqual(".".utf8)
                && !segment.elementsEqual("..".utf8)
        }
    }

    /// Escapes decoded once; `nil` where one is none.
    private static func decoded(_ path: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        var rest = path
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
