import PorticoBytes
public import PorticoSystem

/// A clock that stands until a test moves it.
public final class TestClock: Sendable {
    private let time: Locked<Date>

    /// - Parameter start: The same for every run by default, in January 2027.
    public init(at start: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        time = Locked(start)
    }

    /// The time that the fake and its clients see.
    public var now: Date { time.withLock { $0 } }

    /// Moves the clock; a negative duration sets it back.
    public func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let interval = TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
        time.withLock { $0 = $0.addingTimeInterval(interval) }
    }
}

extension Duration {
    /// For ``TestClock/advance(by:)``.
    public static func minutes(_ count: Int) -> Duration { .seconds(60) * count }
    /// For ``TestClock/advance(by:)``.
    public static func hours(_ count: Int) -> Duration { .minutes(60) * count }
    /// For ``TestClock/advance(by:)``.
    public static func days(_ count: Int) -> Duration { .hours(24) * count }
}
