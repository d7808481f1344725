import Crypto
import PorticoBytes

/// A public key that another server made, as certificates have it: `SubjectPublicKeyInfo` (RFC 5280
/// §4.1). Of kinds that we sign with, and of some that we only publish.
package struct ForeignPublicKey: Hashable, Sendable {
    package let key: Key

    package enum Key: Hashable, Sendable {
        /// Big-endian, without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
        /// Coordinates in the full length of the field.
        case ec(Curve, x: [UInt8], y: [UInt8])
        /// 32 bytes.
        case ed25519(x: [UInt8])
    }

    package enum Curve: String, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"
    }

    init(_ key: Key) {
        self.key = key
    }

    /// - Throws: `.unknownKind`, `.malformed`, or `.weak` for an RSA key that is too small or a
    ///   point that is none of its curve.
    package init(der: some Collection<UInt8>) throws(ForeignKeyError) {
        guard let body = DERReader.only(DER.sequence, in: der) else { throw .malformed }
        var reader = DERReader(body)
        guard let identifier = reader.element(DER.sequence), let bits = reader.bits(),
            reader.isAtEnd
        else { throw .malformed }
        guard let algorithm = KeyAlgorithm(identifier: identifier) else { throw .unknownKind }
        switch algorithm {
        case .rsa:
            guard let numbers = PKCS1.numbers(ofPublicKey: bits) else { throw .malformed }
            key = .rsa(modulus: numbers.modulus, exponent: numbers.exponent)
        case .p256: key = try Self.point(.p256, bits)
        case .p384: key = try Self.point(.p384, bits)
        case .p521: key = try Self.point(.p521, bits)
        case .ed25519:
            guard bits.count == 32 else { throw .malformed }
            key = .ed25519(x: Array(bits))
        }
        guard isSound else { throw .weak }
    }

    /// - Parameter text: PEM, or base64 without armour.
    package init(_ text: String) throws(ForeignKeyError) {
        try self.init(der: try PEM.bytes(text))
    }

    /// The one encoding in DER.
    package var der: [UInt8] {
        let algorithm: KeyAlgorithm =
            switch key {
            case .rsa: .rsa
            case .ec(let curve, _, _): curve.algorithm
            case .ed25519: .ed25519
            }
        return DER.encode(
            DER.sequence,
            algorithm.identifier + DER.encode(DER.bitString, [0] + bits)
        )
    }

    /// The key itself, as its kind encodes it.
    var bits: [UInt8] {
        switch key {
        case .rsa(let modulus, let exponent):
            PKCS1.publicKey(modulus: modulus, exponent: exponent)
        case .ec(_, let x, let y): [0x04] + x + y
        case .ed25519(let x): x
        }
    }

    /// The `kid` that Keycloak gives a key without a name: its SHA-256 in base64url.
    package var keyID: String { Base64URL.encode(Hash256(of: der).bytes) }

    /// The members of a JWK that are the key (RFC 7518 §6, RFC 8037 §2).
    package var jwkMembers: JSONObject {
        func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
        return switch key {
        case .rsa(let modulus, let exponent):
            ["kty": "RSA", "n": text(modulus), "e": text(exponent)]
        case .ec(let curve, let x, let y):
            ["kty": "EC", "crv": .string(curve.rawValue), "x": text(x), "y": text(y)]
        case .ed25519(let x): ["kty": "OKP", "crv": "Ed25519", "x": text(x)]
        }
    }

    private static func point(_ curve: Curve, _ bits: ArraySlice<UInt8>) throws(ForeignKeyError)
        -> Key
    {
        let bytes = Array(bits)
        guard bytes.first == 0x04, bytes.count == 1 + 2 * curve.length else { throw .malformed }
        return .ec(
            curve,
            x: Array(bytes[1...curve.length]),
            y: Array(bytes[(1 + curve.length)...])
        )
    }

    /// Whether an RSA key is neither too small nor too large, and a point one of its curve.
    var isSound: Bool {
        switch key {
        case .rsa(let modulus, let exponent):
            RSAStrength.isSufficient(modulus: modulus, exponent: exponent)
        case .ec(let curve, let x, let y): curve.has(x: x, y: y)
        case .ed25519(let x): Ed25519Point.isProper(x)
        }
    }
}

extension ForeignPublicKey.Curve {
    var algorithm: KeyAlgorithm {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        }
    }

    /// Of a coordinate, in bytes.
    var length: Int {
        switch self {
        case .p256: 32
        case .p384: 48
        case .p521: 66
        }
    }

    fileprivate func has(x: [UInt8], y: [UInt8]) -> Bool {
        let bytes = [0x04] + x + y
        do {
            switch self {
            case .p256: _ = try P256.Signing.PublicKey(x963Representation: bytes)
            case .p384: _ = try P384.Signing.PublicKey(x963Representation: bytes)
            case .p521: _ = try P521.Signing.PublicKey(x963Representation: bytes)
            }
            return true
        } catch {
            return false
        }
    }
}
