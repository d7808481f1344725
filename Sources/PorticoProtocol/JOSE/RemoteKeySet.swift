package import PorticoSystem

/// Decides when to fetch an issuer's keys and which to use: a state machine without I/O (OpenID
/// Connect Core §10.1.1).
///
/// A caller that gets ``Answer/fetch`` fetches, and reports with ``received(_:at:)`` or
/// ``failed(at:)``; the other callers wait for that fetch and then ask again.
package struct RemoteKeySet: Sendable {
    package enum Answer: Hashable, Sendable {
        /// Verify with these keys: the set is fresh and they fit the header.
        case use([VerificationKey])
        /// Fetch now; no other caller was told to.
        case fetch
        /// A fetch is running.
        case wait
        /// The issuer has no such key: the token is not from this issuer.
        case unknown
        /// The issuer could not be reached a moment ago. The token may still be valid.
        case unavailable
    }

    /// How long a set is used without a new fetch, unless specified otherwise.
    package static let freshness: TimeInterval = 300
    /// How long after a fetch that an unknown name caused another unknown name causes none: invented
    /// names must not make us attack the issuer. A fetch with any other cause does not count, or a new
    /// key would stay unknown after each of those.
    private static let coolDown: TimeInterval = 60
    /// How long after a failed fetch no caller tries again.
    private static let pause: TimeInterval = 5
    /// A fetch without a report counts as lost after this.
    private static let patience: TimeInterval = 60
    /// How far apart two callers may read the clock. A larger step back means that the clock was
    /// set.
    private static let jitter: TimeInterval = -10

    private var current: (set: JWKSet, receivedAt: Date, freshFor: TimeInterval)?
    private var underWaySince: Date?
    private var failedAt: Date?
    /// When an unknown name caused a fetch.
    private var missedAt: Date?

    package init() {}

    /// What to do for a token with this header.
    ///
    /// - Parameter afterFetch: Whether the caller was told to fetch for this header, and that
    ///   succeeded.
    package mutating func key(
        for header: JWSHeader,
        afterFetch: Bool = false,
        at now: Date
    ) -> Answer {
        let fresh = current.flatMap {
            Self.isWithin($0.freshFor, of: $0.receivedAt, now) ? $0.set : nil
        }
        let keys = (afterFetch ? current?.set : fresh)?.keys(fitting: header) ?? []
        guard keys.isEmpty else { return .use(keys) }
        if afterFetch {
            missedAt = now
            return .unknown
        }
        if let underWaySince, Self.isWithin(Self.patience, of: underWaySince, now) {
            return .wait
        }
        if let failedAt, Self.isWithin(Self.pause, of: failedAt, now) { return .unavailable }
        if fresh != nil {
            if let missedAt, Self.isWithin(Self.coolDown, of: missedAt, now) {
                return failedAt == nil ? .unknown : .unavailable
            }
            missedAt = now
        }
        underWaySince = now
        return .fetch
    }

    /// The keys for a token with this header in the last set, fresh or not, if it is at most `age`
    /// seconds old.
    package func lastKeys(for header: JWSHeader, notOlderThan age: TimeInterval, at now: Date)
        -> [VerificationKey]
    {
        guard let current, Self.isWithin(age, of: current.receivedAt, now) else { return [] }
        return current.set.keys(fitting: header)
    }

    package mutating func received(
        _ set: JWKSet,
        at now: Date,
        freshFor seconds: TimeInterval = RemoteKeySet.freshness
    ) {
        current = (set, now, seconds)
        failedAt = nil
        underWaySince = nil
    }

    /// The existing set stays, and is used as long as it is fresh.
    package mutating func failed(at now: Date) {
        failedAt = now
        underWaySince = nil
    }

    private static func isWithin(_ interval: TimeInterval, of start: Date, _ now: Date) -> Bool {
        let elapsed = now.timeIntervalSince(start)
        return elapsed < interval && elapsed > jitter
    }
}
