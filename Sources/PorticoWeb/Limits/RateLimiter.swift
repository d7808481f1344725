import PorticoBytes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// How often something may happen for one key (OWASP ASVS 2.4, WEB-BRUTE-2).
package struct RateLimit: Hashable, Sendable {
    /// How often at once.
    package var burst: Int
    /// How often in the long run.
    package var perMinute: Double
    /// How many keys are told apart, 32 bytes each (``LeakyCounts``).
    package var keys: Int

    package init(burst: Int, perMinute: Double, keys: Int = 4_096) {
        self.burst = max(1, burst)
        self.perMinute = max(perMinute, 0.000_1)
        self.keys = keys
    }

    package static func perHour(_ count: Int, keys: Int = 4_096) -> RateLimit {
        RateLimit(burst: count, perMinute: Double(count) / 60, keys: keys)
    }

    package static func perDay(_ count: Int, keys: Int = 4_096) -> RateLimit {
        RateLimit(burst: count, perMinute: Double(count) / (24 * 60), keys: keys)
    }
}

/// Counts what may happen only so often, under one limit or several together: for whoever asks, for
/// their network address, for the mailbox that it is about.
///
/// All limits are asked, and only where all allow does it count, at each of them: nobody uses up the
/// limit of another by asking for what they are refused themselves. It is per process and in
/// memory, of a fixed size (128 KiB a limit, unless it says otherwise); a restart begins anew.
package final class RateLimiter: Sendable {
    private let limits: [RateLimit]
    private let state: Locked<State>

    private struct State: Sendable {
        var time = SteadyTime()
        var counts: [LeakyCounts]
    }

    package init(_ limits: RateLimit...) {
        self.limits = limits
        state = Locked(
            State(
                counts: limits.map {
                    LeakyCounts(capacity: $0.keys, perSecond: $0.perMinute / 60)
                }
            )
        )
    }

    package convenience init(burst: Int, perMinute: Double) {
        self.init(RateLimit(burst: burst, perMinute: perMinute))
    }

    package enum Verdict: Hashable, Sendable {
        case allowed
        /// 429, and for how many seconds: the longest of those that the limits ask for.
        case wait(Double)
    }

    /// Counts one at every limit, if all allow it.
    ///
    /// - Parameter keys: One for each limit, in their order; `nil` where a limit does not concern
    ///   the request.
    package func take(_ keys: LimitKey?..., at now: Date) -> Verdict {
        ask(keys, at: now, counting: true)
    }

    /// Whether all limits allow it, without counting: for limits on failures, where only
    /// ``countFailure(_:at:)`` counts.
    package func check(_ keys: LimitKey?..., at now: Date) -> Verdict {
        ask(keys, at: now, counting: false)
    }

    /// Counts one at every limit that allows it: no more failures than a limit allows lengthen a wait.
    package func countFailure(_ keys: LimitKey?..., at now: Date) {
        state.withLock { state in
            let now = state.time.reading(now)
            for (index, key) in keys.enumerated() where index < limits.count {
                guard let key, wait(index, key, state.counts, now) <= 0 else { continue }
                add(index, key, &state.counts, now)
            }
        }
    }

    private func ask(_ keys: [LimitKey?], at now: Date, counting: Bool) -> Verdict {
        state.withLock { state in
            let now = state.time.reading(now)
            let asked = zip(limits.indices, keys)
            var longest = 0.0
            for case (let index, let key?) in asked {
                longest = max(longest, wait(index, key, state.counts, now))
            }
            guard longest <= 0 else { return .wait(longest) }
            if counting {
                for case (let index, let key?) in asked { add(index, key, &state.counts, now) }
            }
            return .allowed
        }
    }

    /// In how many seconds one more is allowed.
    private func wait(_ index: Int, _ key: LimitKey, _ counts: [LeakyCounts], _ now: Double)
        -> Double
    {
        let level = counts[index].count(of: key, at: now).level
        let excess = level + 1 - Double(limits[index].burst)
        return excess > 1e-9 ? excess * 60 / limits[index].perMinute : 0
    }

    private func add(_ index: Int, _ key: LimitKey, _ counts: inout [LeakyCounts], _ now: Double) {
        var count = counts[index].count(of: key, at: now)
        count.level += 1
        // Requests that came a little out of order let nothing leak twice.
        count.at = max(count.at, now)
        counts[index].set(count, of: key, at: now)
    }
}
