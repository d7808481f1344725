package import PorticoBytes
import PorticoProtocol
package import PorticoStandIns

/// The stand-ins on a loopback port of their own, for as long as `body` runs.
///
/// - Parameters:
///   - host: What their addresses say. `localhost` is another site than 127.0.0.1.
///   - address: Where they listen.
///   - clock: Theirs; a stopped one where a test moves the time.
package func withStandIns<Result: Sendable>(
    host: String = "localhost",
    listeningOn address: String = "127.0.0.1",
    clock: Clock = .system,
    _ body: @escaping @Sendable (StandIns) async throws -> Result
) async throws -> Result {
    try await withLoopbackListener(on: address) { port, door in
        let standIns = try StandIns(
            baseURL: "http://\(host):\(port)",
            clock: clock,
            keys: StandInKeys.all.get()
        )
        door.stands(before: standIns.responder)
        return try await body(standIns)
    }
}

/// Made once for all tests of a process: RSA keys take their time.
private enum StandInKeys {
    static let all = Result<[StandInKind: SigningKey], any Error> {
        try Dictionary(
            uniqueKeysWithValues: StandInKind.allCases.map { kind in
                (kind, try SigningKey(generating: .rs256, random: .system))
            }
        )
    }
}
