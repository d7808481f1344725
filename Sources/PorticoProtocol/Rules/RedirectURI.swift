import PorticoBytes

/// The address of an authorization response (RFC 6749 §3.1.2).
///
/// Compared as bytes (RFC 9700 §2.1): `String ==` would treat two encodings of one character as
/// equal.
package struct RedirectURI: Hashable, Sendable {
    private let bytes: [UInt8]

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether a client that registered this URI may receive the response at `requested` (RFC 9700
    /// §2.1, RFC 8252 §8.4).
    ///
    /// The two must be equal: nothing is normalised, and prefixes and wildcards do not match. The
    /// only exception is the port of an `http` URI on a loopback IP literal, because a native app
    /// learns its port only once it listens (RFC 8252 §7.3). `localhost` is a name, not a literal
    /// (§8.3).
    package func permits(_ requested: RedirectURI) -> Bool {
        if self == requested { return true }
        guard let registered = PortlessLoopback(bytes) else { return false }
        return registered == PortlessLoopback(requested.bytes)
    }

    /// The kind of redirect, as native apps can receive it (RFC 8252 §7).
    package var kind: Kind {
        if PortlessLoopback(bytes) != nil { return .loopback }
        if bytes.starts(with: "https://".utf8) { return .https }
        if bytes.starts(with: "http://".utf8) { return .http }
        return .privateUseScheme
    }

    package enum Kind: Hashable, Sendable {
        case https
        /// `http` on `127.0.0.1` or `[::1]`.
        case loopback
        case privateUseScheme
        /// `http` on any other host.
        case http
    }

    /// The scheme, without the colon.
    package var scheme: String {
        String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    }

    /// `https://host` or `https://host:port` of an https URI, otherwise `nil`.
    package var httpsOrigin: String? {
        guard kind == .https else { return nil }
        let authority = bytes.dropFirst("https://".utf8.count).prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        return "https://" + String(decoding: authority, as: UTF8.self)
    }
}

/// An `http` URI on a loopback IP literal, without its port (RFC 8252 §7.3).
private struct PortlessLoopback: Equatable {
    let host: String
    let pathAndQuery: [UInt8]

    init?(_ uri: [UInt8]) {
        for host in ["127.0.0.1", "[::1]"] {
            let prefix = Array("http://\(host)".utf8)
            guard uri.starts(with: prefix) else { continue }
            var rest = uri.dropFirst(prefix.count)
            if rest.first == UInt8(ascii: ":") {
                let digits = rest.dropFirst().prefix { $0.isDigit }
                guard Self.isPort(digits) else { return nil }
                rest = rest.dropFirst(1 + digits.count)
            }
            // "http://127.0.0.1@evil.example" and "http://127.0.0.1.evil.example" have the prefix.
            guard rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?")
            else {
                return nil
            }
            self.host = host
            pathAndQuery = Array(rest)
            return
        }
        return nil
    }

    /// 1 to 65535, written without leading zeros.
    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.first != UInt8(ascii: "0"), let port = Int(digits: digits, atMost: 5) else {
            return false
        }
        return port <= 65535
    }
}

extension RedirectURI {
    /// Whether a client whose document has this URI may receive the response at `requested` (AT
    /// Protocol, OAuth): as ``permits(_:)``, but a port that the document has must match.
    package func permitsExactPort(_ requested: RedirectURI) -> Bool {
        let hasPort = ["http://127.0.0.1:", "http://[::1]:"].contains {
            text.utf8.starts(with: $0.utf8)
        }
        return hasPort ? self == requested : permits(requested)
    }
}
