import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Nonces for native identity tokens (PRV-G-14, PRV-A-17): made here, for one provider, good for
/// ten minutes and one sign-in, and for the installation that asked for it where that said so by a
/// challenge. Nothing is kept until one is used.
///
/// Whoever comes by an identity token can read the nonce in it, at Google for instance; the
/// challenge's verifier never leaves the installation before the token does.
struct NativeNonces: Sendable {
    private let seal: Seal

    /// Seconds.
    static let lifetime: Int64 = 600
    /// Stands behind a provider's name, and in none: a challenge follows.
    private static let separator: UInt8 = 0x0A

    init(ring: KeyRing) {
        seal = Seal(ring: ring, purpose: "native nonce", realm: "")
    }

    /// - Parameter challenge: The S256 challenge of the installation that it is made for.
    func make(for provider: String, boundTo challenge: CodeChallenge?, at moment: Moment) -> String
    {
        var content = Array(provider.utf8)
        if let challenge { content += [Self.separator] + challenge.hash.bytes }
        return seal.seal(content, at: moment.now, random: moment.random)
    }

    /// What using a nonce spends.
    ///
    /// - Parameter verifier: Of the challenge that the nonce was made with; `nil` where there was
    ///   none.
    /// - Returns: `nil` where it is not one that was made here for this provider and installation,
    ///   or too old. Without one there is nothing to spend: whether a token may come without, its
    ///   provider's rules say.
    func spending(
        _ raw: String?,
        for provider: String,
        verifier: String?,
        at moment: Moment
    ) -> [SpentOnce]? {
        guard let raw else { return verifier == nil ? [] : nil }
        // `try?`: every way to fail is the same answer.
        guard
            let made = try? seal.open(
                raw,
                at: moment.now,
                within: Double(Self.lifetime),
                maximumLength: 512
            ), Self.isMade(made, for: provider, verifier)
        else { return nil }
        return [
            SpentOnce(
                hash: Hash256(of: Array("nonce ".utf8) + Array(raw.utf8)),
                expiresAt: moment.seconds + Self.lifetime * 2
            )
        ]
    }

    /// A verifier for a nonce without a challenge is as wrong as none for one that has it: somebody
    /// took the challenge away (RFC 9700 §4.8.2).
    private static func isMade(_ made: [UInt8], for provider: String, _ verifier: String?) -> Bool {
        let parts = made.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, name.elementsEqual(provider.utf8) else { return false }
        guard parts.count == 2 else { return verifier == nil }
        let challenge = CodeChallenge(hash: Hash256(kept: Array(parts[1])))
        guard let verifier = verifier.flatMap({ CodeVerifier($0) }) else { return false }
        return challenge.isMet(by: verifier)
    }
}
