import PorticoBytes

/// An absolute `http` or `https` URI with a host, without user information and without a fragment
/// (RFC 9110 §4.2).
///
/// The text is kept and used byte for byte, without normalisation: no slash is removed or added.
package struct HTTPAddress: Hashable, Sendable {
    package let text: String
    package let isSecure: Bool
    /// Host and port as written.
    package let authority: String
    /// Lower case; an IPv6 literal with its brackets.
    package let host: String
    /// As written, or the default port of the scheme.
    package let port: Int
    /// As written; may be empty.
    package let path: String
    /// The text after the first `?`, as written.
    package let query: String?

    package init?(_ text: String) {
        guard text.utf8.count <= 64 * 1024, Self.isAllowed(text.utf8) else { return nil }
        let rest: Substring
        if text.lowercased().hasPrefix("https://") {
            isSecure = true
            rest = text.dropFirst(8)
        } else if text.lowercased().hasPrefix("http://") {
            isSecure = false
            rest = text.dropFirst(7)
        } else {
            return nil
        }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let (host, port) = Self.hostAndPort(authority) else { return nil }
        self.text = text
        self.authority = String(authority)
        self.host = host.lowercased()
        self.port = port ?? (isSecure ? 443 : 80)
        let target = rest[authority.endIndex...]
        let path = target.prefix { $0 != "?" }
        self.path = String(path)
        query =
            path.endIndex == target.endIndex ? nil : String(target[path.endIndex...].dropFirst())
    }

    /// Whether the host is the IP literal `127.0.0.1` or `[::1]`; a name is never one
    /// (RFC 8252 §8.3).
    package var isLoopback: Bool {
        host == "127.0.0.1" || host == "[::1]"
    }

    /// Whether the host is `localhost` or a name below it, which are reserved for this machine (RFC
    /// 6761 §6.3). ``LocalhostName`` checks what they resolve to, because a resolver may differ.
    package var isLocalhost: Bool {
        host == "localhost" || host.hasSuffix(".localhost")
    }

    /// Whether plain http to this host must stay on this machine: a loopback literal, or a name
    /// that ``LocalhostName`` checks.
    package var isThisMachine: Bool { isLoopback || isLocalhost }

    /// Scheme, host and port in canonical form (RFC 6454 §4).
    package var origin: String {
        "\(isSecure ? "https" : "http")://\(host):\(port)"
    }

    /// Path and query as written on the request line.
    package var target: String {
        (path.isEmpty ? "/" : path) + (query.map { "?\($0)" } ?? "")
    }

    /// The same address with `parameters` added to its query, which is kept (RFC 6749 §3.1).
    ///
    /// - Parameter parameters: Form-encoded, without a leading `?` or `&`.
    package func appending(query parameters: String) -> String {
        guard let query else { return "\(text)?\(parameters)" }
        return query.isEmpty ? "\(text)\(parameters)" : "\(text)&\(parameters)"
    }

    /// Printable ASCII that a URI may hold (RFC 3986 appendix A), without `#`. A query may also have
    /// `|`, which browsers send as it is.
    private static func isAllowed(_ text: String.UTF8View) -> Bool {
        var isInQuery = false
        return text.allSatisfy { byte in
            if byte == UInt8(ascii: "?") { isInQuery = true }
            return byte.isURICharacter && byte != UInt8(ascii: "#")
                || isInQuery && byte == UInt8(ascii: "|")
        }
    }

    private static func hostAndPort(_ authority: Substring) -> (Substring, Int?)? {
        var host = authority
        var port: Substring?
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            host = authority[...bracket]
            let rest = authority[authority.index(after: bracket)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard
                host.dropFirst().dropLast().utf8
                    .allSatisfy({ $0.hexDigitValue != nil || ":.".utf8.contains($0) })
            else { return nil }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                port = authority[authority.index(after: colon)...]
            }
            // The host must not contain "@" (user information) or "%".
            guard host.utf8.allSatisfy({ $0.isLetterOrDigit || "-._".utf8.contains($0) }) else {
                return nil
            }
        }
        guard host.count > (host.hasPrefix("[") ? 2 : 0) else { return nil }
        guard let port else { return (host, nil) }
        guard let number = Int(digits: port.utf8, atMost: 5), (1...65535).contains(number) else {
            return nil
        }
        return (host, number)
    }
}
