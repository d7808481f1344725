import PorticoBytes

/// The issuers of a provider with many tenants, such as Microsoft Entra: its metadata has
/// `{tenantid}` where an ID Token has the identifier of the person's own tenant, and the ID Token
/// has the same identifier as `tid`.
///
/// No standard has this. A client that uses it signs in people of every tenant.
package struct IssuerTemplate: Hashable, Sendable {
    package let text: String
    private let beginning: String
    private let end: String

    private static let placeholder = "{tenantid}"
    /// A UUID with hyphens.
    private static let tenantLength = 36

    /// - Returns: `nil` unless it is an https URL with the placeholder once, as a part of its path.
    package init?(_ text: String) {
        let parts = text.split(separator: Self.placeholder, omittingEmptySubsequences: false)
        guard text.utf8.count <= 2000, parts.count == 2, parts[0].hasSuffix("/"),
            parts[1].isEmpty || parts[1].hasPrefix("/"),
            let example = HTTPAddress(parts.joined(separator: "t")), example.isSecure,
            example.query == nil, !example.path.isEmpty
        else { return nil }
        self.text = text
        beginning = String(parts[0])
        end = String(parts[1])
    }

    /// - Parameter tenant: `tid` of the same ID Token.
    package func names(_ issuer: String, of tenant: String?) -> Bool {
        guard let tenant, Self.isTenant(tenant.utf8) else { return false }
        return sameBytes(issuer, beginning + tenant + end)
    }

    /// Whether it is the issuer of some tenant, where no token shows which one.
    package func mayName(_ issuer: String) -> Bool {
        let name = issuer.utf8
        guard name.count == beginning.utf8.count + Self.tenantLength + end.utf8.count,
            name.starts(with: beginning.utf8)
        else { return false }
        let rest = name.dropFirst(beginning.utf8.count)
        return Self.isTenant(rest.prefix(Self.tenantLength))
            && rest.dropFirst(Self.tenantLength).elementsEqual(end.utf8)
    }

    private static func isTenant(_ name: some Collection<UInt8>) -> Bool {
        name.count == tenantLength
            && name.allSatisfy { $0.hexDigitValue != nil || $0 == UInt8(ascii: "-") }
    }
}
