#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// When to fetch an issuer's keys, and which to use: a state machine that does no I/O
/// (OpenID Connect Core §10.1.1).
///
/// Whoever is told ``Answer/fetch`` fetches, and reports by ``received(_:at:)`` or ``failed(at:)``;
/// everybody else waits for that one fetch and then asks again.
package struct RemoteKeySet: Sendable {
    package enum Answer: Hashable, Sendable {
        /// Verify with these: the set is fresh and they fit the header.
        case use([VerificationKey])
        /// Fetch now; nobody else was told to.
        case fetch
        /// A fetch is under way.
        case wait
        /// The issuer has no such key: the token is not its own.
        case unknown
        /// The issuer could not be asked a moment ago. That says nothing about the token.
        case unavailable
    }

    /// For how long a set is used without asking again, where nothing else is said.
    package static let freshness: TimeInterval = 300
    /// How long after a fetch a key that is not in the set causes no other: made-up names of keys
    /// must not make us a weapon against the issuer.
    private static let coolDown: TimeInterval = 60
    /// How long after a failed fetch nobody tries again where there is no fresh set.
    private static let pause: TimeInterval = 5
    /// After this a fetch that was never reported counts as lost.
    private static let patience: TimeInterval = 60
    /// How far apart the clocks of two callers may be read. A clock that goes back further was set.
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

    package mutating func received(
        _ set: JWKSet,
        at now: Date,
        freshFor seconds: TimeInterval = RemoteKeySet.freshness
    ) {
        current = (set, now, seconds)
        last = (now, hasFailed: false)
        underWaySince = nil
    }

    /// The set that was there stays, and is used for as long as it is fresh.
    package mutating func failed(at now: Date) {
        last = (now, hasFailed: true)
        underWaySince = nil
    }

    private static func isWithin(_ interval: TimeInterval, of start: Date, _ now: Date) -> Bool {
        let elapsed = now.timeIntervalSince(start)
        return elapsed < interval && elapsed > jitter
    }
}
