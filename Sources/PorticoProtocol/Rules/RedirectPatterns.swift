import PorticoBytes

/// A client's list of redirect patterns, or of post-logout ones.
package struct RedirectPatterns: Hashable, Sendable {
    package let patterns: [RedirectPattern]
    /// What of the list is never matched, and why.
    package let refused: [Refused]

    package struct Refused: Hashable, Sendable {
        package let text: String
        package let refusal: RedirectPattern.Refusal
    }

    /// - Parameters:
    ///   - rootURL: The client's, which patterns with a leading slash are relative to.
    ///   - serverOrigin: What they are relative to where it has none.
    package init(_ texts: some Sequence<String>, rootURL: String?, serverOrigin: String) {
        var patterns: [RedirectPattern] = []
        var refused: [Refused] = []
        for text in texts {
            do throws(RedirectPattern.Refusal) {
                patterns.append(
                    try RedirectPattern(text, rootURL: rootURL, serverOrigin: serverOrigin)
                )
            } catch {
                refused.append(Refused(text: text, refusal: error))
            }
        }
        self.init(patterns: patterns, refused: refused)
    }

    private init(patterns: [RedirectPattern], refused: [Refused]) {
        self.patterns = patterns
        self.refused = refused
    }

    package func permits(_ requested: RedirectURI) -> Bool {
        guard let requested = RequestedRedirect(requested) else { return false }
        if patterns.contains(where: { $0.matches(requested) }) { return true }
        guard let withoutPort = requested.withoutPort else { return false }
        return patterns.contains { $0.matches(withoutPort) }
    }

    /// The URI that is meant by a request of plain OAuth without `redirect_uri` (RFC 6749 §3.1.2.3):
    /// `nil` unless the client has registered exactly one, and what is in it is an address.
    package var sole: RedirectURI? {
        patterns.count + refused.count == 1 ? patterns.first?.sole : nil
    }
}

extension RedirectPatterns {
    /// Where the browser may go after signing out (Keycloak `post.logout.redirect.uris`): `+` are
    /// the redirect URIs, `-` first is nowhere, no list is the same as `+`.
    ///
    /// - Parameters:
    ///   - attribute: The attribute's text, with `##` between its patterns; `nil` for none.
    ///   - redirects: The client's redirect patterns.
    package static func postLogout(
        _ attribute: String?,
        redirects: RedirectPatterns,
        rootURL: String?,
        serverOrigin: String
    ) -> RedirectPatterns {
        let texts = parts(of: attribute ?? "").filter { !$0.isEmpty }
        guard let first = texts.first else { return redirects }
        if sameBytes(first, "-") { return RedirectPatterns(patterns: [], refused: []) }
        let own = RedirectPatterns(
            texts.filter { !sameBytes($0, "+") },
            rootURL: rootURL,
            serverOrigin: serverOrigin
        )
        guard own.patterns.count + own.refused.count < texts.count else { return own }
        return RedirectPatterns(
            patterns: redirects.patterns + own.patterns,
            refused: redirects.refused + own.refused
        )
    }

    /// What stands between `##`.
    package static func parts(of attribute: String) -> [String] {
        var parts: [[UInt8]] = [[]]
        var rest = Array(attribute.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "#"), rest.first == UInt8(ascii: "#") {
                rest = rest.dropFirst()
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }
}
