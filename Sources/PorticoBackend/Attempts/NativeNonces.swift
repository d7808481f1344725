import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoStores

/// Nonces for native identity tokens (PRV-G-14, PRV-A-17): made by this server, for one provider,
/// valid for ten minutes and one sign-in, and only for the installation that requested it with a
/// challenge. Nothing is stored until one is used.
///
/// An attacker who gets an identity token can read its nonce, with Google for instance; the
/// challenge's verifier does not leave the installation before the token does.
struct NativeNonces: Sendable {
    private let seal: Seal

    /// In seconds.
    static let lifetime: Int64 = 600
    /// Follows a provider's name, which cannot contain it: a challenge follows.
    private static let separator: UInt8 = 0x0A

    init(ring: KeyRing) {
        seal = Seal(ring: ring, purpose: "native nonce", realm: "")
    }

    /// - Parameter challenge: The S256 challenge of the requesting installation.
    func make(for provider: String, boundTo challenge: CodeChallenge?, at moment: Moment) -> String
    {
        var content = Array(provider.utf8)
        if let challenge { content += [Self.separator] + challenge.hash.bytes }
        return seal.seal(content, at: moment.now, random: moment.random)
    }

    /// What using a nonce spends.
    ///
    /// - Parameter verifier: For the challenge that the nonce was made with; `nil` if it had none.
    /// - Returns: `nil` if it was not made by this server for this provider and installation, or is
    ///   too old. Without a nonce, nothing is spent: the provider's rules decide whether a token
    ///   may lack it.
    func spending(
        _ raw: String?,
        for provider: String,
        verifier: String?,
        at moment: Moment
    ) -> [SpentOnce]? {
        guard let raw else { return verifier == nil ? [] : nil }
        // `try?`: every failure has the same answer.
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

    /// A verifier for a nonce without a challenge is as wrong as a missing one for a nonce with a
    /// challenge: an attacker removed the challenge (RFC 9700 §4.8.2).
    private static func isMade(_ made: [UInt8], for provider: String, _ verifier: String?) -> Bool {
        let parts = made.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, name.elementsEqual(provider.utf8) else { return false }
        guard parts.count == 2 else { return verifier == nil }
        let challenge = CodeChallenge(hash: Hash256(kept: Array(parts[1])))
        guard let verifier = verifier.flatMap({ CodeVerifier($0) }) else { return false }
        return challenge.isMet(by: verifier)
    }
}
