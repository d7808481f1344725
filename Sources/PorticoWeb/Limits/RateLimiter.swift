import PorticoBytes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// How often something may happen, key by key (OWASP ASVS 2.4, WEB-BRUTE-2): wrong client secrets,
/// introspection, pushed requests, revocation.
///
/// A bucket of tokens for each key: full, it lets `burst` through at once; then it fills with
/// `perMinute`. It is per node and in memory; a restart begins anew.
package final class RateLimiter: Sendable {
    private struct Bucket: Sendable {
        var tokens: Double
        var filledAt: Date
    }

    private let burst: Double
    private let perSecond: Double
    private let buckets: Locked<RecentlyUsed<Bucket>>

    /// - Parameter keys: How many keys are remembered at least; twice as many at most.
    package init(burst: Int, perMinute: Double, keys: Int = 10_000) {
        self.burst = Double(max(1, burst))
        perSecond = max(perMinute, 0.001) / 60
        buckets = Locked(RecentlyUsed(capacity: keys))
    }

    package enum Verdict: Hashable, Sendable {
        case allowed
        /// 429, and for how many seconds.
        case wait(Double)
    }

    /// Counts one for `key`, if it may happen.
    package func take(_ key: String, at now: Date) -> Verdict {
        buckets.withLock { buckets in
            var bucket = filled(buckets[key], at: now)
            guard bucket.tokens >= 1 else {
                return .wait(seconds(until: bucket))
            }
            bucket.tokens -= 1
            buckets[key] = bucket
            return .allowed
        }
    }

    /// Whether `key` may go on, without counting: for limits on failures, where only
    /// ``countFailure(_:at:)`` counts.
    package func check(_ key: String, at now: Date) -> Verdict {
        buckets.withLock { buckets in
            let bucket = filled(buckets[key], at: now)
            return bucket.tokens >= 1 ? .allowed : .wait(seconds(until: bucket))
        }
    }

    package func countFailure(_ key: String, at now: Date) {
        _ = take(key, at: now)
    }

    var remembered: Int { buckets.withLock { $0.count } }

    private func filled(_ bucket: Bucket?, at now: Date) -> Bucket {
        guard var bucket else { return Bucket(tokens: burst, filledAt: now) }
        // A clock that was set back gives nothing and takes nothing.
        let elapsed = max(0, now.timeIntervalSince(bucket.filledAt))
        bucket.tokens = min(burst, bucket.tokens + elapsed * perSecond)
        bucket.filledAt = now
        return bucket
    }

    private func seconds(until bucket: Bucket) -> Double {
        (1 - bucket.tokens) / perSecond
    }
}
