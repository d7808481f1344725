import Portico
import PorticoBytes
import PorticoProtocol

/// Verifies access tokens of one issuer in this service (RFC 9068 §4, RFC 6750 §3.1).
struct AccessTokenAuthentication: Sendable {
    let verifier: AccessTokenVerifier
    let required: Scope
    let mapping: RoleMapping

    var issuer: String { verifier.issuer.text }

    /// Whether the token names this issuer. Not verified yet.
    func isNamed(in token: String) -> Bool {
        // `try?`: a malformed JWT names no issuer.
        guard let claims = try? JWT(parsing: token, limit: 16 * 1024).uncheckedClaims(),
            let issuer = claims.string("iss")
        else { return false }
        return verifier.issuer.isNamed(issuer)
    }

    func person(of token: String) async throws(Refusal) -> AuthenticatedPerson {
        let challenges = Challenges(issuer: issuer, takesSessions: false)
        let verified: VerifiedAccessToken
        do {
            verified = try await verifier.verify(token)
        } catch {
            switch error {
            case .invalid: throw challenges.invalidToken
            case .unavailable: throw .unavailable
            }
        }
        guard required.isSubset(of: verified.scope) else {
            throw challenges.insufficientScope(required)
        }
        return AuthenticatedPerson(
            id: AuthenticatedPerson.ID(issuer: issuer, subject: verified.subject),
            origin: .accessToken,
            roles: mapping.roles(in: verified.claims),
            scope: verified.scope,
            claims: verified.claims
        )
    }
}
