import PorticoBytes
package import PorticoSystem

/// Slows down password guessing (WEB-BRUTE-1, attack B40; NIST SP 800-63B §3.2.2). The rules are in
/// one table in `docs/threat-model.md`.
///
/// Wrong passwords are counted for the typed name, from one network address and from all; also for
/// the account, by any of its names; and for the address over all names. After a number of free
/// tries, each further one must wait, longer and longer up to a limit. Every count decreases with
/// time, so no attacker can lock a person out for good.
///
/// - A name without an account counts like any other: the counts for the typed name are checked
///   first, and the account's own count is reached only after those of both its names.
/// - A device that the person has signed in from before has its own count and is not held up by any
///   other.
/// - An address with many wrong tries still gets one free try for each name: a person with the
///   correct password need not wait for others on the same network. But they share its quarter of the
///   places for hashing, and while others keep that full, only a known device gets a place.
///
/// A try is counted when it begins, so that many at once do not get through. A correct password
/// takes that one try back, and no more: it does not clear any count. The counts are per process
/// and in memory, 2.5 MiB in all.
package final class FailedPasswords: Sendable {
    /// How many tries are free, how fast they are forgotten, and the longest wait.
    package struct Allowance: Hashable, Sendable {
        package var free: Int
        /// How many are forgotten in an hour.
        package var perHour: Double
        /// In seconds.
        package var longestWait: TimeInterval

        package init(free: Int, perHour: Double, longestWait: TimeInterval) {
            self.free = free
            self.perHour = perHour
            self.longestWait = longestWait
        }
    }

    package struct Policy: Sendable {
        /// For a name from one address.
        package var pair = Allowance(free: 5, perHour: 5, longestWait: 15 * 60)
        /// For an account from one of its known devices.
        package var device = Allowance(free: 5, perHour: 5, longestWait: 15 * 60)
        /// For a name from all addresses.
        package var name = Allowance(free: 20, perHour: 20, longestWait: 60)
        /// For an account, by any name and from any address. The limit is so high that both names
        /// of an account reach their own limits first: a client that reaches it already knows both
        /// names, and does not learn whether the account exists.
        package var account = Allowance(free: 60, perHour: 120, longestWait: 60)
        /// For an address over all names: many people may share one. Beyond it, each name has
        /// ``freeWhereMany`` free tries from that address.
        package var address = Allowance(free: 30, perHour: 30, longestWait: 0)
        package var freeWhereMany = 1
        /// How many keys each rule distinguishes, 32 bytes each.
        package var counts = 16_384

        package init() {}
    }

    /// Who tries to sign in, and to which account.
    package struct Attempt: Hashable, Sendable {
        fileprivate let pair: LimitKey
        fileprivate let name: LimitKey
        fileprivate let account: LimitKey?
        fileprivate let address: LimitKey
        fileprivate let device: LimitKey?
        fileprivate let realm: LimitKey

        /// - Parameters:
        ///   - realm: The realm of the account.
        ///   - name: What was typed, in the form that accounts are looked up by.
        ///   - account: The id of the account with that name, if it exists.
        ///   - address: ``ClientAddress/limitKey``.
        ///   - device: The id of a device on which this account has signed in before, proven by its
        ///     cookie.
        package init(
            realm: String,
            name: String,
            account: String?,
            address: String,
            device: String? = nil
        ) {
            pair = LimitKey("pair", realm, name, address)
            self.name = LimitKey("name", realm, name)
            self.account = account.map { LimitKey("account", realm, $0) }
            self.realm = LimitKey("realm", realm)
            self.address = LimitKey("address", address)
            self.device = device.map { LimitKey("device", realm, $0) }
        }
    }

    package enum Verdict: Hashable, Sendable {
        /// Check the password, and call ``wasRight(_:)`` if it is correct.
        case proceed
        /// Do not check it; try again after this many seconds.
        case wait(TimeInterval)
    }

    private struct Counts: Sendable {
        var time = SteadyTime()
        var pairs: LeakyCounts
        var names: LeakyCounts
        var accounts: LeakyCounts
        var addresses: LeakyCounts
        var devices: LeakyCounts
        /// Since when tries count, for an account or in a realm, where an administrator has said so.
        var starts: [LimitKey: Double] = [:]

        /// Since when tries for it count.
        func start(of attempt: Attempt) -> Double {
            max(
                attempt.account.flatMap { starts[$0] } ?? -.infinity,
                starts[attempt.realm] ?? -.infinity
            )
        }

        init(_ policy: Policy) {
            func counts(_ allowance: Allowance) -> LeakyCounts {
                LeakyCounts(capacity: policy.counts, perSecond: allowance.perHour / 3600)
            }
            pairs = counts(policy.pair)
            names = counts(policy.name)
            accounts = counts(policy.account)
            addresses = counts(policy.address)
            devices = counts(policy.device)
        }
    }

    private let policy: Policy
    private let counts: Locked<Counts>

    package init(_ policy: Policy = Policy()) {
        self.policy = policy
        counts = Locked(Counts(policy))
    }

    package func begin(_ attempt: Attempt, at now: Date) -> Verdict {
        counts.withLock { counts in
            let now = counts.time.reading(now)
            // A try that must wait is not counted: repeating it does not lengthen the wait.
            let wait = wait(for: attempt, counts, now)
            guard wait <= 0 else { return .wait(wait) }
            change(attempt, by: 1, &counts, now)
            return .proceed
        }
    }

    /// The password was correct: the try no longer counts.
    package func wasRight(_ attempt: Attempt, at now: Date) {
        counts.withLock { counts in
            let now = counts.time.reading(now)
            change(attempt, by: -1, &counts, now)
        }
    }

    /// What counts against an account, from all addresses: how many tries of late, when the last one
    /// was (seconds since 1970), and whether the next one has to wait.
    ///
    /// - Parameter names: The account's, in the form that accounts are looked up by.
    package func standing(of account: String, named names: [String], realm: String, at now: Date)
        -> (failures: Int, lastAt: TimeInterval, mustWait: Bool)
    {
        counts.withLock { counts in
            let now = counts.time.reading(now)
            let attempts = names.map {
                Attempt(realm: realm, name: $0, account: account, address: "")
            }
            var standing = (failures: 0, lastAt: 0.0, mustWait: false)
            for attempt in attempts {
                guard let key = attempt.account, counts.accounts.isKnown(key) else { continue }
                let start = counts.start(of: attempt)
                let all = count(of: key, counts.accounts, since: start, now)
                let tries = (all.level - 1e-9).rounded(.up)
                standing.failures = Int(min(max(tries, 0), 1_000_000))
                if tries > 0 { standing.lastAt = all.at }
                let byName = count(of: attempt.name, counts.names, since: start, now)
                if wait(all, policy.account, now) > 0 || wait(byName, policy.name, now) > 0 {
                    standing.mustWait = true
                }
            }
            return standing
        }
    }

    /// Tries for an account until now do not count any more, wherever they came from. Those of an
    /// address over all names do.
    ///
    /// - Parameter account: `nil`: of the whole realm.
    package func forget(_ account: String?, realm: String, at now: Date) {
        let key = account.map { LimitKey("account", realm, $0) } ?? LimitKey("realm", realm)
        counts.withLock { counts in
            let now = counts.time.reading(now)
            if counts.starts.count >= Self.mostStarts,
                let oldest = counts.starts.min(by: { $0.value < $1.value })
            {
                counts.starts[oldest.key] = nil
            }
            counts.starts[key] = now
        }
    }

    private static let mostStarts = 1024

    /// Whether an address has made so many wrong tries that its share of password checks is
    /// limited. A known device is responsible only for its own.
    package func hasManyMistakes(_ attempt: Attempt, at now: Date) -> Bool {
        guard attempt.device == nil else { return false }
        return counts.withLock { counts in
            let now = counts.time.reading(now)
            return hasManyMistakes(attempt, counts, now)
        }
    }

    /// The size of the counts, in bytes.
    var size: Int {
        counts.withLock {
            $0.pairs.size + $0.names.size + $0.accounts.size + $0.addresses.size + $0.devices.size
        }
    }

    private func hasManyMistakes(_ attempt: Attempt, _ counts: Counts, _ now: Double) -> Bool {
        counts.addresses.count(of: attempt.address, at: now).level >= Double(policy.address.free)
    }

    private func count(
        of key: LimitKey,
        _ counts: LeakyCounts,
        since start: Double,
        _ now: Double
    ) -> LeakyCounts.Count {
        var count = counts.count(of: key, at: now)
        if count.at <= start { count.level = 0 }
        return count
    }

    private func wait(for attempt: Attempt, _ counts: Counts, _ now: Double) -> TimeInterval {
        let start = counts.start(of: attempt)
        if let device = attempt.device {
            return wait(count(of: device, counts.devices, since: start, now), policy.device, now)
        }
        var pair = policy.pair
        if hasManyMistakes(attempt, counts, now) { pair.free = policy.freeWhereMany }
        var longest = max(
            wait(count(of: attempt.pair, counts.pairs, since: start, now), pair, now),
            wait(count(of: attempt.name, counts.names, since: start, now), policy.name, now)
        )
        if let account = attempt.account {
            let count = count(of: account, counts.accounts, since: start, now)
            longest = max(longest, wait(count, policy.account, now))
        }
        return longest
    }

    private func change(
        _ attempt: Attempt,
        by step: Double,
        _ counts: inout Counts,
        _ now: Double
    ) {
        let start = counts.start(of: attempt)
        if let account = attempt.account {
            change(&counts.accounts, account, by: step, since: start, now)
        }
        if let device = attempt.device {
            change(&counts.devices, device, by: step, since: start, now)
        } else {
            change(&counts.pairs, attempt.pair, by: step, since: start, now)
            change(&counts.names, attempt.name, by: step, since: start, now)
            change(&counts.addresses, attempt.address, by: step, since: -.infinity, now)
        }
    }

    private func change(
        _ counts: inout LeakyCounts,
        _ key: LimitKey,
        by step: Double,
        since start: Double,
        _ now: Double
    ) {
        // A count that has decreased since is not reduced twice.
        guard step > 0 || counts.isKnown(key) else { return }
        var count = count(of: key, counts, since: start, now)
        count.level = max(0, count.level + step)
        count.at = max(count.at, now)
        counts.set(count, of: key, at: now)
    }

    /// One second after the free tries, doubled with each further try.
    private func wait(_ count: LeakyCounts.Count, _ allowance: Allowance, _ now: Double)
        -> TimeInterval
    {
        // Less than one try has leaked since the last one, as long as it is the latest.
        let tries = (count.level - 1e-9).rounded(.up)
        guard tries >= Double(allowance.free) else { return 0 }
        let doublings = Int(min(tries - Double(allowance.free), 20))
        let delay = min(allowance.longestWait, TimeInterval(1 << doublings))
        // A try that began before the last one waits as long as the last one requires.
        return min(delay, delay - (now - count.at))
    }
}
