#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// When a request is answered and what chance it draws: made once per request and passed down, so
/// that every rule sees one time.
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

    /// An id for a row of this moment, drawn anew each time.
    package func id() -> UniqueID {
        let milliseconds = (now.timeIntervalSince1970 * 1000).rounded(.down)
        return UniqueID(milliseconds: Int64(exactly: milliseconds) ?? 0, random: random)
    }
}

/// What time it is and where chance comes from. Wiring makes it; endpoints draw a ``Moment``.
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
