import Foundation
package import PorticoBytes
package import PorticoSeals

/// Remembers, sealed in a cookie, who has signed in from a browser: so that somebody who guesses
/// passwords from elsewhere does not keep the owner out (OWASP "device cookies").
package struct KnownDevice: Sendable {
    private let seal: Seal

    /// Seconds.
    package static let lifetime = 180 * 86_400
    private static let most = 5

    package init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "known device", realm: realmID)
    }

    /// The people who have signed in here before, the latest first.
    package func people(_ cookie: String?, at moment: Moment) -> [String] {
        guard let cookie else { return [] }
        // `try?`: a cookie that does not open says nothing.
        guard
            let bytes = try? seal.open(
                cookie,
                at: moment.now,
                within: Double(Self.lifetime),
                maximumLength: 3000
            ),
            let text = String(validating: bytes, as: UTF8.self)
        else { return [] }
        return text.split(separator: "\n").map(String.init)
    }

    /// The cookie after `personID` has signed in.
    package func adding(_ personID: String, to people: [String], at moment: Moment) -> String {
        let kept = people.filter { $0 != personID }.prefix(Self.most - 1)
        let text = ([personID] + kept).joined(separator: "\n")
        return seal.seal(Array(text.utf8), at: moment.now, random: moment.random)
    }
}
