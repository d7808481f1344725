package import PorticoBytes
package import PorticoProtocol
package import PorticoSystem

/// Verifies ID Tokens with the provider's keys, however they were received (OpenID Connect Core
/// §3.1.3.7).
package struct IDTokenVerifier: Sendable {
    private let provider: RemoteProvider
    private let now: @Sendable () -> Date

    package init(provider: RemoteProvider, now: @escaping @Sendable () -> Date) {
        self.provider = provider
        self.now = now
    }

    /// ID Tokens hold roles and groups, and are larger than other tokens.
    private static let limit = 64 * 1024

    /// - Parameters:
    ///   - serverDate: The server's time when it sent the token, to tell a wrong local clock from a
    ///     wrong token.
    ///   - isDirect: The token came directly from the provider, so its time of issue is the
    ///     provider's current time. A token from another source may just be old.
    ///   - lastKeysSuffice: Keys that were fetched earlier are enough, and others are fetched only if
    ///     they do not fit: TLS with the token endpoint vouches for the token too (§3.1.3.7, 6).
    package func verify(
        _ token: SecretText,
        meeting expectation: IDTokenExpectation,
        serverDate: Date?,
        isDirect: Bool = true,
        lastKeysSuffice: Bool = false
    ) async throws(SignInError) -> VerifiedIDToken {
        let signed = try await signature(of: token, lastKeysSuffice: lastKeysSuffice)
        let now = now()
        do {
            return try VerifiedIDToken(signed, meeting: expectation, at: now)
        } catch {
            let issuedAt = expectation.maximumTokenAge.flatMap { _ in
                isDirect ? signed.claims["iat"].flatMap(NumericDate.date) : nil
            }
            if error.isAboutTime, let clock = Self.clock(now, serverDate ?? issuedAt, expectation) {
                throw SignInError(.misconfigured(clock))
            }
            throw SignInError(.rejected(Self.check(error)))
        }
    }

    /// Checks the token's algorithm and signature, and returns the token.
    ///
    /// - Parameter types: The allowed types; an ID Token is not typed (OpenID Connect Core §2).
    package func signature(
        of token: SecretText,
        types: Set<JWTType> = [.jwt],
        lastKeysSuffice: Bool = false
    ) async throws(SignInError) -> VerifiedJWT {
        let jwt: JWT
        do {
            jwt = try JWT(parsing: token.reveal(), limit: Self.limit)
        } catch {
            throw SignInError(.rejected(Self.check(error)))
        }
        var algorithms = try await provider.allowedAlgorithms(orLast: lastKeysSuffice)
        if lastKeysSuffice, !algorithms.contains(jwt.header.algorithm) {
            // The provider may have changed it since its metadata was fetched.
            algorithms = try await provider.newAlgorithms()
        }
        // Checked before keys are fetched for it.
        guard algorithms.contains(jwt.header.algorithm) else {
            throw SignInError(.rejected(.algorithm))
        }
        if lastKeysSuffice {
            let last = try await provider.lastKeys(for: jwt.header)
            // `try?`: what these keys do not verify is judged by fresh ones.
            if let signed = try? jwt.verified(by: last, allowing: algorithms, types: types) {
                return signed
            }
        }
        let keys = try await provider.keys(for: jwt.header)
        do {
            return try jwt.verified(by: keys, allowing: algorithms, types: types)
        } catch {
            throw SignInError(.rejected(Self.check(error)))
        }
    }

    /// Whether the local clock is wrong. The token is refused either way.
    private static func clock(_ now: Date, _ theirs: Date?, _ expectation: IDTokenExpectation)
        -> SignInError.Hint?
    {
        guard let theirs else { return nil }
        let offset = now.timeIntervalSince(theirs)
        guard abs(offset) > expectation.leeway else { return nil }
        // Dates of claims and fields are bounded, so the difference of two fits.
        return .clock(offBy: .seconds(Int64(offset)))
    }

    private static func check(_ error: JOSEError) -> SignInError.Check {
        switch error {
        case .encrypted: .idTokenEncrypted
        case .algorithmNotAllowed, .algorithmMissing: .algorithm
        case .invalidSignature: .signature
        case .unknownKey: .key
        default: .idTokenMalformed
        }
    }

    private static func check(_ refusal: IDTokenRefusal) -> SignInError.Check {
        switch refusal {
        case .issuer: .issuer
        case .subject: .subject
        case .audience: .audience
        case .authorizedParty: .authorizedParty
        case .expiry, .expired: .expiry
        case .issuedAt, .issuedAtAnotherTime, .issuedBeforeSignIn: .issuedAt
        case .notBefore, .notYetValid: .notBefore
        case .nonce: .nonce
        case .acr: .acr
        case .authTime: .authTime
        case .accessTokenHash: .accessTokenHash
        }
    }
}
