import PorticoSystem

/// Seconds that continue when the clock is set back, for counts that decrease with time: otherwise
/// what was counted while the clock was ahead would stay until the clock reaches that time again.
///
/// Requests bring their start time, and so arrive slightly out of order. A time further back than
/// ``disorder`` means that the clock was set: no time counts as having passed, and from then on
/// time continues as before. A clock that is set forward cannot be told from a quiet period.
struct SteadyTime: Sendable {
    /// In seconds: longer than any request takes.
    static let disorder = 300.0

    private var latest = -Double.infinity
    /// How much the clock was set back in total.
    private var lost = 0.0

    /// The steady seconds for a time of the clock; if the clock was set back, the latest ones.
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
