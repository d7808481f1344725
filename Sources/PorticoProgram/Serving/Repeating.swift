import Logging
import PorticoStores
import ServiceLifecycle

struct Repeating: Service, CustomStringConvertible {
    let name: String
    let interval: Duration
    let logger: Logger
    let action: @Sendable () async throws -> Void

    var description: String { name }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var hasFailed = false
            while true {
                do {
                    try await Task.sleep(for: interval)
                } catch {
                    // The server stops.
                    return
                }
                hasFailed = await once(hasFailed: hasFailed)
            }
        }
    }

    /// - Returns: Whether it failed. A lasting failure is logged when it begins and when it ends.
    private func once(hasFailed: Bool) async -> Bool {
        do {
            try await action()
            if hasFailed { logger.notice("works again", metadata: ["task": .string(name)]) }
            return false
        } catch let error as SQLError where error.whyUnwritable != nil {
            // Said once for all tasks and requests (`StorageCheck`).
            return hasFailed
        } catch {
            if !hasFailed {
                logger.error(
                    "task failed",
                    metadata: ["task": .string(name), "kind": .string("\(type(of: error))")]
                )
            }
            return true
        }
    }
}
