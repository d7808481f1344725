import PorticoBytes

/// The mail server, and how the connection is secured (RFC 6409, RFC 8314 §3).
package struct SMTPServer: Hashable, Sendable {
    /// Encryption never depends on what the server happens to offer.
    package enum Security: Hashable, Sendable {
        /// From the first byte.
        case tls
        /// After STARTTLS, without which nothing is sent (RFC 3207).
        case startTLS
        /// No encryption: on this machine only.
        case none
    }

    /// A name, or an address without brackets.
    package let host: String
    package let port: UInt16
    package let security: Security
    package let user: String?

    package enum Refusal: Error, Hashable, Sendable {
        case malformed
        /// A setting that is displayed must not contain a password.
        case password
        /// Unencrypted, and not on this machine.
        case exposed
    }

    package init(host: String, port: UInt16, security: Security, user: String?) throws(Refusal) {
        guard port > 0, Self.isHost(host) else { throw .malformed }
        guard security != .none || Self.isLoopback(host) else { throw .exposed }
        if let user {
            // libcurl would misread other values.
            guard (1...256).contains(user.utf8.count), PlainLine.isPlain(user), !user.contains(";")
            else { throw .malformed }
        }
        self.host = host
        self.port = port
        self.security = security
        self.user = user
    }

    /// - Parameter text: `smtps://user@host:465` for TLS, `smtp://user@host:587` for STARTTLS. User
    ///   and port are optional; an `@` in the user is written `%40`. A loopback literal such as
    ///   `smtp://127.0.0.1:25` is not encrypted.
    package init(_ text: String) throws(Refusal) {
        let isTLS = text.hasPrefix("smtps://")
        guard isTLS || text.hasPrefix("smtp://") else { throw .malformed }
        var rest = text.dropFirst(isTLS ? 8 : 7)
        var user: String?
        if let at = rest.firstIndex(of: "@") {
            guard !rest[..<at].contains(":") else { throw .password }
            guard let decoded = Hexadecimal.percentDecoded(rest[..<at].utf8),
                let name = String(validating: decoded, as: UTF8.self)
            else { throw .malformed }
            user = name
            rest = rest[rest.index(after: at)...]
        }
        let host: Substring
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            host = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            guard host.contains(":") else { throw .malformed }
        } else {
            host = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(host.count)
        }
        let security: Security = isTLS ? .tls : Self.isLoopback(String(host)) ? .none : .startTLS
        var port: UInt16 = isTLS ? 465 : security == .none ? 25 : 587
        if !rest.isEmpty {
            let digits = rest.dropFirst()
            guard rest.first == ":", let number = UInt16(digits: digits.utf8) else {
                throw .malformed
            }
            port = number
        }
        try self.init(host: String(host), port: port, security: security, user: user)
    }

    /// As written in a setting.
    package var text: String {
        var escaped: [UInt8] = []
        for byte in (user ?? "").utf8 {
            if byte.isLetterOrDigit || "-._+".utf8.contains(byte) {
                escaped.append(byte)
            } else {
                Hexadecimal.append(byte, after: "%", to: &escaped)
            }
        }
        return scheme + (user == nil ? "" : String(decoding: escaped, as: UTF8.self) + "@") + place
    }

    /// The address without the user.
    var url: String {
        scheme + place
    }

    private var scheme: String {
        security == .tls ? "smtps://" : "smtp://"
    }

    private var place: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Letters, digits and the characters of an IP address: nothing that would end the host of a
    /// URL.
    private static func isHost(_ text: String) -> Bool {
        let allowed: [UInt8] = text.contains(":") ? Array(":.".utf8) : Array("-.".utf8)
        return (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || allowed.contains($0) }
    }

    /// An IP literal of this machine: a name could be made to resolve to another one.
    private static func isLoopback(_ host: String) -> Bool {
        if host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8(digits: $0.utf8) != nil }
    }
}
