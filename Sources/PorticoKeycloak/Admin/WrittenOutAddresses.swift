import PorticoBytes
import PorticoProtocol
package import PorticoStores

/// Where responses of a client may go whose redirect URIs are patterns, as it is set here. They are written out:
/// patterns are only for clients that came with them (docs/decisions/0049).
struct WrittenOutAddresses {
    let redirectURIs: [String]
    let webOrigins: [String]
    let postLogoutRedirectURIs: [String]
    let rootURL: String?

    /// - Parameter former: The client before: what it has, it keeps.
    func check(former: Client?, in realm: Realm) throws(AdminRefusal) {
        let server = HTTPAddress(realm.issuer)?.webOrigin ?? ""
        // Those of Keycloak's own clients are data, and stand there.
        let kept = former?.kept.object
        let known =
            (former?.redirectURIs.map(\.text) ?? []) + (kept?.strings("redirectUris") ?? [])
        for text in redirectURIs where !known.contains(where: { sameBytes($0, text) }) {
            let pattern: RedirectPattern
            do {
                pattern = try RedirectPattern(text, rootURL: rootURL, serverOrigin: server)
            } catch {
                throw .described(
                    "invalid_input",
                    error == .fragment
                        ? "A redirect URI must not contain an URL fragment"
                        : "A redirect URI is not a valid URI"
                )
            }
            guard !text.utf8.contains(UInt8(ascii: "*")), pattern.warning != .plainHTTP else {
                throw .described(
                    "invalid_input",
                    "A redirect URI is written out, and https unless it is on this machine."
                )
            }
        }
        let origins = (former?.webOrigins ?? []) + (kept?.strings("webOrigins") ?? [])
        let ends = former?.postLogoutRedirectURIs.map(\.text) ?? []
        let others =
            webOrigins.filter { !origins.contains($0) }
            + postLogoutRedirectURIs.filter { !ends.contains($0) }
        guard !others.contains(where: { $0.utf8.contains(UInt8(ascii: "*")) }) else {
            throw .described(
                "invalid_input",
                "Origins and post-logout redirect URIs are written out."
            )
        }
    }
}

extension Client {
    /// Gives a new client the scopes that the realm names for new ones; where it names none, those of its own
    /// that the realm has.
    ///
    /// - Parameter scopes: Of the realm. A host of the AT Protocol has none.
    package mutating func takeScopes(of realm: Realm, scopes: [ClientScope]) {
        guard !scopes.isEmpty else { return }
        let isNamed = !(realm.defaultClientScopes + realm.optionalClientScopes).isEmpty
        if tokenForm != .standard || isNamed {
            return AssignedScopes(realm, scopes: scopes).give(to: &self)
        }
        let names = Set(scopes.map { ExactText($0.name) })
        defaultScopes.removeAll { !names.contains(ExactText($0)) }
        optionalScopes.removeAll { !names.contains(ExactText($0)) }
    }

    /// - Throws: ``AdminRefusal`` for an address that a client with patterns does not get here.
    package func checkWrittenOut(former: Client?, in realm: Realm) throws {
        guard redirectRule == .patterns else { return }
        try WrittenOutAddresses(
            redirectURIs: redirectURIs.map(\.text),
            webOrigins: webOrigins,
            postLogoutRedirectURIs: postLogoutRedirectURIs.map(\.text),
            rootURL: rootURI
        ).check(former: former, in: realm)
    }
}
