import PorticoBytes
package import PorticoSystem

/// How often an action is allowed for one key (OWASP ASVS 2.4, WEB-BRUTE-2).
package struct RateLimit: Hashable, Sendable {
    /// How often at once.
    package var burst: Int
    /// How often in the long run.
    package var perMinute: Double
    /// How many keys are distinguished, 32 bytes each (``LeakyCounts``).
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

/// Counts actions under one limit or several together: for the requester, their network address,
/// and the mailbox concerned.
///
/// All limits are checked, and only if all allow the action does it count, for each of them: a
/// requester cannot use up another's limit with requests that are refused. The counts are per
/// process and in memory, with a fixed size (128 KiB a limit by default); a restart clears them.
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
        /// 429, with the delay in seconds: the longest of those that the limits require.
        case wait(Double)
    }

    /// Counts one at every limit, if all allow it.
    ///
    /// - Parameter keys: One for each limit, in order; `nil` for a limit that does not apply to the
    ///   request.
    package func take(_ keys: LimitKey?..., at now: Date) -> Verdict {
        ask(keys, at: now, counting: true)
    }

    /// What ``take(_:at:)`` counted does not count after all.
    package func giveBack(_ keys: LimitKey?..., at now: Date) {
        state.withLock { state in
            let now = state.time.reading(now)
            for case (let index, let key?) in zip(limits.indices, keys)
            where state.counts[index].isKnown(key) {
                var count = state.counts[index].count(of: key, at: now)
                count.level = max(0, count.level - 1)
                count.at = max(count.at, now)
                state.counts[index].set(count, of: key, at: now)
            }
        }
    }

    /// Whether all limits allow it, without counting: for limits on failures, where only
    /// ``countFailure(_:at:)`` counts.
    package func check(_ keys: LimitKey?..., at now: Date) -> Verdict {
        ask(keys, at: now, counting: false)
    }

    /// Counts one for every limit that allows it: failures beyond a limit do not lengthen the wait.
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

    /// The number of seconds until one more is allowed.
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
        // Requests slightly out of order must not make a count leak twice.
        count.at = max(count.at, now)
        counts[index].set(count, of: key, at: now)
    }
}
