import PorticoBytes
import PorticoProtocol
import PorticoSeals

/// An authorization response that came as a cross-site POST, on its way to the same address by GET,
/// where the browser sends the attempt's `SameSite=Lax` cookie (PRV-A-4, docs/decisions/0027).
///
/// Sealed for 60 seconds; it proves nothing but that we received it.
struct PostedAnswer: Sendable {
    private let seal: Seal

    /// Seconds.
    private static let lifetime = 60.0
    /// Bytes of a posted body: a code, a state, and Apple's `user` (attack E11).
    static let longestBody = 16 * 1024
    /// Bytes that are kept, because they travel in an address.
    private static let longestKept = 4 * 1024
    private static let names = [
        "code", "state", "iss", "error", "error_description", "error_reason", "user",
    ]

    init(ring: KeyRing) {
        seal = Seal(ring: ring, purpose: "posted answer", realm: "")
    }

    func seal(_ form: FormParameters, at moment: Moment) -> String {
        var kept = Self.names.compactMap { name in form[name].map { (name: name, value: $0) } }
        // A name that is shown is worth less than the sign-in.
        if FormEncoding.encode(kept).count > Self.longestKept {
            kept.removeAll { $0.name == "user" }
        }
        return seal.seal(FormEncoding.encode(kept), at: moment.now, random: moment.random)
    }

    /// - Returns: `nil` where it is too old, or not ours.
    func open(_ text: String, at moment: Moment) -> FormParameters? {
        // `try?`: every way to fail is the same answer.
        guard
            let bytes = try? seal.open(
                text,
                at: moment.now,
                within: Self.lifetime,
                maximumLength: 2 * Self.longestKept
            )
        else { return nil }
        // `try?`: what we sealed is a form.
        return try? FormParameters(decoding: bytes)
    }
}
