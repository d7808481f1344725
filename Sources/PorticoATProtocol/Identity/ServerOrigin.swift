import PorticoBytes
package import PorticoProtocol

/// Where a server is: `https://pds.example.com`, without a port and with nothing behind it.
///
/// Stricter than the AT Protocol, which lets a host have a port: strangers choose it.
package struct ServerOrigin: Hashable, Sendable {
    /// In lower case, without a slash at the end.
    package let text: String
    package let host: String

    package enum Refusal: Error, Hashable, Sendable {
        case scheme
        /// Not a URL, or with user information, a path, a query or a fragment.
        case syntax
        /// An IP address, a name that is not public, or capital letters.
        case host
        /// Even that of https, written out.
        case port
    }

    package init(_ text: String, _ rules: IdentityRules = .production) throws(Refusal) {
        guard text.utf8.count <= 2048, let address = HTTPAddress(text), address.path.isEmpty,
            address.query == nil
        else { throw .syntax }
        self.text = text
        host = address.host
        if rules.plainOrigins.contains(text) { return }
        guard text.dropping("https://") != nil else { throw .scheme }
        guard address.authority.utf8.count == address.host.utf8.count else { throw .port }
        guard sameBytes(address.authority, address.host) else { throw .host }
        do {
            _ = try HostName(address.host, allowsTest: rules.allowsTest)
        } catch {
            throw .host
        }
    }

    package init(of host: HostName) {
        text = "https://\(host.text)"
        self.host = host.text
    }

    /// - Parameter path: With its leading slash.
    func address(_ path: String) -> HTTPAddress? {
        HTTPAddress(text + path)
    }
}
