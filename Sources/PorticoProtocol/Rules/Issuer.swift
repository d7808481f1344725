import PorticoBytes

/// The identifier of an authorization server: an `https` URL without query and fragment
/// (RFC 8414 §2, OpenID Connect Discovery 1.0 §3).
///
/// Issuers are compared as bytes; a trailing slash makes a different issuer (RFC 9207 §2.4).
package struct Issuer: Sendable {
    package let address: HTTPAddress
    /// Which of its endpoints may be `http`: none, unless the issuer is.
    package let plainHTTP: PlainHTTP
    /// What its metadata and its ID Tokens may say instead, if it has tenants.
    package var tenants: IssuerTemplate?

    package var text: String { address.text }

    /// - Parameter allowInsecureLoopback: Whether `http` is allowed on this machine: on the IP
    ///   literal `127.0.0.1` or `[::1]`, on `localhost` and names below it.
    /// - Throws: Why it is not an issuer.
    package init(_ text: String, allowInsecureLoopback: Bool = false) throws(Refusal) {
        try self.init(text, plainHTTP: allowInsecureLoopback ? .onLoopback : .nowhere)
    }

    package init(_ text: String, plainHTTP: PlainHTTP) throws(Refusal) {
        guard let address = HTTPAddress(text) else { throw .notAnAddress }
        guard address.query == nil else { throw .hasQuery }
        guard address.isSecure || plainHTTP.permits(address) else { throw .insecure }
        self.address = address
        self.plainHTTP = address.isSecure ? .nowhere : plainHTTP
    }

    package enum Refusal: Error {
        /// Not an absolute http or https URL, or has user information, a fragment or a placeholder.
        case notAnAddress
        case hasQuery
        /// `http`, where it is not allowed.
        case insecure
    }

    /// Whether `other` names this issuer: simple string comparison (RFC 9207 §2.4, RFC 8414 §3.3).
    package func isNamed(_ other: String) -> Bool {
        sameBytes(text, other)
    }

    /// Whether metadata with this `issuer` is its own.
    package func isNamed(byMetadata other: String) -> Bool {
        isNamed(other) || tenants.map { sameBytes($0.text, other) } ?? false
    }

    /// Whether a response with this `iss` may be its own; the ID Token shows whether it is.
    package func isNamed(byResponse other: String) -> Bool {
        isNamed(other) || tenants?.mayName(other) ?? false
    }

    /// Whether it issued an ID Token with these claims.
    package func issued(_ claims: IDTokenClaims) -> Bool {
        isNamed(claims.issuer)
            || tenants?.names(claims.issuer, of: claims.json.string("tid")) ?? false
    }

    /// OpenID Connect's address of the metadata: the path is appended to the issuer, without a
    /// trailing slash (OpenID Connect Discovery 1.0 §4.1).
    package var openIDConfiguration: HTTPAddress? {
        HTTPAddress(withoutTrailingSlash + "/.well-known/openid-configuration")
    }

    /// OAuth's address of the metadata: between host and path (RFC 8414 §3.1).
    package var authorizationServerMetadata: HTTPAddress? {
        let root = text.prefix(text.count - address.path.count)
        let path = withoutTrailingSlash.dropFirst(root.count)
        return HTTPAddress("\(root)/.well-known/oauth-authorization-server\(path)")
    }

    private var withoutTrailingSlash: String {
        String(text.hasSuffix("/") ? text.dropLast() : text[...])
    }
}

extension Issuer: Hashable {
    package static func == (one: Issuer, other: Issuer) -> Bool {
        sameBytes(one.text, other.text)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(text)
    }
}
