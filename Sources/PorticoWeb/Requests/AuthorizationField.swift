import PorticoBytes

/// One `Authorization` field: a scheme, one or more spaces, and what the scheme has (RFC 9110 §11.4, RFC
/// 6750 §2.1: `1*SP`).
package struct AuthorizationField: Sendable {
    /// In lower case (RFC 9110 §11.1).
    package let scheme: String
    /// Not empty, as received.
    package let credentials: Substring

    /// Longer than the name of any scheme that is taken here.
    private static let longestScheme = 16

    /// - Returns: `nil` where there is no scheme, or nothing behind it.
    package init?(_ field: String) {
        let space = UInt8(ascii: " ")
        guard let end = field.utf8.prefix(Self.longestScheme + 1).firstIndex(of: space) else {
            return nil
        }
        let credentials = field.utf8[end...].drop { $0 == space }
        guard end > field.startIndex, !credentials.isEmpty else { return nil }
        scheme = field[..<end].lowercased()
        self.credentials = Substring(credentials)
    }

    /// What a field of this scheme has.
    ///
    /// - Parameter scheme: In lower case.
    /// - Returns: `nil` of another scheme.
    package func credentials(of scheme: StaticString) -> Substring? {
        self.scheme.utf8.elementsEqual("\(scheme)".utf8) ? credentials : nil
    }
}
