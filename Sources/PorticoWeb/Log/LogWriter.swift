import Dispatch
import PorticoBytes
package import PorticoSystem

/// Collects log lines and writes them in batches on its own thread: no request waits for the reader
/// of the log.
///
/// It holds a megabyte. If the reader is too slow, lines are dropped and counted, and the count is
/// logged.
package final class LogWriter: Sendable {
    private struct Pending {
        var bytes: [UInt8] = []
        var dropped = 0
        var isScheduled = false
    }

    private let pending = Locked(Pending())
    private let queue = DispatchQueue(label: "portico.log", qos: .utility)
    private let sink: @Sendable ([UInt8]) -> Void
    private let capacity: Int
    private let format: LogFormat
    private let clock: @Sendable () -> Date

    /// - Parameter sink: Writes the bytes; called on one thread at a time. It may block.
    package init(
        format: LogFormat,
        clock: @escaping @Sendable () -> Date,
        capacity: Int = 1 << 20,
        sink: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.format = format
        self.clock = clock
        self.capacity = capacity
        self.sink = sink
    }

    /// Writes to a file descriptor, which stays open: 2 for standard error.
    package static func descriptor(
        _ descriptor: Int32,
        format: LogFormat,
        clock: @escaping @Sendable () -> Date
    ) -> LogWriter {
        LogWriter(format: format, clock: clock) { FileBytes.write($0, to: descriptor) }
    }

    /// - Parameter isUrgent: Write it at once instead of with other lines of the next 50 ms.
    package func append(_ line: [UInt8], isUrgent: Bool = false) {
        let schedule: Bool = pending.withLock { pending in
            guard pending.bytes.count + line.count <= capacity else {
                pending.dropped += 1
                return false
            }
            pending.bytes += line
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        if isUrgent {
            queue.async { self.drain() }
        } else if schedule {
            queue.asyncAfter(deadline: .now() + .milliseconds(50)) { self.drain() }
        }
    }

    /// Returns when everything appended before is written, or after a second: at its end, the
    /// program does not wait for a reader that has stopped reading.
    package func flush() {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async {
            self.drain()
            isWritten.signal()
        }
        _ = isWritten.wait(timeout: .now() + 1)
    }

    private func drain() {
        let (bytes, dropped) = pending.withLock { pending in
            defer { pending = Pending() }
            return (pending.bytes, pending.dropped)
        }
        if !bytes.isEmpty { sink(bytes) }
        if dropped > 0 {
            var line = LogLine(format, at: clock(), level: "warning", message: "lines dropped")
            line.add("count", dropped)
            sink(line.finished())
        }
    }
}
