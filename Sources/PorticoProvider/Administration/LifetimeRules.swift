package import PorticoStores

/// Which lifetimes a realm may have.
extension Realm.Lifetimes {
    /// One of the lifetimes, its name as administrators read it, and its bounds in seconds.
    package struct Rule: Sendable {
        package let field: StaticString
        package let bounds: ClosedRange<Int64>
        let path: any WritableKeyPath<Realm.Lifetimes, Int64> & Sendable
    }

    private static let minute: Int64 = 60
    private static let day: Int64 = 86_400

    /// Whoever asks for more asks for a token that nobody can take back in time.
    package static let longestAccessToken: ClosedRange<Int64> = 10...day

    package static let rules: [Rule] = [
        // RFC 9700 §4.9.2, RFC 6750 §5.3: short.
        Rule(field: "access token", bounds: longestAccessToken, path: \.accessToken),
        // RFC 6749 §4.1.2: ten minutes at most.
        Rule(field: "code", bounds: 10...10 * minute, path: \.code),
        Rule(field: "session idle", bounds: minute...365 * day, path: \.sessionIdle),
        Rule(field: "session maximum", bounds: minute...365 * day, path: \.sessionMaximum),
        Rule(field: "offline idle", bounds: minute...3650 * day, path: \.offlineIdle),
        // It is a time in which a thief walks beside the owner.
        Rule(field: "refresh grace", bounds: 0...5 * minute, path: \.refreshGrace),
        // RFC 9126 §2.2: between 5 and 600 seconds.
        Rule(field: "pushed request", bounds: 5...10 * minute, path: \.pushedRequest),
    ]

    /// The lifetimes that are out of bounds; empty: these may be stored.
    package var brokenRules: [Rule] {
        Self.rules.filter { !$0.bounds.contains(self[keyPath: $0.path]) }
    }

    /// The same with each lifetime cut to its bounds.
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
