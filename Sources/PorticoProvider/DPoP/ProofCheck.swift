import HTTPTypes
import PorticoBytes
package import PorticoProtocol
package import PorticoSeals
import PorticoStores
import PorticoWeb

/// Judges the proofs of possession of requests to a realm, in every realm alike (RFC 9449 §4.3,
/// docs/decisions/0061).
struct ProofCheck: Sendable {
    private let judge: DPoPJudge
    /// Proofs of this process, also of requests that write nothing. Where something is written, the
    /// proof is spent with it besides.
    private let seen = SeenLately<Hash256>(capacity: 65_536)

    init(ring: KeyRing) {
        let nonces = DPoPNonces(ring: ring)
        judge = DPoPJudge(nonce: { nonces.isGood($0, at: $1) })
    }

    /// - Parameters:
    ///   - address: Of the endpoint, from the realm's metadata.
    ///   - token: The access token that came with the request, if any.
    /// - Returns: `nil` if the request has no proof.
    /// - Throws: `invalid_dpop_proof`, `use_dpop_nonce`. Nothing is used up then.
    func callAsFunction(
        _ context: some ServiceContext,
        at address: String,
        token: String? = nil
    ) throws(OAuthError) -> DPoPProof? {
        let request = DPoPJudge.Request(method: context.method, address: address, token: token)
        let proof: DPoPProof?
        do throws(DPoPRefusal) {
            proof = try judge(context.headers[values: .dpop], for: request, at: context.now)
        } catch {
            throw error.error
        }
        if let proof, !seen.isFirst(proof.replayKey) {
            throw Self.repeated
        }
        return proof
    }

    static let missing = OAuthError(.invalidDPoPProof, "The request has no proof of possession.")
    static let repeated = OAuthError(.invalidDPoPProof, "The proof was used before.")
    static let otherKey = OAuthError(.invalidGrant, "It is bound to another key.")
}

extension DPoPProof {
    /// What is spent with it.
    var use: SpentOnce {
        SpentOnce(.proof, hash: replayKey, expiresAt: expiresAt)
    }
}

extension DPoPNonces {
    /// Those of an installation. What a key made that is not active any more stays good, and so
    /// does what another node makes with one that is not active here yet.
    package init(ring: KeyRing) {
        let others = ring.keyIDs.filter { $0 != ring.activeID }
        self.init(
            keys: ([ring.activeID] + others).compactMap {
                ring.derivedKey(purpose: "dpop nonce", from: $0)
            }
        )
    }
}
