import Portico
import PorticoBytes
import PorticoProtocol

/// Access tokens of one issuer, verified here (RFC 9068 §4, RFC 6750 §3.1).
struct AccessTokenAuthentication: Sendable {
    let verifier: AccessTokenVerifier
    let required: Scope
    let mapping: RoleMapping

    var issuer: String { verifier.issuer.text }

    /// Whether the token says that it is of this issuer. Believed by nobody yet.
    func isNamed(in token: String) -> Bool {
        // `try?`: what is no JWT names nobody.
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
