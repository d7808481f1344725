import PorticoProtocol

/// The server's public origin, from the configuration. Every address that we send is built from it
/// (docs/decisions/0036), and none from a request.
package struct PublicURL: Hashable, Sendable, CustomStringConvertible {
    /// `https://id.example.com`, `http://127.0.0.1:8080`: without a trailing slash.
    package let origin: String
    package let isSecure: Bool
    /// Lower case; an IPv6 literal with its brackets.
    package let host: String
    package let port: Int
    /// Whether the host is a loopback IP literal.
    package let isLiteral: Bool
    /// Whether browsers are told to use https at every name below the host, too (RFC 6797 §6.1.2).
    package var coversSubdomains = true

    /// - Throws: What is wrong with it, for the operator.
    package init(_ text: String) throws(Refusal) {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
        guard let address = HTTPAddress(text) else { throw .notAnOrigin }
        guard address.path.isEmpty, address.query == nil else { throw .notAnOrigin }
        guard address.isSecure || address.isThisMachine else { throw .insecure }
        let scheme = address.isSecure ? "https" : "http"
        // There is one spelling: browsers and clients compare it as text. The scheme's own port is left
        // out of it, also where it was written.
        let plain = "\(scheme)://\(address.host)"
        let usualPort = address.isSecure ? 443 : 80
        origin = address.port == usualPort ? plain : "\(plain):\(address.port)"
        guard text == origin || text == "\(origin):\(usualPort)" && address.port == usualPort else {
            throw .notCanonical
        }
        isSecure = address.isSecure
        host = address.host
        port = address.port
        isLiteral = address.isLoopback
    }

    package enum Refusal: Error, Hashable, Sendable {
        /// Not `https://host` or `https://host:port` and nothing else.
        case notAnOrigin
        /// `http`, and not on the literal `127.0.0.1` or `[::1]`, on `localhost` or a name below
        /// it. Whether such a name resolves to this machine is checked when the server starts.
        case insecure
        /// Upper case, or another spelling of the port.
        case notCanonical
        /// A name with signs that no name of a host has (RFC 5890 §2.3.2.1).
        case notASCII

        package var explanation: StaticString {
            switch self {
            case .notAnOrigin: "A public URL is https://host or https://host:port, with no path."
            case .insecure:
                "Without TLS the public URL must be http://127.0.0.1, http://[::1] or http://localhost."
            case .notCanonical: "Write the public URL in lower case and without its default port."
            case .notASCII:
                "Write the public URL as browsers send it: a host such as xn--mnchen-3ya.example."
            }
        }
    }

    /// Whether it is plain http, which is only for this machine.
    package var isInsecureLoopback: Bool { !isSecure }

    package var description: String { origin }

    /// Whether a `Host` header names this origin; the port may be omitted if it is the scheme's
    /// default (RFC 9110 §4.2.3).
    package func isNamed(byHost header: String) -> Bool {
        let given = header.lowercased()
        if given == "\(host):\(port)" { return true }
        return port == (isSecure ? 443 : 80) && given == host
    }
}
