#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Seconds that go on when the clock is set back, for counts that go down with time: else what was
/// counted while it was ahead would stay until the clock is there again.
///
/// Requests bring the time at which they began, and so come a little out of order. A time further
/// back than ``disorder`` is a clock that was set: it counts as no time at all, and from there on time
/// goes by as before. A clock that is set forward cannot be told from a quiet while.
struct SteadyTime: Sendable {
    /// Seconds: longer than any request takes.
    static let disorder = 300.0

    private var latest = -Double.infinity
    /// What the clock was set back by so far.
    private var lost = 0.0

    /// The seconds at a time of the clock; one that is no time at all is the latest.
    mutating func reading(_ date: Date) -> Double {
        let now = date.timeIntervalSince1970
        guard now.isFinite else { return latest.isFinite ? latest + lost : 0 }
        if now < latest - Self.disorder {
            lost += latest - now
            latest = now
        }
        latest = max(latest, now)
        return now + lost
    }
}
