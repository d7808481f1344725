package import PorticoProtocol
package import PorticoSystem

/// Verifies access tokens of one issuer for one resource server, with the issuer's current keys
/// (RFC 9068 §4).
package struct AccessTokenVerifier: Sendable {
    package let issuer: Issuer
    private let provider: RemoteProvider
    private var expectation: AccessTokenExpectation
    private let algorithms: Set<SignatureAlgorithm>
    private let now: @Sendable () -> Date

    package enum Refusal: Error, Hashable, Sendable {
        /// Not a valid access token for this resource server.
        case invalid
        /// The issuer could not be reached or gave no valid answer: the token could not be checked.
        case unavailable
    }

    /// - Parameters:
    ///   - issuer: Must equal `iss` exactly.
    ///   - audience: What `aud` must name.
    ///   - types: The accepted `typ` values in the header; see ``AccessTokenExpectation/types``.
    /// - Throws: misconfigured if the issuer is invalid.
    package init(
        issuer text: String,
        audience: String,
        algorithms: Set<SignatureAlgorithm>,
        types: Set<JWTType> = [.accessToken],
        allowInsecureLoopback: Bool,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Date
    ) throws(SignInError) {
        do {
            issuer = try Issuer(text, allowInsecureLoopback: allowInsecureLoopback)
        } catch {
            throw SignInError(.misconfigured(error == .insecure ? .issuerInsecure : .issuerInvalid))
        }
        // No code is requested with this profile, so PKCE does not matter.
        var profile = ProviderProfile()
        profile.pkceUnannounced = true
        provider = RemoteProvider(
            issuer: issuer,
            profile: profile,
            http: ProviderHTTP(transport: transport, now: now)
        )
        expectation = AccessTokenExpectation(issuer: issuer, audience: audience)
        expectation.types = types
        self.algorithms = algorithms
        self.now = now
    }

    /// - Parameter key: The key that the request proves to have; `nil` of a Bearer token.
    package func verify(_ text: String, provenBy key: JWKThumbprint? = nil)
        async throws(Refusal) -> VerifiedAccessToken
    {
        let jwt: JWT
        do {
            jwt = try JWT(parsing: text)
        } catch {
            throw .invalid
        }
        // Checked before keys are fetched for it (RFC 8725 §3.1).
        guard algorithms.contains(jwt.header.algorithm) else { throw .invalid }
        let keys = try await keys(for: jwt.header)
        do {
            let signed = try jwt.verified(by: keys, allowing: algorithms, types: expectation.types)
            return try VerifiedAccessToken(signed, meeting: expectation, provenBy: key, at: now())
        } catch {
            throw .invalid
        }
    }

    private func keys(for header: JWSHeader) async throws(Refusal) -> [VerificationKey] {
        do {
            return try await provider.keys(for: header)
        } catch {
            throw error.kind == .rejected(.key) ? .invalid : .unavailable
        }
    }
}
