import Foundation
package import PorticoBytes
package import PorticoSeals

/// Remembers, sealed in a cookie, who has signed in from a browser: so that somebody who guesses
/// passwords from elsewhere does not keep the owner out (OWASP "device cookies").
///
/// Each person has an id of their own in it, drawn when that person signs in there for the first time
/// and carried on unchanged: what is counted by it does not begin anew when somebody else who
/// shares the browser signs in.
package struct KnownDevice: Sendable {
    private let seal: Seal

    /// Seconds.
    package static let lifetime = 180 * 86_400
    private static let most = 5

    /// Somebody who has signed in from this browser.
    package struct Person: Hashable, Sendable {
        package let id: String
        /// Of this person in this browser: 22 characters.
        package let device: String
    }

    package init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "known device", realm: realmID)
    }

    /// The people who have signed in here before, the latest first.
    package func people(_ cookie: String?, at moment: Moment) -> [Person] {
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
        return text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2 else { return nil }
            return Person(id: String(parts[0]), device: String(parts[1]))
        }
    }

    /// The cookie after a person has signed in.
    package func adding(_ personID: String, to people: [Person], at moment: Moment) -> String {
        let person =
            people.first { $0.id == personID }
            ?? Person(id: personID, device: moment.random.text(16))
        let kept = people.filter { $0.id != personID }.prefix(Self.most - 1)
        let text = ([person] + kept).map { "\($0.id) \($0.device)" }.joined(separator: "\n")
        return seal.seal(Array(text.utf8), at: moment.now, random: moment.random)
    }
}
