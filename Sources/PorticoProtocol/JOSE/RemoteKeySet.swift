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
    /// How long after a fetch an unknown key does not cause another one: invented key names must
    /// not make us attack the issuer.
    private static let coolDown: TimeInterval = 60
    /// How long after a failed fetch no caller tries again while there is no fresh set.
    private static let pause: TimeInterval = 5
    /// A fetch without a report counts as lost after this.
    private static let patience: TimeInterval = 60
    /// How far apart two callers may read the clock. A larger step back means that the clock was
    /// set.
    private static let jitter: TimeInterval = -10

    private var current: (set: JWKSet, receivedAt: Date, freshFor: TimeInterval)?
    private var underWaySince: Date?
    private var last: (attempt: Date, hasFailed: Bool)?

    package init() {}

    /// What to do for a token with this header.
    package mutating func key(for header: JWSHeader, at now: Date) -> Answer {
        let fresh = current.flatMap {
            Self.isWithin($0.freshFor, of: $0.receivedAt, now) ? $0.set : nil
        }
        let keys = fresh?.keys(fitting: header) ?? []
        guard keys.isEmpty else { return .use(keys) }
        if let underWaySince, Self.isWithin(Self.patience, of: underWaySince, now) {
            return .wait
        }
        let interval = fresh == nil ? Self.pause : Self.coolDown
        if let last, Self.isWithin(interval, of: last.attempt, now) {
            if last.hasFailed { return .unavailable }
            if fresh != nil { return .unknown }
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
        last = (now, hasFailed: false)
        underWaySince = nil
    }

    /// The existing set stays, and is used as long as it is fresh.
    package mutating func failed(at now: Date) {
        last = (now, hasFailed: true)
        underWaySince = nil
    }

    private static func isWithin(_ interval: TimeInterval, of start: Date, _ now: Date) -> Bool {
        let elapsed = now.timeIntervalSince(start)
        return elapsed < interval && elapsed > jitter
    }
}
