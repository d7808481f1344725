import PorticoBytes

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

    /// The same page with one script of its own.
    ///
    /// - Parameter script: The source that allows it: `'sha256-…'`; `nil`: there is none.
    package func running(_ script: String?) -> PagePolicy {
        guard let script else { return self }
        return PagePolicy(
            value: value.replacing("script-src 'none'", with: "script-src \(script)")
        )
    }

    /// A page.
    ///
    /// - Parameters:
    ///   - style: The source that allows the page's style: `'sha256-…'`.
    ///   - target: Where the answer to its form leads (WEB-CSP-3).
    package static func page(style: String, to target: FormTarget = .ours) -> Self {
        switch target {
        case .ours: Self(style: style, script: nil, formAction: "'self'")
        case .onward: Self(style: style, script: nil, formAction: nil)
        }
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

    /// The page that posts an authorization response to the client (OAuth 2.0 Form Post Response
    /// Mode §2), which leads on to where it will. The page has one form, and its address is proven.
    package static func formPost(style: String, script: String) -> Self {
        Self(style: style, script: script, formAction: nil)
    }

    /// Whether it is a single source: a blank, comma or semicolon would begin another.
    private static func isWritable(_ source: String) -> Bool {
        source.utf8.count > 1
            && source.utf8.allSatisfy { $0.isLetterOrDigit || ":-./+".utf8.contains($0) }
    }
}
