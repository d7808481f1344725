import PorticoProtocol
import PorticoProvider
import PorticoStores

/// The redirect URIs, post-logout redirect URIs and web origins of a Keycloak client: three lists,
/// with Keycloak's shorthands expanded. Only exact values are imported.
struct ClientAddresses {
    private let rootURL: String?
    private let redirectURIs: [String]
    /// `nil`: the same as the redirect URIs.
    private let postLogout: [String]?
    private let webOrigins: [String]
    private let subject: String

    init(_ client: Representation, _ attributes: ClientAttributes, _ subject: String)
        throws(RealmImportError)
    {
        rootURL = try client.text("rootUrl")
        redirectURIs = try client.strings("redirectUris") ?? []
        postLogout = attributes.postLogoutRedirectURIs
        webOrigins = try client.strings("webOrigins") ?? []
        self.subject = subject
    }

    func apply(to client: inout Client, report: inout ImportReport) {
        client.redirectURIs = admitted(redirectURIs, "redirect URI", report: &report)
        var postLogout: [RedirectURI] = []
        for value in self.postLogout ?? ["+"] {
            switch value {
            case "+": postLogout += client.redirectURIs
            case "-": continue
            default:
                postLogout += admitted([value], "post-logout redirect URI", report: &report)
            }
        }
        client.postLogoutRedirectURIs = postLogout.filter {
            client.type == .public || $0.kind != .privateUseScheme
        }
        client.webOrigins = origins(of: client.redirectURIs, report: &report)
    }

    private func admitted(_ values: [String], _ kind: String, report: inout ImportReport)
        -> [RedirectURI]
    {
        var admitted: [RedirectURI] = []
        for value in values where !value.isEmpty {
            let uri = RedirectURI(absolute(value))
            do {
                try uri.checkRegistrable(development: false)
                if !admitted.contains(uri) { admitted.append(uri) }
            } catch {
                let shown = PlainText.shown(value)
                report.add(.skipped, subject, "\(kind) \(shown): \(error.description)")
            }
        }
        return admitted
    }

    /// A value that begins with a slash is relative to the root URL (Keycloak `RedirectUtils`).
    private func absolute(_ value: String) -> String {
        guard value.hasPrefix("/"), let rootURL, !rootURL.contains("$") else { return value }
        return (rootURL.hasSuffix("/") ? String(rootURL.dropLast()) : rootURL) + value
    }

    private func origins(of redirectURIs: [RedirectURI], report: inout ImportReport) -> [String] {
        var origins: [String] = []
        for value in webOrigins where !value.isEmpty {
            if value == "+" {
                origins += WebOrigin.origins(of: redirectURIs)
                continue
            }
            let origin = value.hasSuffix("/") ? String(value.dropLast()) : value
            if WebOrigin.isOrigin(origin) {
                origins.append(origin)
            } else {
                let shown = PlainText.shown(value)
                report.add(.skipped, subject, "web origin \(shown): not one exact https origin")
            }
        }
        return origins.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
