import Crypto
package import PorticoBytes
import PorticoSystem

/// A private key that signs tokens with one algorithm and one key ID (RFC 7515 §5.1).
package struct SigningKey: Sendable {
    /// The public key for verifiers; its `kid` is in each token.
    package let verificationKey: VerificationKey
    /// The same, for verifying at the issuer itself: it caches recently signed tokens.
    package let issuersKey: VerificationKey
    package let keyID: String
    private let material: Material
    private let signatures = RecentSignatures()
    /// For each type, the encoded header followed by the period.
    private let headers: [JWTType: [UInt8]]

    fileprivate enum Material: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(RSAPrivateKey, RSAPadding)
    }

    package var algorithm: SignatureAlgorithm { verificationKey.algorithm }

    /// Reads a stored key.
    ///
    /// - Parameters:
    ///   - stored: The result of ``revealStored()``: 32 bytes for ES256 and EdDSA, DER (PKCS#1, or
    ///     PKCS#8 of an imported key) for RSA.
    ///   - keyID: The thumbprint if not given (RFC 7638 §1).
    package init(_ algorithm: SignatureAlgorithm, stored: [UInt8], keyID: String? = nil)
        throws(JWKError)
    {
        do {
            switch algorithm {
            case .es256:
                try self.init(
                    algorithm,
                    .p256(P256.Signing.PrivateKey(rawRepresentation: stored)),
                    keyID
                )
            case .edDSA:
                try self.init(
                    algorithm,
                    .ed25519(Curve25519.Signing.PrivateKey(rawRepresentation: stored)),
                    keyID
                )
            case .rs256: try self.init(algorithm, .rsa(RSAPrivateKey(der: stored), .pkcs1), keyID)
            case .ps256: try self.init(algorithm, .rsa(RSAPrivateKey(der: stored), .pss), keyID)
            }
        } catch let error as JWKError {
            throw error
        } catch {
            throw .invalidPrivateKey
        }
    }

    /// Makes a new key. RSA keys have 2048 bits and use the system's randomness, because no library
    /// accepts another source.
    package init(
        generating algorithm: SignatureAlgorithm,
        keyID: String? = nil,
        random: RandomSource
    ) throws(JWKError) {
        switch algorithm {
        case .edDSA: try self.init(algorithm, stored: random.bytes(32), keyID: keyID)
        case .rs256: try self.init(algorithm, .rsa(RSAPrivateKey(), .pkcs1), keyID)
        case .ps256: try self.init(algorithm, .rsa(RSAPrivateKey(), .pss), keyID)
        case .es256:
            guard let scalar = P256Signature.scalar(random) else { throw .invalidPrivateKey }
            try self.init(algorithm, stored: scalar, keyID: keyID)
        }
    }

    private init(_ algorithm: SignatureAlgorithm, _ material: Material, _ keyID: String?)
        throws(JWKError)
    {
        let parameters = try material.publicParameters()
        let anonymous = JWK(parameters, algorithm, keyID: nil)
        let keyID = keyID ?? JWKThumbprint(anonymous).text
        guard keyID.utf8.count <= JWSHeader.keyIDLimit else { throw .keyIDTooLong }
        self.keyID = keyID
        self.material = material
        verificationKey = try VerificationKey(JWK(parameters, algorithm, keyID: keyID))
        issuersKey = verificationKey.remembering(signatures)
        headers = Dictionary(
            uniqueKeysWithValues: JWTType.allCases.map { type in
                let header: JSONObject = [
                    "alg": .string(algorithm.rawValue),
                    "typ": .string(type.rawValue),
                    "kid": .string(keyID),
                ]
                let text = Base64URL.encodedBytes(header.serialized())
                return (type, text + [UInt8(ascii: ".")])
            }
        )
    }

    /// The private key itself, to be sealed before it is stored. Every call is a possible leak.
    package func revealStored() -> [UInt8] {
        switch material {
        case .p256(let key): Array(key.rawRepresentation)
        case .ed25519(let key): Array(key.rawRepresentation)
        case .rsa(let key, _): key.der
        }
    }

    /// A token in compact serialization (RFC 7515 §7.1).
    ///
    /// - Parameter claims: A serialized JSON object.
    package func sign(claims: [UInt8], type: JWTType) throws(JOSEError) -> String {
        guard var token = headers[type] else { throw .signingFailed }
        token.reserveCapacity(token.count + claims.count * 4 / 3 + 360)
        Base64URL.append(claims, to: &token)
        let signature = try material.signature(for: token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &token)
        signatures.insert(token)
        return String(decoding: token, as: UTF8.self)
    }

    package func sign(claims: JSONObject, type: JWTType) throws(JOSEError) -> String {
        try sign(claims: claims.serialized(), type: type)
    }
}

extension SigningKey.Material {
    fileprivate func publicParameters() throws(JWKError) -> JWK.Parameters {
        switch self {
        case .p256(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return .ec(x: Array(point.prefix(32)), y: Array(point.suffix(32)))
        case .ed25519(let key): return .okp(x: Array(key.publicKey.rawRepresentation))
        case .rsa(let key, _): return try key.publicParameters()
        }
    }

    fileprivate func signature(for message: [UInt8]) throws(JOSEError) -> [UInt8] {
        do {
            return switch self {
            case .p256(let key): Array(try key.signature(for: message).rawRepresentation)
            case .ed25519(let key): Array(try key.signature(for: message))
            case .rsa(let key, let padding): try key.signature(for: message, padding: padding)
            }
        } catch {
            throw .signingFailed
        }
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "SigningKey(\(algorithm.rawValue), \(keyID))" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension SigningKey {
    /// The private key as other servers read it, and ``ForeignPrivateKey``: PKCS#1 for RSA (RFC
    /// 8017 appendix A.1.2), PKCS#8 for the others (RFC 5208 §5). Every call is a possible leak.
    package func revealForeign() -> [UInt8] {
        let stored = revealStored()
        return switch algorithm {
        case .rs256, .ps256: stored
        // `ECPrivateKey` without what the identifier says already (RFC 5915 §3).
        case .es256:
            Self.pkcs8(
                .p256,
                DER.encode(
                    DER.sequence,
                    DER.encode(unsigned: [1]) + DER.encode(DER.octetString, stored)
                )
            )
        // RFC 8410 §7.
        case .edDSA: Self.pkcs8(.ed25519, DER.encode(DER.octetString, stored))
        }
    }

    private static func pkcs8(_ algorithm: KeyAlgorithm, _ key: [UInt8]) -> [UInt8] {
        DER.encode(
            DER.sequence,
            DER.encode(unsigned: []) + algorithm.identifier + DER.encode(DER.octetString, key)
        )
    }
}
