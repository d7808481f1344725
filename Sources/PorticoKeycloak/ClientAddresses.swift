import PorticoProtocol
import PorticoStores

/// The redirect URIs, post-logout redirect URIs and web origins of a Keycloak client: three lists,
/// kept as they are, patterns and shorthands among them. What is never matched is left out.
struct ClientAddresses {
    private let rootURL: String?
    private let redirectURIs: [String]
    /// `nil`: the same as the redirect URIs.
    private let postLogout: String?
    private let webOrigins: [String]
    private let subject: String

    init(_ client: Representation, _ subject: String) throws(RealmImportError) {
        rootURL = try client.text("rootUrl")
        redirectURIs = try client.strings("redirectUris") ?? []
        postLogout = try client.textAttributes.text("post.logout.redirect.uris")
        webOrigins = try client.strings("webOrigins") ?? []
        self.subject = subject
    }

    /// - Parameter serverOrigin: What relative redirect URIs are relative to, without a root URL.
    func apply(to client: inout Client, serverOrigin: String, report: inout ImportReport) {
        let redirects = admitted(redirectURIs, "redirect URI", serverOrigin, report: &report)
        client.redirectURIs = redirects.map(RedirectURI.init)
        let listed = RedirectPatterns.parts(of: postLogout ?? "").filter { !$0.isEmpty }
        let shorthands = ["+", "-"]
        let ends = admitted(
            listed.filter { !shorthands.contains($0) },
            "post-logout redirect URI",
            serverOrigin,
            report: &report
        )
        let kept = listed.filter { shorthands.contains($0) || ends.contains($0) }
        // No list is the same as the redirect URIs: one that nothing is left of must stay a list.
        client.postLogoutRedirectURIs =
            (kept.isEmpty && !listed.isEmpty ? ["-"] : kept).map(RedirectURI.init)
        let patterns = RedirectPatterns(redirects, rootURL: rootURL, serverOrigin: serverOrigin)
        let origins = OriginPatterns(webOrigins, redirects: patterns)
        for refused in origins.refused {
            report.add(.skipped, subject, "web origin \(refused)", "it is no origin")
        }
        client.webOrigins = webOrigins.filter { !$0.isEmpty && !origins.refused.contains($0) }
    }

    private func admitted(
        _ values: [String],
        _ kind: String,
        _ serverOrigin: String,
        report: inout ImportReport
    ) -> [String] {
        let patterns = RedirectPatterns(
            values.filter { !$0.isEmpty },
            rootURL: rootURL,
            serverOrigin: serverOrigin
        )
        for refused in patterns.refused {
            report.add(
                .skipped,
                subject,
                "\(kind) \(refused.text)",
                "\(refused.refusal.description)"
            )
        }
        for pattern in patterns.patterns {
            guard let warning = pattern.warning else { continue }
            report.add(.read, subject, "\(kind) \(pattern.text)", "\(warning.description)")
        }
        return patterns.patterns.map(\.text)
    }
}
