import PorticoBytes
import PorticoProtocol

/// The current time as sent in answers (RFC 9110 §6.6.1), formatted once a second for all
/// connections.
final class CurrentDate: Sendable {
    private let clock: Clock
    private let last = Locked<(second: Int64, text: String)>((0, ""))

    init(_ clock: Clock) {
        self.clock = clock
    }

    func text() -> String {
        let second = clock.moment().seconds
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate.text(second)) }
            return last.text
        }
    }
}
