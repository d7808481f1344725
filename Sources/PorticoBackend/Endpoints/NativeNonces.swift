import Portico
import PorticoBytes
import PorticoProtocol
import PorticoSeals
import PorticoSignIn
import PorticoStores
import PorticoWeb

/// Nonces for native identity tokens (PRV-G-14, PRV-A-17): made by this server, for one provider,
/// valid for ten minutes and one sign-in, and only for the installation that requested it with a
/// challenge. Nothing is stored until one is used.
///
/// An attacker who gets an identity token can read its nonce, with Google for instance; the
/// challenge's verifier does not leave the installation before the token does.
struct NativeNonces: Sendable {
    private let seal: Seal

    /// In seconds.
    package static let lifetime: Int64 = 600
    /// Follows a provider's name, which cannot contain it: a challenge follows.
    private static let separator: UInt8 = 0x0A

    package init(ring: KeyRing) {
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

/// How often an address may sign in with a platform's tokens (WEB-BRUTE-2): as often as it may
/// begin sign-ins (``StartLimit``), for no browser is known, and less often with tokens that are
/// refused.
struct NativeLimit: Sendable {
    let starts: RateLimiter
    let refused: RateLimiter

    /// - Parameter step: What begins.
    func take(_ step: String, _ context: SignInContext) throws(ServiceError) {
        let now = context.moment.now
        // What waits for this begins nothing, and does not count as a start.
        try expect(refused.check(key(context), at: now))
        try expect(starts.take(nil, LimitKey("native", step, context.address), at: now))
    }

    private func expect(_ verdict: RateLimiter.Verdict) throws(ServiceError) {
        guard case .wait(let seconds) = verdict else { return }
        throw ServiceError(.rateLimited, "Too many attempts.", retryAfter: seconds)
    }

    func countRefusal(_ context: SignInContext) {
        refused.countFailure(key(context), at: context.moment.now)
    }

    /// Counts a token that its provider does not vouch for, but not one that it could not be asked
    /// about.
    func count(_ error: SignInError, _ context: SignInContext) {
        if case .transient = error.kind { return }
        countRefusal(context)
    }

    private func key(_ context: SignInContext) -> LimitKey {
        LimitKey("refused token", context.address)
    }
}
