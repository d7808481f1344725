import Crypto
package import PorticoBytes

/// A proof of possession that was right (RFC 9449 §4.3). Only a ``DPoPJudge`` makes one.
package struct DPoPProof: Sendable {
    /// Of the key that signed it: what tokens are bound to (§6.1).
    package let thumbprint: JWKThumbprint
    package let algorithm: SignatureAlgorithm
    /// The proof is used up by what happens with it: the same hash a second time is the same proof
    /// (§11.1).
    package let replayKey: Hash256
    /// From then on the judge refuses the proof by its age; seconds since 1970.
    package let expiresAt: Int64

    /// - Parameters:
    ///   - jti: Bounded.
    ///   - issuedAt: `iat`.
    init(_ sender: ProofHeaders.Known, jti: String, issuedAt: Int64) {
        thumbprint = sender.thumbprint
        algorithm = sender.key.algorithm
        // A thumbprint has one length, so no two pairs give the same text.
        replayKey = Hash256(of: "dpop \(thumbprint.text) \(jti)")
        expiresAt = issuedAt + DPoPJudge.past + 1
    }

    /// `ath` of an access token (§4.2).
    static func hash(of token: String) -> String {
        Base64URL.encode(SHA256.digest(of: Array(token.utf8)[...]))
    }
}
