package import PorticoProtocol

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
