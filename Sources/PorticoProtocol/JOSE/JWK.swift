import PorticoBytes

/// A public signature key in JSON, with checked members (RFC 7517 §4, RFC 7518 §6).
///
/// It is bound to exactly one algorithm (RFC 8725 §3.1) and cannot hold a private member.
package struct JWK: Hashable, Sendable {
    package let parameters: Parameters
    package let algorithm: SignatureAlgorithm
    /// `kid`, at most 256 bytes.
    package let keyID: String?

    /// The members that make up the key, decoded.
    package enum Parameters: Hashable, Sendable {
        /// P-256, 32 bytes each.
        case ec(x: [UInt8], y: [UInt8])
        /// Ed25519, 32 bytes.
        case okp(x: [UInt8])
        /// Big-endian, without leading zeros.
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    init(_ parameters: Parameters, _ algorithm: SignatureAlgorithm, keyID: String?) {
        self.parameters = parameters
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// Reads one key. A member that is `null` counts as absent, because some programs write every
    /// member that they know, but not a private one.
    ///
    /// - Parameter unlabelledRSA: The algorithm of an RSA key that names none. OpenID Connect
    ///   assumes RS256 (Core §3.1.3.7-7); a caller that agreed on PS256 passes it.
    package init(parsing object: JSONObject, unlabelledRSA: SignatureAlgorithm = .rs256)
        throws(JWKError)
    {
        // A published private key must not be trusted any more (RFC 7517 §9.3).
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] where object[name] != nil {
            throw .privateMembers
        }
        try Self.checkPurpose(of: object)
        switch object.string("kty") {
        case "EC":
            guard object.string("crv") == "P-256" else { throw .unknownCurve }
            parameters = .ec(
                x: try Self.coordinate("x", in: object),
                y: try Self.coordinate("y", in: object)
            )
            algorithm = try Self.algorithm(of: object, fitting: [.es256])
        case "OKP":
            guard object.string("crv") == "Ed25519" else { throw .unknownCurve }
            parameters = .okp(x: try Self.coordinate("x", in: object))
            algorithm = try Self.algorithm(of: object, fitting: [.edDSA])
        case "RSA":
            parameters = .rsa(
                modulus: try Self.unsigned("n", in: object),
                exponent: try Self.unsigned("e", in: object)
            )
            let other: SignatureAlgorithm = unlabelledRSA == .ps256 ? .rs256 : .ps256
            algorithm = try Self.algorithm(
                of: object,
                fitting: [unlabelledRSA == .ps256 ? .ps256 : .rs256, other]
            )
        default: throw .unknownKeyType
        }
        keyID = try Self.keyID(of: object)
    }

    /// The public members, as published in a key set.
    package var object: JSONObject {
        var object: JSONObject = ["kty": .string(keyType)]
        if let keyID { object["kid"] = .string(keyID) }
        object["use"] = "sig"
        object["alg"] = .string(algorithm.rawValue)
        for (name, value) in requiredMembers {
            object[name] = value
        }
        return object
    }
}

extension JWK {
    private var keyType: String {
        switch parameters {
        case .ec: "EC"
        case .okp: "OKP"
        case .rsa: "RSA"
        }
    }

    /// The members that the key type requires, in the order of their names (RFC 7638 §3.2).
    var requiredMembers: JSONObject {
        func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
        return switch parameters {
        case .ec(let x, let y):
            ["crv": "P-256", "kty": .string(keyType), "x": text(x), "y": text(y)]
        case .okp(let x): ["crv": "Ed25519", "kty": .string(keyType), "x": text(x)]
        case .rsa(let modulus, let exponent):
            ["e": text(exponent), "kty": .string(keyType), "n": text(modulus)]
        }
    }

    /// `use`, if present, must be `sig` (§4.2); `key_ops`, if present and not empty, must be an array
    /// of different texts that includes `verify` (§4.3).
    private static func checkPurpose(of object: JSONObject) throws(JWKError) {
        if let use = object.present("use") {
            guard use == "sig" else { throw .notForSignatures }
        }
        if let operations = object.present("key_ops"), operations != [] {
            guard let names = operations.strings, names.contains("verify"),
                Set(names).count == names.count
            else {
                throw .notForSignatures
            }
        }
    }

    /// `alg` if present (§4.4), otherwise the first algorithm that fits.
    private static func algorithm(
        of object: JSONObject,
        fitting algorithms: [SignatureAlgorithm]
    ) throws(JWKError) -> SignatureAlgorithm {
        let named = object.present("alg")
        let algorithm = algorithms.first { named == nil || named == .string($0.rawValue) }
        guard let algorithm else { throw .algorithmDoesNotFit }
        return algorithm
    }

    private static func keyID(of object: JSONObject) throws(JWKError) -> String? {
        guard let value = object.present("kid") else { return nil }
        guard let keyID = value.string else { throw .notAKey }
        guard keyID.utf8.count <= JWSHeader.keyIDLimit else { throw .keyIDTooLong }
        return keyID
    }

    /// A coordinate has the full length of its field (RFC 7518 §6.2.1.2, RFC 8037 §2).
    private static func coordinate(_ name: String, in object: JSONObject) throws(JWKError)
        -> [UInt8]
    {
        guard let text = object.string(name), let bytes = Base64URL.decode(text) else {
            throw .notAKey
        }
        guard bytes.count == 32 else { throw .invalidPoint }
        return bytes
    }

    /// A number; a leading zero that some libraries add is removed (RFC 7518 §6.3.1.1).
    private static func unsigned(_ name: String, in object: JSONObject) throws(JWKError)
        -> [UInt8]
    {
        guard let text = object.string(name), let bytes = Base64URL.decode(text) else {
            throw .notAKey
        }
        return Array(bytes.drop { $0 == 0 })
    }
}

extension JWK {
    /// `SubjectPublicKeyInfo` in DER (RFC 5280 §4.1).
    package var subjectPublicKeyInfo: [UInt8] {
        let key: ForeignPublicKey.Key =
            switch parameters {
            case .ec(let x, let y): .ec(.p256, x: x, y: y)
            case .okp(let x): .ed25519(x: x)
            case .rsa(let modulus, let exponent): .rsa(modulus: modulus, exponent: exponent)
            }
        return ForeignPublicKey(key).der
    }
}
