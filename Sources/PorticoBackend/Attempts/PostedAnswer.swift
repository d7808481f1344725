import PorticoBytes
import PorticoProtocol
import PorticoSeals

/// An authorization response received as a cross-site POST, redirected to the same address by GET,
/// so that the browser sends the attempt's `SameSite=Lax` cookie (PRV-A-4, docs/decisions/0027).
///
/// Sealed for 60 seconds; it proves only that we received it.
struct PostedAnswer: Sendable {
    private let seal: Seal

    /// In seconds.
    private static let lifetime = 60.0
    /// The most bytes of a posted body: a code, a state, and Apple's `user` (attack E11).
    static let longestBody = 16 * 1024
    /// The most bytes kept, because they are sent in a URL.
    private static let longestKept = 4 * 1024
    private static let names = [
        "code", "state", "iss", "error", "error_description", "error_reason", "user",
    ]

    init(ring: KeyRing) {
        seal = Seal(ring: ring, purpose: "posted answer", realm: "")
    }

    func seal(_ form: FormParameters, at moment: Moment) -> String {
        var kept = Self.names.compactMap { name in form[name].map { (name: name, value: $0) } }
        // A display name is less important than the sign-in.
        if FormEncoding.encode(kept).count > Self.longestKept {
            kept.removeAll { $0.name == "user" }
        }
        return seal.seal(FormEncoding.encode(kept), at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` if it is too old, or not ours.
    func open(_ text: String, at moment: Moment) -> FormParameters? {
        // `try?`: every failure has the same answer.
        guard
            let bytes = try? seal.open(
                text,
                at: moment.now,
                within: Self.lifetime,
                maximumLength: 2 * Self.longestKept
            )
        else { return nil }
        // `try?`: the sealed text is a form.
        return try? FormParameters(decoding: bytes)
    }
}
