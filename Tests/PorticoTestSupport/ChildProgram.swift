package import Foundation
import PorticoBytes

/// Any program, running as a process of its own.
///
/// Not Foundation's `Process`: in a process that has some 1,350 files open, that reads past the end
/// of the listing of `/proc/self/fd` and crashes (swift-corelibs-foundation, `findMaximumOpenFD`).
package final class ChildProgram: Sendable {
    package let id: pid_t
    private let end = Locked<End?>(nil)

    package enum End: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)

        /// The exit status, or the signal's number.
        package var status: Int32 {
            switch self {
            case .exited(let status), .killed(let status): status
            }
        }
    }

    /// - Parameters:
    ///   - environment: All of it; `nil`: ours.
    ///   - input: What it reads. Each of the three: `nil` is `/dev/null`. The caller closes its own.
    /// - Throws: ``POSIXError``
    package init(
        _ path: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        folder: URL? = nil,
        input: Int32? = nil,
        output: Int32? = nil,
        errors: Int32? = nil
    ) throws {
        let environment = environment ?? ProcessInfo.processInfo.environment
        var command = [path] + arguments
        if let folder {
            // Only a shell enters a folder everywhere.
            let script = #"cd -- "$1" && shift && exec "$@""#
            command = ["/bin/sh", "-c", script, "sh", folder.path] + command
        }
        let process = Subprocess.start(
            command[0],
            Array(command.dropFirst()),
            environment: environment.map { "\($0.key)=\($0.value)" },
            input: input,
            output: output,
            errors: errors
        )
        guard let process else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
        id = process
    }

    deinit {
        guard ended == nil else { return }
        // Its end must be waited for, or its process id stays taken.
        let id = id
        Thread.detachNewThread { while waitpid(id, nil, 0) < 0, errno == EINTR {} }
    }

    /// `nil` while it runs.
    package var ended: End? {
        end.withLock { end in
            var status: Int32 = 0
            if end == nil, waitpid(id, &status, WNOHANG) == id {
                // The macros WIFEXITED, WEXITSTATUS and WTERMSIG.
                end =
                    status & 0x7F == 0
                    ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
            }
            return end
        }
    }

    package var isRunning: Bool { ended == nil }

    /// Nothing where it has ended: its number may be another's by then.
    package func signal(_ signal: Int32) {
        end.withLock { if $0 == nil { _ = kill(id, signal) } }
    }

    package func terminate() {
        signal(SIGTERM)
    }

    /// Waits for its end; one that goes on for longer is killed.
    @discardableResult
    package func waitUntilExit(within seconds: Double = 120) -> End {
        let limit = ContinuousClock.now + .seconds(seconds)
        while true {
            if let ended { return ended }
            if ContinuousClock.now > limit { signal(SIGKILL) }
            usleep(2000)
        }
    }

    /// The same, without holding a thread.
    @discardableResult
    package func untilExit(within seconds: Double = 120) async throws -> End {
        let limit = ContinuousClock.now + .seconds(seconds)
        while true {
            if let ended { return ended }
            if ContinuousClock.now > limit { signal(SIGKILL) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
