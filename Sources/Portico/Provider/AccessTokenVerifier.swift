package import PorticoProtocol

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Verifies access tokens of one issuer for one resource server, with the issuer's keys as they
/// change (RFC 9068 §4).
package struct AccessTokenVerifier: Sendable {
    package let issuer: Issuer
    private let provider: RemoteProvider
    private var expectation: AccessTokenExpectation
    private let algorithms: Set<SignatureAlgorithm>
    private let now: @Sendable () -> Date

    /// Access tokens hold roles and groups, and go into a header field.
    private static let limit = 16 * 1024

    package enum Refusal: Error, Hashable, Sendable {
        /// It is no access token that is good here.
        case invalid
        /// The issuer could not be asked, or did not answer as one: nothing is known of the token.
        case unavailable
    }

    /// - Parameters:
    ///   - issuer: To the letter as it stands in `iss`.
    ///   - audience: What `aud` must name.
    ///   - types: What `typ` in the header may say; see ``AccessTokenExpectation/types``.
    /// - Throws: misconfigured, where the issuer can be none.
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
            throw SignInError(
                .misconfigured(error == .insecure ? .issuerInsecure : .issuerInvalid)
            )
        }
        // No code is asked for here: whether there is PKCE does not matter.
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

    package func verify(_ text: String) async throws(Refusal) -> VerifiedAccessToken {
        let jwt: JWT
        do {
            jwt = try JWT(parsing: text, limit: Self.limit)
        } catch {
            throw .invalid
        }
        // Before keys are fetched for it (RFC 8725 §3.1).
        guard algorithms.contains(jwt.header.algorithm) else { throw .invalid }
        let keys = try await keys(for: jwt.header)
        do {
            let signed = try jwt.verified(
                by: keys,
                allowing: algorithms,
                types: expectation.types
            )
            return try VerifiedAccessToken(signed, meeting: expectation, at: now())
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
