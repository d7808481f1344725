import PorticoProtocol
import PorticoStores

/// A redirect URI that a client of the realm has registered: only a value of this type can be the
/// target of a redirect (RFC 6749 §3.1.2.4, RFC 9700 §4.11.2).
struct PermittedRedirect: Hashable, Sendable {
    /// As in the request: a loopback port is the request's.
    let uri: RedirectURI

    /// - Returns: `nil` if the client has not registered it; one that came from Keycloak may have
    ///   registered a pattern.
    init?(_ requested: RedirectURI, of client: Client, in realm: LiveRealm?) {
        let isPermitted =
            realm?.keycloakClient(client).map { $0.redirects.permits(requested) }
            ?? client.redirectURIs.contains { $0.permits(requested) }
        guard isPermitted else { return nil }
        uri = requested
    }

    /// Whether the platform ensures that only the client's maker receives a response at this URI
    /// (RFC 8252 §8.6; docs/decisions/0039).
    var assuresClient: Bool { uri.kind == .https }
}
