package import HTTPTypes
import PorticoPages
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

/// UserInfo refuses: a challenge for each scheme, that of proofs first (RFC 9449 §7.1, §7.2).
///
/// The error is in the challenge of the scheme that was used. Two fields, because clients that read
/// only the first scheme of a field read both this way.
struct ResourceRefusal: Refusal {
    /// `nil` if the request had no token: no challenge has an error then (RFC 6750 §3.1).
    private let error: OAuthError?
    private let scheme: PresentedToken.Scheme

    init(_ error: OAuthError?, _ scheme: PresentedToken.Scheme = .bearer) {
        self.error = error
        self.scheme = scheme
    }

    var name: String { error?.code.rawValue ?? "unauthorized" }
    var json: JSONValue? { error?.json }

    /// A proof that is missing or wrong is 401 here, not 400 as at the token endpoint (RFC 9449
    /// §7.1, §9).
    var status: HTTPResponse.Status {
        guard let error, ![.invalidDPoPProof, .useDPoPNonce].contains(error.code) else {
            return .unauthorized
        }
        return error.status
    }

    func fields(realm: String) -> HTTPFields {
        let scope = error?.code == .insufficientScope ? "openid" : nil
        func challenge(_ own: PresentedToken.Scheme) -> BearerChallenge {
            let isUsed = scheme == own
            return BearerChallenge(isUsed ? error : nil, issuer: realm, scope: isUsed ? scope : nil)
        }
        var fields = HTTPFields()
        for value in [challenge(.dpop).proofValue, challenge(.bearer).value] {
            fields.append(HTTPField(name: .wwwAuthenticate, value: value))
        }
        return fields
    }
}
