import PorticoBytes
import ServiceLifecycle

/// Whether the server accepts new work: until it is told to stop.
final class Readiness: Service, CustomStringConvertible {
    private let stopping = Locked(false)

    var isStopping: Bool { stopping.withLock { $0 } }

    var description: String { "readiness" }

    func run() async throws {
        // `try?`: being cancelled means the same as being told to stop.
        try? await gracefulShutdown()
        stopping.withLock { $0 = true }
    }
}
