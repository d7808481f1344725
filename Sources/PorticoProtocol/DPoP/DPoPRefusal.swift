/// Why a proof of possession is refused, by the rules of RFC 9449 §4.3.
package enum DPoPRefusal: Error, Hashable, CaseIterable, Sendable {
    case several
    case malformed
    case type
    case algorithm
    case key
    case signature
    case claims
    case method
    case target
    case time
    case unexpectedHash
    case hash
    case nonce
}

extension DPoPRefusal {
    /// What the client is told: `use_dpop_nonce` where the same request is right with a new nonce
    /// (§8), `invalid_dpop_proof` otherwise (§5).
    package var error: OAuthError {
        OAuthError(self == .nonce ? .useDPoPNonce : .invalidDPoPProof, words)
    }

    private var words: StaticString {
        switch self {
        case .several: "There is more than one DPoP field."
        case .malformed: "The proof is not one JWT of at most 8,192 bytes."
        case .type: "The type of the proof is not dpop+jwt."
        case .algorithm: "The algorithm of the proof is not allowed."
        case .key: "The jwk of the proof is not a public key for its algorithm."
        case .signature: "The signature of the proof is wrong."
        case .claims: "The proof lacks jti, htm, htu or iat, or one of them has a wrong form."
        case .method: "The htm of the proof is not the method of the request."
        case .target: "The htu of the proof is not the address of the request."
        case .time: "The iat, exp or nbf of the proof does not fit the time of the server."
        case .unexpectedHash: "The proof has an ath, but the request has no access token."
        case .hash: "The ath of the proof is not the hash of the access token."
        case .nonce: "The proof has no nonce, or one that is not good any more."
        }
    }
}
