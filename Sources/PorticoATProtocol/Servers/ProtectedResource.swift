import PorticoBytes
import PorticoProtocol

/// What a host says of itself as a resource (RFC 9728 §2; AT Protocol, OAuth): which server gives
/// tokens for it.
struct ProtectedResource: Hashable, Sendable {
    let authorizationServer: ServerOrigin

    /// - Parameter host: Where the document was found.
    /// - Returns: `nil` unless it is that host's own, with exactly one server.
    init?(parsing document: [UInt8], of host: ServerOrigin, _ rules: IdentityRules) {
        do {
            let json = try JSONObject(parsing: document, limits: .foreign(size: 65536, depth: 16))
            // RFC 9728 §3.3: of another resource, it must not be used.
            if let resource = json["resource"] {
                guard let text = resource.string, sameBytes(text, host.text) else { return nil }
            }
            guard let servers = json.strings("authorization_servers"), servers.count == 1 else {
                return nil
            }
            authorizationServer = try ServerOrigin(servers[0], rules)
        } catch {
            return nil
        }
    }
}
