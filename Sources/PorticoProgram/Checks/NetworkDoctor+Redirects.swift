import PorticoProtocol
import PorticoStores

extension NetworkDoctor {
    /// Clients that came from Keycloak keep redirect patterns that no new client gets: each that lets
    /// through more than one address of the app's own is named.
    func laxRedirects() async throws -> [Finding] {
        try await findings { client, realm in
            guard !isOfDemo(client) else { return [] }
            return client.laxPatterns(issuer: realm.issuer).map { pattern, warning in
                Finding.note(
                    "client \(client.clientID)",
                    "redirect URI \(pattern): \(warning.description) (realm \(realm.name))",
                    fix: portico(
                        """
                        client update \(client.clientID) --realm \(realm.name) \
                        --redirect-uri ADDRESS
                        """
                    ) + ", for each address that the app has"
                )
            }
        }
    }
}

extension Client {
    fileprivate func laxPatterns(issuer: String) -> [(String, RedirectPattern.Warning)] {
        guard redirectRule == .patterns else { return [] }
        let patterns = RedirectPatterns(
            redirectURIs.map(\.text),
            rootURL: rootURI,
            serverOrigin: HTTPAddress(issuer)?.webOrigin ?? ""
        )
        return patterns.patterns.compactMap { pattern in
            // An asterisk that stands for itself lets nothing through.
            guard let warning = pattern.warning, warning != .literalAsterisk else { return nil }
            return (pattern.text, warning)
        }
    }
}
