import Crypto
import PorticoBytes

/// A private key that another server made, in PKCS#8 or, of RSA, in PKCS#1 (RFC 5958, RFC 8017
/// appendix A.1.2, RFC 5915, RFC 8410).
package struct ForeignPrivateKey: Sendable {
    package let publicKey: ForeignPublicKey
    /// As ``SigningKey`` stores it.
    private let stored: [UInt8]

    /// - Parameter text: PEM, or base64 without armour.
    package init(_ text: String) throws(ForeignKeyError) {
        try self.init(der: try PEM.bytes(text))
    }

    package init(der: [UInt8]) throws(ForeignKeyError) {
        guard let info = PKCS8Key(der: der) else {
            // Not PKCS#8, or of a kind that is not known.
            guard Self.isPKCS1(der) else {
                throw Self.isPKCS8(der) ? .unknownKind : .malformed
            }
            (publicKey, stored) = try Self.rsa(der)
            return
        }
        switch info.algorithm {
        case .rsa: (publicKey, stored) = try Self.rsa(info.key)
        case .p256: (publicKey, stored) = try Self.ec(.p256, info.key)
        case .p384: (publicKey, stored) = try Self.ec(.p384, info.key)
        case .p521: (publicKey, stored) = try Self.ec(.p521, info.key)
        case .ed25519: (publicKey, stored) = try Self.ed25519(info.key)
        }
        if let beside = info.publicKey {
            guard publicKey.bits == beside else { throw .halvesDoNotFit }
        }
    }

    /// - Throws: `.halvesDoNotFit` if that is not the public half.
    package func check(_ other: ForeignPublicKey) throws(ForeignKeyError) {
        guard publicKey == other else { throw .halvesDoNotFit }
    }

    /// The key for signing tokens, under Keycloak's name for it.
    ///
    /// - Throws: `.algorithmDoesNotFit` if it is of another kind.
    package func signingKey(_ algorithm: SignatureAlgorithm, keyID: String? = nil)
        throws(ForeignKeyError) -> SigningKey
    {
        switch (publicKey.key, algorithm) {
        case (.rsa, .rs256), (.rsa, .ps256), (.ec(.p256, _, _), .es256), (.ed25519, .edDSA): break
        default: throw .algorithmDoesNotFit
        }
        do {
            return try SigningKey(algorithm, stored: stored, keyID: keyID ?? publicKey.keyID)
        } catch {
            throw .malformed
        }
    }
}

extension ForeignPrivateKey {
    private typealias Halves = (ForeignPublicKey, stored: [UInt8])

    private static func isPKCS1(_ der: [UInt8]) -> Bool {
        guard let body = DERReader.only(DER.sequence, in: der) else { return false }
        var reader = DERReader(body)
        return reader.unsigned() == [] && reader.nextTag == DER.integer
    }

    private static func isPKCS8(_ der: [UInt8]) -> Bool {
        guard let body = DERReader.only(DER.sequence, in: der) else { return false }
        var reader = DERReader(body)
        return reader.unsigned() != nil && reader.read(DER.sequence) != nil
            && reader.read(DER.octetString) != nil
    }

    /// - Parameter der: PKCS#1. The library checks that its numbers belong together.
    private static func rsa(_ der: [UInt8]) throws(ForeignKeyError) -> Halves {
        guard let body = DERReader.only(DER.sequence, in: der) else { throw .malformed }
        var reader = DERReader(body)
        guard reader.unsigned() == [], let modulus = reader.unsigned(),
            let exponent = reader.unsigned()
        else { throw .malformed }
        let publicKey = ForeignPublicKey(.rsa(modulus: modulus, exponent: exponent))
        guard publicKey.isSound else { throw .weak }
        do {
            let key = try RSAPrivateKey(der: der)
            guard try key.publicParameters() == .rsa(modulus: modulus, exponent: exponent) else {
                throw ForeignKeyError.halvesDoNotFit
            }
            return (publicKey, der)
        } catch let error as ForeignKeyError {
            throw error
        } catch {
            throw .malformed
        }
    }

    /// - Parameter der: `ECPrivateKey` (RFC 5915 §3), whose curve and public half may be left out.
    private static func ec(_ curve: ForeignPublicKey.Curve, _ der: [UInt8])
        throws(ForeignKeyError) -> Halves
    {
        guard let body = DERReader.only(DER.sequence, in: der) else { throw .malformed }
        var reader = DERReader(body)
        guard reader.unsigned() == [1], let scalar = reader.read(DER.octetString) else {
            throw .malformed
        }
        if reader.nextTag == DER.numbered(0) {
            guard let named = reader.read(DER.numbered(0)),
                named.elementsEqual(curve.algorithm.curve ?? [])
            else { throw .malformed }
        }
        let bits = reader.nextTag == DER.numbered(1) ? reader.read(DER.numbered(1)) : nil
        guard reader.isAtEnd, scalar.count <= curve.length else { throw .malformed }
        let padding = [UInt8](repeating: 0, count: curve.length - scalar.count)
        let stored = padding + scalar
        let point: [UInt8]
        do {
            point =
                switch curve {
                case .p256:
                    Array(
                        try P256.Signing.PrivateKey(rawRepresentation: stored)
                            .publicKey.rawRepresentation
                    )
                case .p384:
                    Array(
                        try P384.Signing.PrivateKey(rawRepresentation: stored)
                            .publicKey.rawRepresentation
                    )
                case .p521:
                    Array(
                        try P521.Signing.PrivateKey(rawRepresentation: stored)
                            .publicKey.rawRepresentation
                    )
                }
        } catch {
            throw .malformed
        }
        if let bits {
            var reader = DERReader(bits)
            guard let beside = reader.bits(), reader.isAtEnd else { throw .malformed }
            guard beside.elementsEqual([0x04] + point) else { throw .halvesDoNotFit }
        }
        let half = point.count / 2
        let (x, y) = (Array(point[..<half]), Array(point[half...]))
        return (ForeignPublicKey(.ec(curve, x: x, y: y)), stored)
    }

    /// - Parameter der: `CurvePrivateKey`, an OCTET STRING of 32 bytes (RFC 8410 §7).
    private static func ed25519(_ der: [UInt8]) throws(ForeignKeyError) -> Halves {
        guard let seed = DERReader.only(DER.octetString, in: der), seed.count == 32 else {
            throw .malformed
        }
        do {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
            return (
                ForeignPublicKey(.ed25519(x: Array(key.publicKey.rawRepresentation))),
                Array(seed)
            )
        } catch {
            throw .malformed
        }
    }
}

extension ForeignPrivateKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "ForeignPrivateKey(\(publicKey.keyID))" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
