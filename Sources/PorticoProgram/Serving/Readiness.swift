import PorticoBytes
import ServiceLifecycle

/// Whether the server takes new work: no longer, once it was told to stop.
final class Readiness: Service, CustomStringConvertible {
    private let stopping = Locked(false)

    var isStopping: Bool { stopping.withLock { $0 } }

    var description: String { "readiness" }

    func run() async throws {
        // `try?`: cancelled or told to stop, it is the same.
        try? await gracefulShutdown()
        stopping.withLock { $0 = true }
    }
}
