import PorticoBytes

/// A redirect URI of a request, once it has been found to be one to which a response could go.
struct RequestedRedirect {
    let uri: RedirectURI
    let parts: RedirectParts
    private let bytes: [UInt8]

    /// - Returns: `nil` for what is no URI, and for one with a fragment, user information, or a
    ///   scheme of browsers' own.
    init?(_ uri: RedirectURI) {
        let bytes = Array(uri.text.utf8)
        guard bytes.count <= RedirectPattern.longest, bytes.allSatisfy(\.isURICharacter),
            !bytes.contains(UInt8(ascii: "#")),
            // `try?`: whatever is wrong with it, nothing is sent there.
            let parts = try? RedirectParts(pattern: bytes),
            !parts.isHTTP || HTTPAddress(uri.text) != nil
        else { return nil }
        self.uri = uri
        self.parts = parts
        self.bytes = bytes
    }

    var bytesBeforeQuery: ArraySlice<UInt8> { bytes.prefix { $0 != UInt8(ascii: "?") } }

    /// The URI without its port, where it is http and on this machine: a registration without a
    /// port is for each of them.
    var withoutPort: RequestedRedirect? {
        guard parts.isPlainHTTP, parts.isThisMachine, let authority = parts.authority,
            authority.count > parts.host.count
        else { return nil }
        let text = Array("http://".utf8) + parts.host + parts.rest
        return RequestedRedirect(RedirectURI(String(decoding: text, as: UTF8.self)))
    }

    /// Whether a pattern that ends in an asterisk may match: what stands in its place is a plain path,
    /// and no part of a response.
    var fitsAsterisk: Bool { hasPlainPath && hasPlainQuery }

    /// Whether no parameter has the name of one that responses bring: the one who made the URI would
    /// choose its value (RFC 6749 §4.1.2, RFC 9207 §2; Keycloak `RedirectUtils`).
    private var hasPlainQuery: Bool {
        let query = bytes.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return query.split(separator: UInt8(ascii: "&")).allSatisfy { parameter in
            let name = parameter.prefix { $0 != UInt8(ascii: "=") }
            guard let decoded = Hexadecimal.percentDecoded(name) else { return false }
            let plain = decoded.map(\.lowercased)
            return !Self.response.contains { $0.utf8.elementsEqual(plain) }
        }
    }

    private static let response = [
        "code", "state", "iss", "error", "error_description", "error_uri", "session_state",
        "id_token", "access_token", "token_type", "expires_in", "response", "kc_action",
        "kc_action_status",
    ]

    /// Whether no reading of the path leads out of the folder that it seems to be in. A server may
    /// decode it twice, and take a backslash for a slash (Keycloak `UNSAFE_PATH_PATTERN`).
    private var hasPlainPath: Bool {
        var rest = parts.rest.prefix { $0 != UInt8(ascii: "?") }
        // Of the segment so far: how many dots, or `nil` where it has something else.
        var dots: Int? = 0
        while let byte = Self.next(&rest) {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: ";"):
                if dots == 2 { return false }
                // What follows a semicolon belongs to the segment.
                dots = byte == UInt8(ascii: ";") ? nil : 0
            case UInt8(ascii: "."): dots = dots.map { $0 + 1 }
            case ..<0x20, UInt8(ascii: "%"): return false
            default: dots = nil
            }
        }
        return dots != 2
    }

    /// The next character, however often it is encoded; `%` for an escape that is none, and `x` for
    /// a per cent sign, which leads nowhere.
    private static func next(_ rest: inout ArraySlice<UInt8>) -> UInt8? {
        guard let byte = rest.popFirst() else { return nil }
        guard byte == UInt8(ascii: "%") else { return byte }
        var isEncoded = false
        while rest.starts(with: "25".utf8) {
            rest = rest.dropFirst(2)
            isEncoded = true
        }
        guard let decoded = Hexadecimal.bytes(rest.prefix(2))?.first else {
            return UInt8(ascii: isEncoded ? "x" : "%")
        }
        rest = rest.dropFirst(2)
        return decoded
    }
}
