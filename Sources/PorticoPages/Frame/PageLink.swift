import PorticoBytes

/// An address that is safe to put into a page's `href` or `action` (WEB-XSS-2).
package struct PageLink: HTMLAddress, Equatable {
    package let href: String

    /// An address that a client registered, such as its home page or its terms: https only.
    package init?(https address: String) {
        guard Self.scheme(of: address) == "https", Self.isPlain(address),
            address.utf8.count > "https://".utf8.count,
            address.lowercased().hasPrefix("https://")
        else { return nil }
        href = address
    }

    /// The way back to a client, built from a redirect URI that was found to be its own.
    ///
    /// A native app's private-use scheme is let through (RFC 8252 §7.1); schemes that a browser
    /// runs or reads itself are not.
    package init?(redirect address: String) {
        guard let scheme = Self.scheme(of: address), Self.isPlain(address),
            !Self.schemesOfTheBrowser.contains(scheme)
        else { return nil }
        href = address
    }

    /// A path of this server, such as the one that starts a request again.
    package init?(path: String) {
        let bytes = Array(path.utf8)
        guard bytes.first == UInt8(ascii: "/"), Self.isPlain(path),
            bytes.count == 1 || !Self.slashes.contains(bytes[1])
        else { return nil }
        href = path
    }

    private static let slashes = Array("/\\".utf8)

    private static let schemesOfTheBrowser: Set<String> = [
        "about", "blob", "chrome", "data", "file", "filesystem", "intent", "javascript",
        "resource", "vbscript", "view-source",
    ]

    /// Printable ASCII without the characters that no URI contains (RFC 3986 §2).
    private static func isPlain(_ address: String) -> Bool {
        address.utf8.allSatisfy { $0.isURICharacter }
    }

    /// The scheme in lower case (RFC 3986 §3.1).
    private static func scheme(of address: String) -> String? {
        guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = address.utf8[..<colon]
        guard scheme.first?.isLetter == true,
            scheme.allSatisfy({ $0.isLetterOrDigit || "+-.".utf8.contains($0) })
        else { return nil }
        return String(address[..<colon]).lowercased()
    }
}
