package import PorticoSystem

/// The time and random source of one request: made once per request and passed down, so that every
/// rule uses the same time.
package struct Moment: Sendable {
    package let now: Date
    package let random: RandomSource

    package init(now: Date, random: RandomSource) {
        self.now = now
        self.random = random
    }

    /// Whole seconds since 1970, as stores and tokens count.
    package var seconds: Int64 {
        let seconds = now.timeIntervalSince1970.rounded(.down)
        return Int64(exactly: seconds) ?? 0
    }

    /// Whole milliseconds since 1970.
    package var milliseconds: Int64 {
        Int64(exactly: (now.timeIntervalSince1970 * 1000).rounded(.down)) ?? 0
    }

    /// An id for a row made at this time, different on each call.
    package func id() -> UniqueID {
        UniqueID(milliseconds: milliseconds, random: random)
    }
}

/// The source of time and randomness. The program creates it; endpoints take a ``Moment`` from it.
package struct Clock: Sendable {
    private let now: @Sendable () -> Date
    private let random: RandomSource

    package init(random: RandomSource = .system, now: @escaping @Sendable () -> Date) {
        self.random = random
        self.now = now
    }

    package func moment() -> Moment {
        Moment(now: now(), random: random)
    }

    package static let system = Clock { Date() }
}
