import PorticoProtocol
import PorticoStores

extension NetworkDoctor {
    /// Clients that came from Keycloak keep redirect patterns that no new client gets: each that lets
    /// through more than one address of the app's own is named.
    func laxRedirects() -> [Finding] {
        administration.snapshot.realms.flatMap { realm in
            administration.clients(of: realm).filter { $0.isEnabled && !isOfDemo($0) }.flatMap {
                client in
                client.laxPatterns(issuer: realm.issuer).map { pattern, warning in
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
