import PorticoBytes

/// The address of a request as a proof names it: `htu` (RFC 9449 §4.2).
///
/// Scheme and host in lower case, without the default port, with `/` for an empty path, and without
/// query and fragment (RFC 3986 §6.2.2.1, §6.2.3). The rest of the path stays byte for byte: escapes
/// are not resolved, because no address of ours has any.
package enum TargetURI {
    /// In bytes.
    private static let longest = 2_048

    package static func of(_ address: HTTPAddress) -> String {
        let scheme = address.isSecure ? "https" : "http"
        let isDefault = address.port == (address.isSecure ? 443 : 80)
        let port = isDefault ? "" : ":\(address.port)"
        return "\(scheme)://\(address.host)\(port)\(address.path.isEmpty ? "/" : address.path)"
    }

    /// The same for an address of a stranger's (RFC 9449 §4.3-9).
    ///
    /// - Returns: `nil` if it is no http or https address, is longer than 2,048 bytes, or has a
    ///   character that is not visible ASCII.
    package static func normalized(_ text: String) -> String? {
        guard text.utf8.count <= longest, text.utf8.allSatisfy({ $0.isVisible }) else { return nil }
        let bare = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return HTTPAddress(String(Substring(bare))).map(of)
    }
}
