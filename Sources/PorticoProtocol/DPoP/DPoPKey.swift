import Crypto
package import HTTPTypes
package import PorticoBytes
import PorticoSystem

/// A client's private key for proofs of possession, ES256 (RFC 9449 §4.2).
package struct DPoPKey: Sendable {
    /// The public key, without a name.
    package let jwk: JWK
    package let thumbprint: JWKThumbprint
    private let key: P256.Signing.PrivateKey
    /// The encoded header, followed by the period.
    private let header: [UInt8]

    /// A new key.
    ///
    /// - Throws: `.invalidPrivateKey` if the source gives nothing but numbers that are no key.
    package init(random: RandomSource) throws(JWKError) {
        guard let scalar = P256Signature.scalar(random) else { throw .invalidPrivateKey }
        try self.init(stored: scalar)
    }

    /// - Parameter stored: The result of ``revealStored()``.
    /// - Throws: `.invalidPrivateKey` if it is no key.
    package init(stored: [UInt8]) throws(JWKError) {
        do {
            key = try P256.Signing.PrivateKey(rawRepresentation: stored)
        } catch {
            throw .invalidPrivateKey
        }
        let point = Array(key.publicKey.rawRepresentation)
        jwk = JWK(
            .ec(x: Array(point.prefix(32)), y: Array(point.suffix(32))),
            .es256,
            keyID: nil
        )
        thumbprint = JWKThumbprint(jwk)
        let members: JSONObject = [
            "typ": .string(JWTType.dpopProof.rawValue),
            "alg": .string(SignatureAlgorithm.es256.rawValue),
            "jwk": .object(jwk.requiredMembers),
        ]
        header = Base64URL.encodedBytes(members.serialized()) + [UInt8(ascii: ".")]
    }

    /// The private key itself, 32 bytes, to be sealed before it is stored. Every call is a possible
    /// leak.
    package func revealStored() -> [UInt8] {
        Array(key.rawRepresentation)
    }

    /// A proof for one request; a second request needs a second proof (RFC 9449 §7.3).
    ///
    /// - Parameters:
    ///   - token: The access token that goes with the request, if any (`ath`).
    ///   - nonce: The newest nonce of the server, if it gave one.
    /// - Returns: The value of the `DPoP` field.
    package func proof(
        _ method: HTTPRequest.Method,
        _ address: HTTPAddress,
        token: SecretText? = nil,
        nonce: String? = nil,
        at moment: Moment
    ) throws(JOSEError) -> String {
        var claims: JSONObject = [
            // 128 random bits; 96 are the least (§4.2).
            "jti": .string(moment.random.text(16)),
            "htm": .string(method.rawValue),
            "htu": .string(TargetURI.of(address)),
            "iat": .integer(moment.seconds),
        ]
        if let token { claims["ath"] = .string(DPoPProof.hash(of: token.reveal())) }
        if let nonce { claims["nonce"] = .string(nonce) }
        var proof = header
        Base64URL.append(claims.serialized(), to: &proof)
        let signature: [UInt8]
        do {
            signature = Array(try key.signature(for: proof).rawRepresentation)
        } catch {
            throw .signingFailed
        }
        proof.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &proof)
        return String(decoding: proof, as: UTF8.self)
    }
}

extension DPoPKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "DPoPKey" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
