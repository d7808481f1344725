import PorticoBytes
package import PorticoProtocol
package import PorticoStores

/// The origin of a web app with scripts that may call the token endpoint and UserInfo, in the form
/// browsers send in `Origin` (RFC 6454 §6.1, Fetch standard §3.2).
package enum WebOrigin {
    /// Whether `text` is an origin in the browser's own spelling, so that it can be compared as
    /// bytes: lower case, no path, no default port, no wildcard, never `null`.
    ///
    /// - Parameter development: Whether plain http on `localhost` is allowed.
    package static func isOrigin(_ text: String, development: Bool = false) -> Bool {
        guard let address = HTTPAddress(text), address.path.isEmpty, address.query == nil else {
            return false
        }
        let isLocal = address.isLoopback || development && address.host == "localhost"
        return (address.isSecure || isLocal) && address.webOrigin == text
    }

    /// The origins of those redirect URIs that have one: the meaning of `+` among web
    /// origins.
    package static func origins(of redirectURIs: [RedirectURI]) -> [String] {
        var origins: [String] = []
        for address in redirectURIs.compactMap({ HTTPAddress($0.text) }) {
            if !origins.contains(address.webOrigin) { origins.append(address.webOrigin) }
        }
        return origins
    }
}

extension PairwiseSubject {
    /// The host of a URI, as written; `nil` for one without, and for one that is longer than a
    /// redirect URI can be.
    package static func host(of uri: String) -> String? {
        let bytes = Array(uri.utf8)
        guard bytes.count <= RedirectPattern.longest,
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            bytes[(colon + 1)...].starts(with: "//".utf8)
        else { return nil }
        let authority = bytes[(colon + 3)...].prefix { !"/?#".utf8.contains($0) }
        let place = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] }
        var host = place ?? authority
        if host.first == UInt8(ascii: "["), let end = host.firstIndex(of: UInt8(ascii: "]")) {
            host = host[...end]
        } else {
            host = host.prefix { $0 != UInt8(ascii: ":") }
        }
        return host.isEmpty ? nil : String(decoding: host, as: UTF8.self)
    }
}
