import HTTPTypes
import Hummingbird
import PorticoBytes
import PorticoProtocol

/// Judges the proofs of requests to a service (RFC 9449 §4.3).
struct PresentedProofs: Sendable {
    private let publicURL: String
    private let nonces: DPoPNonces?
    private let judge: DPoPJudge
    /// Only who has a token and its key adds to them.
    private let seen = SeenLately<Hash256>(capacity: 65_536)
    private let clock: Clock

    init(_ proofs: ProofsOfPossession, clock: Clock) {
        publicURL = proofs.publicURL
        nonces = proofs.nonces
        self.clock = clock
        var isGood: (@Sendable (String, Int64) -> Bool)?
        if let nonces = proofs.nonces { isGood = { nonces.isGood($0, at: $1) } }
        judge = DPoPJudge(nonce: isGood)
    }

    /// The nonce of answers, if proofs must have one.
    var nonce: String? { nonces?.current(at: clock.moment().seconds) }

    /// The proof of a request. What it proves is compared with the token, and then it is spent.
    func proof(of request: Request, with token: String) throws(OAuthError) -> DPoPProof {
        let path = request.head.path ?? "/"
        guard path.utf8.first == UInt8(ascii: "/") else { throw DPoPRefusal.target.error }
        let asked = DPoPJudge.Request(
            method: request.method,
            address: publicURL + path,
            token: token
        )
        let proof: DPoPProof?
        do throws(DPoPRefusal) {
            let proofs = request.headers[values: .dpop]
            proof = try judge(proofs, for: asked, at: clock.moment().seconds)
        } catch {
            throw error.error
        }
        guard let proof else {
            throw OAuthError(.invalidDPoPProof, "The request has no proof of possession.")
        }
        return proof
    }

    /// Uses a proof up. It is good once (§11.1).
    func spend(_ proof: DPoPProof) throws(OAuthError) {
        guard seen.isFirst(proof.replayKey) else {
            throw OAuthError(.invalidDPoPProof, "The proof was used before.")
        }
    }
}
