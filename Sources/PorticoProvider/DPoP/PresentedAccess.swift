package import HTTPTypes
package import PorticoProtocol
package import PorticoSeals
package import PorticoWeb

/// An access token with a request to what is no endpoint of a realm, as the administration is (RFC
/// 6750 §2.1, RFC 9449 §7.1).
package struct PresentedAccess: Sendable {
    private let presented: PresentedToken
    /// Of the key that the token must be bound to; `nil`: it must be bound to none.
    package let proof: DPoPProof?

    package var token: String { presented.text }

    /// Reads it, and judges its proof.
    package struct Check: Sendable {
        private let proofs: ProofCheck
        private let nonces: DPoPNonces

        package init(ring: KeyRing) {
            proofs = ProofCheck(ring: ring)
            nonces = DPoPNonces(ring: ring)
        }

        /// - Parameter address: Of the request, without its query.
        /// - Throws: ``Refusal``, without a token too.
        package func callAsFunction(_ context: some ServiceContext, at address: String)
            throws(Refusal) -> PresentedAccess
        {
            let found: PresentedToken?
            do throws(OAuthError) {
                found = try PresentedToken(context.authorization)
            } catch {
                throw Refusal(error, .bearer)
            }
            guard let presented = found else { throw Refusal(nil, .bearer) }
            guard presented.scheme == .dpop else {
                return PresentedAccess(presented: presented, proof: nil)
            }
            let proof: DPoPProof?
            do throws(OAuthError) {
                proof = try proofs(context, at: address, token: presented.text)
            } catch {
                throw Refusal(error, .dpop)
            }
            guard let proof else { throw Refusal(ProofCheck.missing, .dpop) }
            return PresentedAccess(presented: presented, proof: proof)
        }

        /// For the answer to a request with a proof, good or not (RFC 9449 §8.2).
        package func fields(for context: some ServiceContext) -> HTTPFields {
            guard context.headers[.dpop] != nil, let nonce = nonces.current(at: context.now) else {
                return [:]
            }
            return [.dpopNonce: nonce]
        }
    }

    /// Why no token is read, or none is good.
    package struct Refusal: Error {
        private let refusal: ResourceRefusal

        init(_ error: OAuthError?, _ scheme: PresentedToken.Scheme) {
            refusal = ResourceRefusal(error, scheme)
        }

        /// A challenge for each scheme.
        package func fields(realm: String) -> HTTPFields { refusal.fields(realm: realm) }
    }

    /// It is not good here.
    package var unknown: Refusal {
        Refusal(
            OAuthError(.invalidToken, "The access token is not good here, or not any more."),
            presented.scheme
        )
    }
}
