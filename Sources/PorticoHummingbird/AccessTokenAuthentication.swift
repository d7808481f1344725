import Hummingbird
import Portico
import PorticoBytes
import PorticoProtocol

/// Verifies access tokens of one issuer in this service (RFC 9068 §4, RFC 6750 §3.1).
struct AccessTokenAuthentication: Sendable {
    let verifier: AccessTokenVerifier
    let required: Scope
    let mapping: RoleMapping
    /// `nil`: tokens that are bound to a key are refused.
    let proofs: PresentedProofs?

    var issuer: String { verifier.issuer.text }

    /// Whether the token names this issuer. Not verified yet.
    func isNamed(in token: String) -> Bool {
        // `try?`: a malformed JWT names no issuer.
        guard let claims = try? JWT(parsing: token).uncheckedClaims(),
            let issuer = claims.string("iss")
        else { return false }
        return verifier.issuer.isNamed(issuer)
    }

    /// - Parameter request: Where the token came with a proof: it has that.
    func person(of token: String, provenIn request: Request?) async throws(Refusal)
        -> AuthenticatedPerson
    {
        var challenges = Challenges(issuer: issuer, takesSessions: false, proofs: proofs)
        challenges.isProven = request != nil
        var proof: DPoPProof?
        if let request {
            guard let proofs else { throw challenges.invalidToken }
            do throws(OAuthError) {
                proof = try proofs.proof(of: request, with: token)
            } catch {
                throw challenges.refusal(error)
            }
        }
        let verified: VerifiedAccessToken
        do {
            verified = try await verifier.verify(token, provenBy: proof?.thumbprint)
        } catch {
            switch error {
            case .invalid: throw challenges.invalidToken
            case .unavailable: throw .unavailable
            }
        }
        if let proof {
            do throws(OAuthError) {
                try proofs?.spend(proof)
            } catch {
                throw challenges.refusal(error)
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
