package import PorticoBytes
package import PorticoProtocol
package import PorticoStandIns
package import PorticoWeb

/// The stand-in of a host of the AT Protocol on a loopback port of its own, for as long as `body` runs.
///
/// - Parameters:
///   - nonces: Those of the authorization server.
///   - server: The authorization server, which may need the host's address.
package func withATHost<Result: Sendable>(
    clock: Clock = .system,
    nonces: DPoPNonces? = nil,
    before server: @escaping @Sendable (ATHost) async throws -> any Responder,
    _ body: @escaping @Sendable (ATHost) async throws -> Result
) async throws -> Result {
    try await withLoopbackListener { port, door in
        let host = try ATHost(baseURL: "http://localhost:\(port)", clock: clock, nonces: nonces)
        door.stands(before: host.responder(authorizationServer: try await server(host)))
        return try await body(host)
    }
}
