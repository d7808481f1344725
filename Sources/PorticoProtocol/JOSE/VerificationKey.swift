import Crypto
import PorticoBytes

/// A public key prepared for checking signatures of one algorithm (RFC 8725 §3.1).
package struct VerificationKey: Sendable {
    package let jwk: JWK
    private let material: Material
    /// Only the issuer's own keys have a cache: other verifiers see most tokens once.
    private(set) var signatures: RecentSignatures?

    private enum Material: Sendable {
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(RSAPublicKey)
    }

    package var algorithm: SignatureAlgorithm { jwk.algorithm }
    package var keyID: String? { jwk.keyID }

    /// - Throws: A ``JWKError`` if the key is too weak, or not a proper point of its curve.
    package init(_ jwk: JWK) throws(JWKError) {
        self.jwk = jwk
        switch jwk.parameters {
        case .ec(let x, let y):
            do {
                // Refuses points that are not on the curve (RFC 7518 §6.2.1).
                material = .p256(try P256.Signing.PublicKey(x963Representation: [0x04] + x + y))
            } catch {
                throw .invalidPoint
            }
        case .okp(let x):
            guard Ed25519Point.isProper(x) else { throw .invalidPoint }
            do {
                material = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: x))
            } catch {
                throw .invalidPoint
            }
        case .rsa(let modulus, let exponent):
            guard RSAStrength.isSufficient(modulus: modulus, exponent: exponent) else {
                throw .weakKey
            }
            material = .rsa(try RSAPublicKey(modulus: modulus, exponent: exponent))
        }
    }

    /// The same key with a cache of what it signed.
    func remembering(_ signatures: RecentSignatures) -> VerificationKey {
        var key = self
        key.signatures = signatures
        return key
    }

    /// Whether the key may have signed a token with this header: the algorithm is the same and, if
    /// the token names a key, the key ID too.
    package func fits(_ header: JWSHeader) -> Bool {
        guard algorithm == header.algorithm else { return false }
        guard let named = header.keyID else { return true }
        guard let keyID else { return false }
        return sameBytes(keyID, named)
    }

    func isValid(_ signature: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        switch material {
        case .p256(let key):
            // `try?`: malformed bytes are not a valid signature either.
            guard P256Signature.isInRange(signature),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA256.digest(of: message))
        case .ed25519(let key): return key.isValidSignature(signature, for: message)
        case .rsa(let key):
            return key.isValid(
                signature,
                for: message,
                padding: algorithm == .ps256 ? .pss : .pkcs1
            )
        }
    }
}

extension VerificationKey: Hashable {
    package static func == (one: VerificationKey, other: VerificationKey) -> Bool {
        one.jwk == other.jwk
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(jwk)
    }
}
