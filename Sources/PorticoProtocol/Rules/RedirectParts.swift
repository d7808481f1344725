import PorticoBytes

/// The scheme and the authority of a redirect URI, or of a pattern of one (RFC 3986 §3).
struct RedirectParts: Hashable, Sendable {
    let scheme: ArraySlice<UInt8>
    /// `nil` for a URI without one, like `com.example.app:/callback`.
    let authority: ArraySlice<UInt8>?
    /// What follows, with its query.
    let rest: ArraySlice<UInt8>

    /// - Parameter bytes: Characters of URIs only.
    init(pattern bytes: [UInt8]) throws(RedirectPattern.Refusal) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            RedirectURI.isScheme(bytes[..<colon])
        else { throw .notAbsolute }
        scheme = bytes[..<colon]
        guard !bytes.starts(with: "urn:ietf:wg:oauth:2.0:oob".utf8) else { throw .outOfBand }
        let afterScheme = bytes[(colon + 1)...]
        if afterScheme.starts(with: "//".utf8) {
            let authority = afterScheme.dropFirst(2).prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
            }
            guard !authority.contains(UInt8(ascii: "@")) else { throw .userInfo }
            self.authority = authority
            rest = bytes[authority.endIndex...]
        } else {
            authority = nil
            rest = afterScheme
        }
        if !isHTTP, RedirectURI.isForBrowsers(scheme) { throw .scheme }
        if isHTTP, authority == nil { throw .noHost }
    }

    var isHTTP: Bool { isPlainHTTP || scheme.elementsEqual("https".utf8) }

    var isPlainHTTP: Bool { scheme.elementsEqual("http".utf8) }

    var isLocalhost: Bool { host.elementsEqual("localhost".utf8) }

    var isThisMachine: Bool { Self.isThisMachine(host) }

    /// - Parameter host: Without its port.
    static func isThisMachine(_ host: ArraySlice<UInt8>) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains { host.elementsEqual($0.utf8) }
    }

    /// As written, without a port and without an asterisk that ends it.
    var host: ArraySlice<UInt8> {
        guard let authority else { return [] }
        var host = authority
        if host.last == UInt8(ascii: "*") { host = host.dropLast() }
        let port = host.reversed().prefix { $0.isDigit }.count
        let beforePort = host.dropLast(port)
        return beforePort.last == UInt8(ascii: ":") ? beforePort.dropLast() : host
    }
}
