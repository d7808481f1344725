package import PorticoBytes
package import PorticoSeals
import PorticoSystem

/// Remembers, sealed in a cookie, who has signed in from a browser, so that an attacker who guesses
/// passwords elsewhere does not lock the owner out (OWASP "device cookies").
///
/// Each person has their own id in it, drawn when they first sign in from the browser and kept from
/// then on: counts for that id do not start again when another person who shares the browser signs
/// in.
package struct KnownDevice: Sendable {
    private let seal: Seal

    /// In seconds.
    package static let lifetime = 180 * 86_400
    private static let most = 5

    /// A person who has signed in from this browser.
    package struct Person: Hashable, Sendable {
        package let id: String
        /// The id of this person in this browser: 22 characters.
        package let device: String
    }

    package init(ring: KeyRing, realmID: String) {
        seal = Seal(ring: ring, purpose: "known device", realm: realmID)
    }

    /// The people who have signed in from this browser, most recent first.
    package func people(_ cookie: String?, at moment: Moment) -> [Person] {
        guard let cookie else { return [] }
        // `try?`: a cookie that does not open proves nothing.
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
