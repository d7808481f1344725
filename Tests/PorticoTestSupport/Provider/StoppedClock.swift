package import Foundation
import PorticoBytes

/// A clock that stands until it is moved.
package final class StoppedClock: Sendable {
    private let time: Locked<Date>

    /// - Parameter seconds: Since 1970.
    package init(at seconds: Double = 1_800_000_000) {
        time = Locked(Date(timeIntervalSince1970: seconds))
    }

    package var now: Date { time.withLock { $0 } }

    package var seconds: Int64 { Int64(now.timeIntervalSince1970) }

    package func advance(by seconds: Double) {
        time.withLock { $0 += seconds }
    }
}
