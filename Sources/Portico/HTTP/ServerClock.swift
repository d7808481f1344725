import PorticoBytes
import PorticoSystem

/// How far the clock of a server is ahead of ours, by the `Date` of its last answer (RFC 9110
/// §6.6.1), which has whole seconds.
package final class ServerClock: Sendable {
    private let offset = Locked<TimeInterval?>(nil)

    func note(_ theirs: Date?, at ours: Date) {
        guard let theirs else { return }
        offset.withLock { $0 = theirs.timeIntervalSince(ours) }
    }

    /// - Returns: `nil` before the first answer with a `Date`.
    func date(at ours: Date) -> Date? {
        offset.withLock { $0 }.map(ours.addingTimeInterval)
    }
}
