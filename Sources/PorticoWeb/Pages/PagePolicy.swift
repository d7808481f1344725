import PorticoBytes
package import PorticoProtocol

/// The content security policy of one of our pages (CSP Level 3).
///
/// By default nothing is allowed: no script, no frame, nothing from other origins. The style and,
/// on a page that has one, the script are allowed by their hashes, or the script by a nonce.
package struct PagePolicy: Hashable, Sendable {
    /// The value of the `Content-Security-Policy` header.
    package let value: String

    /// A page without anything to see, for hidden frames: it runs one script, which may ask our own
    /// origin.
    ///
    /// - Parameters:
    ///   - script: The source that allows it: `'sha256-…'`.
    ///   - origins: Who may frame it, the most important one first: `https://app.example`. Others
    ///     than these texts, and those that do not fit into a header, are left out.
    package static func framed(by origins: [String], script: String) -> Self {
        var ancestors = ""
        for origin in origins where isWritable(origin) {
            guard ancestors.utf8.count + origin.utf8.count < longestAncestors else { break }
            ancestors += " " + origin
        }
        if ancestors.isEmpty { ancestors = " 'none'" }
        return Self(
            value: """
                default-src 'none'; script-src \(script); connect-src 'self'; object-src 'none'; \
                base-uri 'none'; form-action 'none'; frame-ancestors\(ancestors)
                """
        )
    }

    /// In bytes: servers and proxies allow a header about twice that.
    private static let longestAncestors = 4096

    private init(value: String) {
        self.value = value
    }

    private init(style: String, script: String?, formAction: String?) {
        value = """
            default-src 'none'; script-src \(script ?? "'none'"); style-src \(style); \
            img-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'\
            \(formAction.map { "; form-action \($0)" } ?? "")
            """
    }

    /// A page whose form leads to `target` in the end.
    ///
    /// - Parameter style: The source that allows the page's style: `'sha256-…'`.
    package static func page(style: String, to target: FormTarget) -> Self {
        switch target {
        case .ours: page(style: style)
        case .redirect(let redirect): page(style: style, redirectingTo: redirect)
        case .servers(let servers): page(style: style, formActions: servers)
        case .onward: Self(style: style, script: nil, formAction: nil)
        }
    }

    /// A page without a form that leaves our origin.
    ///
    /// - Parameters:
    ///   - style: The source that allows the page's style: `'sha256-…'`.
    ///   - redirect: A checked address that the answer to the form may redirect to: Chromium applies
    ///     `form-action` to that redirect too (WEB-CSP-3).
    package static func page(style: String, redirectingTo redirect: RedirectURI? = nil) -> Self {
        var allowed = ["'self'"]
        if let target = redirect.flatMap(source) {
            allowed.append(target)
            // A developer's server whose name is `localhost` takes its answer at the literal (RFC 8252
            // §8.3) and leads on to its own name, where its cookies are.
            if target == loopback { allowed.append("http://localhost:*") }
        }
        return Self(style: style, script: nil, formAction: allowed.joined(separator: " "))
    }

    private static func page(style: String, formActions: [String]) -> Self {
        var sources = ["'self'"]
        for source in formActions where isFormAction(source) && !sources.contains(source) {
            sources.append(source)
        }
        return Self(style: style, script: nil, formAction: sources.joined(separator: " "))
    }

    /// A page with one script and no form.
    ///
    /// - Parameter nonce: Drawn for this answer, 16 bytes or more in base64url (CSP Level 3 §2.3.1).
    ///   With any other text no script is allowed.
    package static func page(style: String, nonce: String) -> Self {
        let isNonce =
            nonce.utf8.count >= 22
            && nonce.utf8.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
        return Self(style: style, script: isNonce ? "'nonce-\(nonce)'" : nil, formAction: "'none'")
    }

    /// One origin that is https or on this machine, or one private-use scheme (RFC 8252 §7.1).
    /// Schemes that browsers handle themselves have no dot.
    private static func isFormAction(_ source: String) -> Bool {
        guard isWritable(source) else { return false }
        if let host = source.dropping("https://") {
            return !host.isEmpty && !host.utf8.contains(UInt8(ascii: "/"))
        }
        if source.hasPrefix("http://") {
            guard let address = HTTPAddress(source), address.isThisMachine else { return false }
            return address.path.isEmpty && address.query == nil
        }
        let scheme = source.utf8.dropLast()
        return source.utf8.last == UInt8(ascii: ":") && scheme.contains(UInt8(ascii: "."))
            && scheme.allSatisfy { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
            && scheme.first?.isLetter == true
    }

    /// The page that posts an authorization response to the client (OAuth 2.0 Form Post Response
    /// Mode §2): its form may be sent only to the redirect URI.
    package static func formPost(style: String, script: String, to redirect: RedirectURI) -> Self {
        Self(style: style, script: script, formAction: source(of: redirect) ?? "'none'")
    }

    /// The narrowest source that covers a redirect URI (CSP Level 3 §2.3.1), or `nil` if none can
    /// be written.
    package static func source(of redirect: RedirectURI) -> String? {
        let source: String
        switch redirect.kind {
        case .https:
            guard let origin = redirect.httpsOrigin else { return nil }
            // A literal in brackets cannot be written as a host source.
            source = origin.contains("[") ? "https:" : origin
        case .loopback: source = redirect.isIPv6Loopback ? "http:" : loopback
        case .http: source = "http:"
        case .privateUseScheme: source = redirect.scheme + ":"
        }
        return isWritable(source) ? source : nil
    }

    /// Whether it is a single source: a blank, comma or semicolon would begin another.
    private static func isWritable(_ source: String) -> Bool {
        source.utf8.count > 1
            && source.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || ":-./+".utf8.contains(byte)
                    || byte == UInt8(ascii: "*") && source == loopback
            }
    }

    /// Any port (RFC 8252 §7.3).
    private static let loopback = "http://127.0.0.1:*"
}
