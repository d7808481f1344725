package import HTTPTypes

/// The headers of every answer (OWASP ASVS 3.4, WEB-CSP-5 to 7, WEB-REF-1, WEB-CACHE-1).
package struct SecurityHeaders: Sendable {
    /// For pages, without the content security policy, which differs for each page.
    private let pages: HTTPFields

    /// For documents read by programs, and for redirects.
    private let others: HTTPFields

    /// - Parameter publicURL: HSTS is sent only for https; a public URL on this machine has none.
    package init(_ publicURL: PublicURL) {
        var others: HTTPFields = [
            .xContentTypeOptions: "nosniff",
            .cacheControl: "no-store",
        ]
        others.add("Referrer-Policy", "no-referrer")
        others.add("X-Frame-Options", "DENY")
        others.add(Self.openerPolicy, "same-origin")
        others.add("Cross-Origin-Resource-Policy", "same-origin")
        if publicURL.isSecure {
            // Two years; a host may have names below it that are someone else's.
            others[.strictTransportSecurity] =
                "max-age=63072000" + (publicURL.coversSubdomains ? "; includeSubDomains" : "")
        }
        self.others = others
        var pages = others
        pages.add(
            "Permissions-Policy",
            "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), "
                + "midi=(), display-capture=(), browsing-topics=()"
        )
        self.pages = pages
    }

    /// Sent where a person is signed out: the browser drops the pages that it has kept whole for its back
    /// button (Clear Site Data §3.1). Chromium keeps some in spite of `no-store`; others never do.
    package static let dropsPages: [HTTPField] = [HTTPField.Name("Clear-Site-Data")]
        .compactMap(\.self).map { HTTPField(name: $0, value: "\"cache\"") }

    private static let openerPolicy = "Cross-Origin-Opener-Policy"

    /// Removes the policy that separates a window from the one that opened it (HTML §7.1.3): what
    /// an app shows in a popup must be able to return to the app. `docs/threat-model.md` describes
    /// what protects these answers instead.
    package static func keepOpener(_ headers: inout HTTPFields) {
        if let name = HTTPField.Name(openerPolicy) { headers[name] = nil }
    }

    /// Removes the older of the two rules against frames: the page's policy says who may frame it
    /// (CSP Level 3 §6.4.2), which the older one cannot.
    package static func allowFrames(_ headers: inout HTTPFields) {
        if let name = HTTPField.Name("X-Frame-Options") { headers[name] = nil }
    }

    package func page(_ policy: PagePolicy) -> HTTPFields {
        var headers = pages
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = policy.value
        return headers
    }

    package var json: HTTPFields {
        var headers = others
        headers[.contentType] = "application/json"
        return headers
    }

    /// For redirects and for answers without a body.
    package var plain: HTTPFields { others }

    /// For a public document that is the same for all clients: metadata and key sets (WEB-CACHE-2).
    ///
    /// - Parameter seconds: How long it may be cached.
    package func publicJSON(for seconds: Int) -> HTTPFields {
        var headers = json
        headers[.cacheControl] = "public, max-age=\(seconds)"
        if let name = HTTPField.Name("Cross-Origin-Resource-Policy") {
            headers[name] = "cross-origin"
        }
        return headers
    }
}

extension HTTPFields {
    /// - Parameter name: A literal that is a field name.
    fileprivate mutating func add(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
