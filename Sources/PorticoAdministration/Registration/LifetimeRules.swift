package import PorticoStores

/// The lifetimes allowed for a realm.
extension Realm.Lifetimes {
    /// One of the lifetimes, and its bounds in seconds.
    private struct Rule: Sendable {
        let bounds: ClosedRange<Int64>
        let path: any WritableKeyPath<Realm.Lifetimes, Int64> & Sendable
    }

    private static let minute: Int64 = 60
    private static let day: Int64 = 86_400

    /// A longer access token could not be revoked in time.
    package static let longestAccessToken: ClosedRange<Int64> = 10...day

    /// How long someone may stay signed in to an app without using it.
    package static let longestUnused: ClosedRange<Int64> = minute...3650 * day

    private static let rules: [Rule] = [
        // RFC 9700 §4.9.2, RFC 6750 §5.3: short.
        Rule(bounds: longestAccessToken, path: \.accessToken),
        // RFC 6749 §4.1.2: ten minutes at most.
        Rule(bounds: 10...10 * minute, path: \.code),
        Rule(bounds: minute...365 * day, path: \.sessionIdle),
        Rule(bounds: minute...365 * day, path: \.sessionMaximum),
        Rule(bounds: longestUnused, path: \.appIdle),
        Rule(bounds: longestUnused, path: \.offlineIdle),
        // During this time, a thief and the owner can both use the token.
        Rule(bounds: 0...5 * minute, path: \.refreshGrace),
        // RFC 9126 §2.2: between 5 and 600 seconds.
        Rule(bounds: 5...10 * minute, path: \.pushedRequest),
    ]

    /// These, with each lifetime limited to its bounds.
    package var withinBounds: Realm.Lifetimes {
        var lifetimes = self
        for rule in Self.rules {
            let value = self[keyPath: rule.path]
            lifetimes[keyPath: rule.path] = min(
                max(value, rule.bounds.lowerBound),
                rule.bounds.upperBound
            )
        }
        if let maximum = offlineMaximum {
            lifetimes.offlineMaximum = min(max(maximum, Self.minute), 3650 * Self.day)
        }
        return lifetimes
    }
}
