import PorticoBytes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Slows down who tries passwords (WEB-BRUTE-1, attack B40; NIST SP 800-63B §3.2.2).
///
/// Wrong passwords are counted for an account from one address, for the account from everywhere,
/// and for the address over all accounts. Above a number of free tries each further one waits, for
/// longer and longer up to a bound: nobody is locked out for good by what others do. A device that
/// the account has signed in on before has a count of its own and does not wait for the others'.
///
/// A try is counted when it begins, so that many at once do not slip through; a right password
/// takes that one back, and no more: it clears nobody's record. The counts are per node and in
/// memory (decision 15).
package final class FailedPasswords: Sendable {
    /// How many tries are free, and how long the longest wait is.
    package struct Allowance: Hashable, Sendable {
        package var free: Int
        package var longestWait: TimeInterval

        package init(free: Int, longestWait: TimeInterval) {
            self.free = free
            self.longestWait = longestWait
        }
    }

    package struct Policy: Sendable {
        /// For an account from one address, or from one known device.
        package var pair = Allowance(free: 5, longestWait: 15 * 60)
        /// For an account from everywhere.
        package var account = Allowance(free: 20, longestWait: 60)
        /// For an address over all accounts: many people may share one.
        package var address = Allowance(free: 30, longestWait: 15 * 60)
        /// After so many seconds without a try a count begins anew.
        package var memory: TimeInterval = 60 * 60
        /// How many counts are remembered at least; twice as many at most.
        package var counts = 30_000

        package init() {}
    }

    package enum Verdict: Hashable, Sendable {
        /// Check the password, and say with ``wasRight(_:)`` if it is.
        case proceed(Attempt)
        /// Do not even look at it; try again after so many seconds.
        case wait(TimeInterval)
    }

    /// A try that was let through.
    package struct Attempt: Hashable, Sendable {
        fileprivate let keys: [String]
    }

    private struct Count: Sendable {
        var tries = 0
        var last: Date
    }

    private let policy: Policy
    private let counts: Locked<RecentlyUsed<Count>>

    package init(_ policy: Policy = Policy()) {
        self.policy = policy
        counts = Locked(RecentlyUsed(capacity: policy.counts))
    }

    /// - Parameters:
    ///   - account: What was typed, in the one spelling accounts are looked up by; an account that
    ///     does not exist counts the same (WEB-ENUM-1).
    ///   - address: ``ClientAddress/limitKey``.
    ///   - device: The id of a device on which this account has signed in before, proven by its
    ///     cookie.
    package func begin(
        account: String,
        address: String,
        device: String? = nil,
        at now: Date
    ) -> Verdict {
        let limits: [(key: String, allowance: Allowance)] =
            if let device {
                [("device \(account.utf8.count) \(account) \(device)", policy.pair)]
            } else {
                [
                    ("pair \(account.utf8.count) \(account) \(address)", policy.pair),
                    ("account \(account)", policy.account),
                    ("address \(address)", policy.address),
                ]
            }
        return counts.withLock { counts in
            var longest: TimeInterval = 0
            for (key, allowance) in limits {
                longest = max(longest, wait(counts[key], allowance, at: now))
            }
            // A try that waits is not counted: knocking does not lengthen the wait.
            guard longest <= 0 else { return .wait(longest) }
            for (key, _) in limits {
                var count = current(counts[key], at: now) ?? Count(last: now)
                count.tries += 1
                count.last = max(count.last, now)
                counts[key] = count
            }
            return .proceed(Attempt(keys: limits.map(\.key)))
        }
    }

    /// The password was right: the try no longer counts.
    package func wasRight(_ attempt: Attempt) {
        counts.withLock { counts in
            for key in attempt.keys {
                guard var count = counts[key] else { continue }
                count.tries = max(0, count.tries - 1)
                counts[key] = count
            }
        }
    }

    var remembered: Int { counts.withLock { $0.count } }

    /// The count, unless it is so old that it begins anew.
    private func current(_ count: Count?, at now: Date) -> Count? {
        guard let count, now.timeIntervalSince(count.last) < policy.memory else { return nil }
        return count
    }

    /// One second after the free tries, and twice as long after each further one.
    private func wait(_ count: Count?, _ allowance: Allowance, at now: Date) -> TimeInterval {
        guard let count = current(count, at: now), count.tries >= allowance.free else { return 0 }
        let doublings = min(count.tries - allowance.free, 20)
        let delay = min(allowance.longestWait, TimeInterval(1 << doublings))
        // A clock that was set back cannot make a wait longer than the longest.
        return min(delay, delay - now.timeIntervalSince(count.last))
    }
}
