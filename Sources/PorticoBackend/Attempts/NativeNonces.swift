import PorticoBytes
import PorticoSeals
import PorticoStores

/// Nonces for native identity tokens (PRV-G-14, PRV-A-17): made here, for one provider, good for
/// ten minutes and one sign-in. Nothing is kept until one is used.
struct NativeNonces: Sendable {
    private let seal: Seal

    /// Seconds.
    static let lifetime: Int64 = 600

    init(ring: KeyRing) {
        seal = Seal(ring: ring, purpose: "native nonce", realm: "")
    }

    func make(for provider: String, at moment: Moment) -> String {
        seal.seal(Array(provider.utf8), at: moment.now, random: moment.random)
    }

    /// What using a nonce spends.
    ///
    /// - Returns: `nil` where it is not one that was made here for this provider, or too old. Without
    ///   one there is nothing to spend: whether a token may come without, its provider's rules say.
    func spending(_ raw: String?, for provider: String, at moment: Moment) -> [SpentOnce]? {
        guard let raw else { return [] }
        // `try?`: every way to fail is the same answer.
        guard
            let made = try? seal.open(
                raw,
                at: moment.now,
                within: Double(Self.lifetime),
                maximumLength: 512
            ), made.elementsEqual(provider.utf8)
        else { return nil }
        return [
            SpentOnce(
                hash: Hash256(of: Array("nonce ".utf8) + Array(raw.utf8)),
                expiresAt: moment.seconds + Self.lifetime * 2
            )
        ]
    }
}
