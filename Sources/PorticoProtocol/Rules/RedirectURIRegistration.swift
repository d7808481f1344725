import PorticoBytes

/// The redirect URIs that a client may register (RFC 8252 §8.4, RFC 6749 §3.1.2, RFC 9700 §2.1).
extension RedirectURI {
    /// Why a redirect URI is refused at registration.
    package enum Refusal: Error, Hashable, Sendable {
        case notAbsolute
        case fragment
        case wildcard
        case forbiddenCharacter
        case userInfo
        case noHost
        case plainHTTP
        case localhost
        /// A scheme without a period cannot belong to the app's maker (RFC 8252 §7.1).
        case dotlessScheme
        /// Browsers run, show or fetch what it names.
        case browsersScheme
        /// `com.example.app://host`: a private-use URI has no authority (RFC 8252 §7.1).
        case authority
        case tooLong

        /// One English sentence for the developer.
        package var description: StaticString {
            switch self {
            case .notAbsolute: "A redirect URI must be absolute, with a scheme (RFC 6749 3.1.2)."
            case .fragment: "A redirect URI must have no fragment (RFC 6749 3.1.2)."
            case .wildcard: "A redirect URI is registered whole, without wildcards (RFC 8252 8.4)."
            case .forbiddenCharacter:
                "A redirect URI is ASCII without spaces, quotes or backslashes (RFC 3986)."
            case .userInfo: "A redirect URI must have no user information before the host."
            case .noHost: "An http or https redirect URI needs a host, and no port above 65535."
            case .plainHTTP: "An http redirect URI must be on 127.0.0.1 or [::1] (RFC 8252 7.3)."
            case .localhost: "Use http://127.0.0.1 or http://[::1], not localhost (RFC 8252 8.3)."
            case .dotlessScheme:
                "A private-use scheme is a reversed domain, like com.example.app (RFC 8252 7.1)."
            case .browsersScheme: "Browsers use this scheme themselves: no app can have it."
            case .authority: "A private-use redirect has one slash: com.example.app:/callback."
            case .tooLong: "A redirect URI has at most 2000 characters."
            }
        }
    }

    /// - Parameter development: Whether the client has the `development` switch, which allows what
    ///   tools like Expo Go register: schemes without a period, an authority, `localhost`.
    /// - Throws: The first rule that the URI breaks.
    package func checkRegistrable(development: Bool) throws(Refusal) {
        let bytes = Array(text.utf8)
        guard bytes.count <= 2000 else { throw .tooLong }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(bytes[..<colon])
        else {
            throw .notAbsolute
        }
        guard bytes.allSatisfy({ $0.isURICharacter }) else { throw .forbiddenCharacter }
        guard !bytes.contains(UInt8(ascii: "#")) else { throw .fragment }
        guard !bytes.contains(UInt8(ascii: "*")) else { throw .wildcard }
        switch kind {
        case .loopback: return
        case .https: _ = try address()
        case .http:
            // Only `localhost` itself: where a browser sends other names cannot be known.
            guard try address().host == "localhost" else { throw .plainHTTP }
            guard development else { throw .localhost }
        case .privateUseScheme: try checkPrivateUse(bytes, colon, development)
        }
    }

    /// With a host, and with or without a path: an absolute URI does not need one (RFC 3986 §4.3).
    private func address() throws(Refusal) -> HTTPAddress {
        let authority = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2).dropFirst()
            .first
        let name = authority?.prefix { $0 != UInt8(ascii: "?") }
        guard name?.contains(UInt8(ascii: "@")) != true else { throw .userInfo }
        guard let address = HTTPAddress(text) else { throw .noHost }
        return address
    }

    private func checkPrivateUse(_ bytes: [UInt8], _ colon: Int, _ development: Bool)
        throws(Refusal)
    {
        let scheme = bytes[..<colon]
        guard !Self.isForBrowsers(scheme) else { throw .browsersScheme }
        if development { return }
        guard scheme.contains(UInt8(ascii: ".")) else { throw .dotlessScheme }
        let rest = bytes[(colon + 1)...]
        guard rest.first == UInt8(ascii: "/"), !rest.starts(with: "//".utf8) else {
            throw .authority
        }
    }

    /// Whether no app can have the scheme: a browser runs, shows or fetches what it names.
    static func isForBrowsers(_ scheme: ArraySlice<UInt8>) -> Bool {
        ["javascript", "data", "vbscript", "file", "about", "blob", "http", "https"]
            .contains { $0.utf8.elementsEqual(scheme.map(\.lowercased)) }
    }

    static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first?.isLetter == true else { return false }
        return bytes.allSatisfy {
            $0.isUnreserved && $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "~")
                || $0 == UInt8(ascii: "+")
        }
    }
}
