import PorticoProtocol
import PorticoStores

/// A redirect URI that a client of the realm has registered: only a value of this type can be the
/// target of a redirect (RFC 6749 §3.1.2.4, RFC 9700 §4.11.2).
struct PermittedRedirect: Hashable, Sendable {
    /// As in the request: a loopback port is the request's.
    let uri: RedirectURI
    /// Whether it is the client's at all: not where any website is permitted.
    private let isOwn: Bool

    /// - Returns: `nil` if the client has not registered it (``Client/redirectRule``).
    init?(_ requested: RedirectURI, of client: LiveClient) {
        guard client.permits(requested) else { return nil }
        isOwn = client.owns(requested)
        uri = requested
    }

    /// Whether the platform ensures that only the client's maker receives a response at this URI
    /// (RFC 8252 §8.6; docs/decisions/0039).
    var assuresClient: Bool { isOwn && uri.kind == .https }
}
