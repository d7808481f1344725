import PorticoBytes

/// A web origin as Keycloak registers it: an origin, `+` for those of the redirect URIs, or `*`.
package enum OriginPattern: Hashable, Sendable {
    /// `*`
    case any
    /// `+`
    case redirects
    /// As browsers write it (RFC 6454 §6.1).
    case origin(String)

    /// - Returns: `nil` for what is no origin: nothing is allowed by it.
    package init?(_ text: String) {
        guard !sameBytes(text, "*") else {
            self = .any
            return
        }
        guard !sameBytes(text, "+") else {
            self = .redirects
            return
        }
        guard let origin = Self.origin(text) else { return nil }
        self = .origin(origin)
    }

    /// An origin in the one spelling of browsers; `nil` for what is none: a path, `null`, a part of
    /// a host. A slash at its end is left out.
    ///
    /// Apps in a web view have an origin with a scheme of their own, like `capacitor://localhost`.
    static func origin(_ text: String) -> String? {
        guard text.utf8.count <= RedirectPattern.longest else { return nil }
        var bytes = Array(text.utf8)[...]
        if bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = HTTPAddress(text) {
            return address.path.isEmpty && address.query == nil ? address.webOrigin : nil
        }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            RedirectURI.isScheme(bytes[..<colon]), !RedirectURI.isForBrowsers(bytes[..<colon]),
            bytes[(colon + 1)...].starts(with: "//".utf8)
        else { return nil }
        let host = bytes[(colon + 3)...]
        guard !host.isEmpty,
            host.allSatisfy({ $0.isLetterOrDigit || "-._:".utf8.contains($0) })
        else { return nil }
        return text
    }
}

/// The web origins of a client: which pages' scripts may call the token endpoint and UserInfo.
package struct OriginPatterns: Hashable, Sendable {
    /// Without repeats, in the order registered.
    package let origins: [String]
    /// Whether `*` is registered.
    package let allowsAny: Bool
    /// What allows nothing.
    package let refused: [String]

    /// - Parameters:
    ///   - registered: As in Keycloak's file.
    ///   - redirects: The client's redirect patterns, for `+`.
    package init(_ registered: some Sequence<String>, redirects: RedirectPatterns) {
        var origins: [String] = []
        var refused: [String] = []
        var allowsAny = false
        for text in registered where !text.isEmpty {
            switch OriginPattern(text) {
            case .any?: allowsAny = true
            case .redirects?: origins += redirects.patterns.compactMap(\.origin)
            case .origin(let origin)?: origins.append(origin)
            case nil: refused.append(text)
            }
        }
        var seen: Set<ExactText> = []
        self.origins = origins.filter { seen.insert(ExactText($0)).inserted }
        self.allowsAny = allowsAny
        self.refused = refused
    }

    /// What a page of an origin is allowed.
    package enum Access: Hashable, Sendable {
        case none
        /// By `*` only: never with cookies (Fetch standard §3.2.5).
        case withoutCredentials
        /// The origin is registered.
        case full
    }

    /// - Parameter origin: The field `Origin` of a request.
    package func access(for origin: String) -> Access {
        guard Self.isOrigin(origin) else { return .none }
        if origins.contains(where: { sameBytes($0, origin) }) { return .full }
        return allowsAny ? .withoutCredentials : .none
    }

    /// Whether a text is an origin as browsers send it, so that it may be looked up.
    package static func isOrigin(_ text: String) -> Bool {
        OriginPattern.origin(text).map { sameBytes($0, text) } ?? false
    }

    /// The claim `allowed-origins`.
    package var claim: [String] { origins + (allowsAny ? ["*"] : []) }
}

extension HTTPAddress {
    /// The origin as browsers write it: without the standard port (RFC 6454 §6.1).
    package var webOrigin: String {
        let standard = isSecure ? 443 : 80
        return "\(isSecure ? "https" : "http")://\(host)\(port == standard ? "" : ":\(port)")"
    }
}
