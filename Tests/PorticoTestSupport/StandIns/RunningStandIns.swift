package import PorticoBytes
import PorticoStandIns

/// The stand-ins on a loopback port of their own, for as long as `body` runs.
///
/// - Parameters:
///   - address: Where they listen. Their addresses say `localhost`, which is another site than
///     127.0.0.1.
///   - clock: Theirs; a stopped one where a test moves the time.
package func withStandIns<Result: Sendable>(
    listeningOn address: String = "127.0.0.1",
    clock: Clock = .system,
    _ body: @escaping @Sendable (ScriptedStandIns) async throws -> Result
) async throws -> Result {
    try await withLoopbackListener(on: address) { port, door in
        let scripted = try ScriptedStandIns(baseURL: "http://localhost:\(port)", clock: clock)
        door.stands(before: scripted.standIns.responder)
        return try await body(scripted)
    }
}
