import PorticoBytes
package import PorticoProtocol

/// What a page of ours may do: its content security policy (CSP Level 3).
///
/// Nothing by default: no script, no frame, nothing from elsewhere. The style and, on the one page
/// that has one, the script are admitted by their hashes.
package struct PagePolicy: Hashable, Sendable {
    /// The value of the `Content-Security-Policy` header.
    package let value: String

    private init(style: String, script: String?, formAction: String) {
        value = """
            default-src 'none'; script-src \(script ?? "'none'"); style-src \(style); \
            img-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; \
            form-action \(formAction)
            """
    }

    /// A page without a form that leaves our origin.
    ///
    /// - Parameters:
    ///   - style: The source that admits the page's style: `'sha256-…'`.
    ///   - redirect: Where the answer to the form's post may redirect to, proven before: Chromium
    ///     applies `form-action` to that redirect, too (WEB-CSP-3).
    package static func page(style: String, redirectingTo redirect: RedirectURI? = nil) -> Self {
        let target = redirect.flatMap(source)
        return Self(
            style: style,
            script: nil,
            formAction: target.map { "'self' \($0)" } ?? "'self'"
        )
    }

    /// A page whose form leads on to other servers: the identity providers that it has buttons for, or
    /// an app's redirect URI.
    ///
    /// - Parameter formActions: Sources beside our own: `https://accounts.example`,
    ///   `http://127.0.0.1:8001`, or the scheme of an app, `com.example.notes:`. What is no such source
    ///   is left out, so that the page works less, but admits no more (WEB-CSP-3).
    package static func page(style: String, formActions: [String]) -> Self {
        var sources = ["'self'"]
        for source in formActions where isFormAction(source) && !sources.contains(source) {
            sources.append(source)
        }
        return Self(style: style, script: nil, formAction: sources.joined(separator: " "))
    }

    /// One origin that is https or on this machine, or one private-use scheme (RFC 8252 §7.1). A scheme that a
    /// browser reads itself has no dot in it.
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
    /// Mode §2): its form goes to the redirect URI and nowhere else.
    package static func formPost(style: String, script: String, to redirect: RedirectURI) -> Self {
        Self(style: style, script: script, formAction: source(of: redirect) ?? "'none'")
    }

    /// The narrowest source that covers a redirect URI (CSP Level 3 §2.3.1), or `nil` where none
    /// can be written.
    package static func source(of redirect: RedirectURI) -> String? {
        let source: String
        switch redirect.kind {
        case .https:
            guard let origin = redirect.httpsOrigin else { return nil }
            // A literal in brackets cannot be written as a host source.
            source = origin.contains("[") ? "https:" : origin
        case .loopback: source = redirect.isIPv6Loopback ? "http:" : "http://127.0.0.1:*"
        case .http: source = "http:"
        case .privateUseScheme: source = redirect.scheme + ":"
        }
        return isWritable(source) ? source : nil
    }

    /// Whether it is one source and nothing else: a blank, comma or semicolon would begin another.
    private static func isWritable(_ source: String) -> Bool {
        source.utf8.count > 1
            && source.utf8.allSatisfy { byte in
                byte.isLetterOrDigit || ":-./+".utf8.contains(byte)
                    || byte == UInt8(ascii: "*") && source == "http://127.0.0.1:*"
            }
    }
}
