import Crypto
import PorticoBytes

/// An algorithm by which a token proves knowledge of a shared secret (RFC 7518 §3.2).
///
/// It is no ``SignatureAlgorithm``, so that no public key can be taken for a secret (RFC 8725
/// §2.1).
package enum HMACAlgorithm: String, CaseIterable, Hashable, Sendable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// Of the hash, and of the shortest secret, in bytes (RFC 7518 §3.2).
    fileprivate var length: Int {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        }
    }
}

/// A shared secret that verifies tokens of one algorithm, and makes none.
package struct HMACKey: Sendable {
    package let algorithm: HMACAlgorithm
    /// `kid`; `nil` for a secret without a name, which tokens that name a key do not fit.
    package let keyID: String?
    private let secret: SymmetricKey

    /// - Throws: `.weakKey` if the secret is shorter than the hash, `.keyIDTooLong`.
    package init(_ algorithm: HMACAlgorithm, secret: [UInt8], keyID: String?) throws(JWKError) {
        guard secret.count >= algorithm.length else { throw .weakKey }
        guard (keyID?.utf8.count ?? 0) <= JWSHeader.keyIDLimit else { throw .keyIDTooLong }
        self.algorithm = algorithm
        self.keyID = keyID
        self.secret = SymmetricKey(data: secret)
    }

    /// Compares in constant time, the whole code: a shortened one is none.
    fileprivate func isValid(_ code: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        let expected: [UInt8] =
            switch algorithm {
            case .hs256: Array(HMAC<SHA256>.authenticationCode(for: message, using: secret))
            case .hs384: Array(HMAC<SHA384>.authenticationCode(for: message, using: secret))
            case .hs512: Array(HMAC<SHA512>.authenticationCode(for: message, using: secret))
            }
        return ConstantTime.equal(code, expected)
    }
}

extension HMACKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "HMACKey(\(algorithm.rawValue))" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A token with a code of a shared secret, parsed but not verified: its payload is not shown
/// before (RFC 7515 §3.1).
package struct HMACToken: Sendable {
    package let header: ProtectedHeader<HMACAlgorithm>
    private let parts: CompactParts

    /// - Throws: As ``JWS/init(parsing:limit:)``; `.algorithmNotAllowed` for any other algorithm.
    package init(parsing token: some Collection<UInt8>, limit: Int = JWS.standardLimit)
        throws(JOSEError)
    {
        parts = try CompactParts(token, limit: limit)
        header = try ProtectedHeader(parsing: parts.header)
    }

    /// The claims, if the key made the code.
    ///
    /// - Throws: `.algorithmNotAllowed` if the key is of another algorithm, `.unknownKey` if the
    ///   token names another, `.invalidSignature`, `.invalidClaims`.
    package func claims(verifiedBy key: HMACKey) throws(JOSEError) -> JSONObject {
        guard header.algorithm == key.algorithm else { throw .algorithmNotAllowed }
        if let named = header.keyID {
            guard let keyID = key.keyID, sameBytes(keyID, named) else { throw .unknownKey }
        }
        guard key.isValid(parts.signature, for: parts.signingInput) else {
            throw .invalidSignature
        }
        do {
            return try JSONObject(
                parsing: parts.payload,
                limits: .foreign(size: parts.payload.count)
            )
        } catch {
            throw .invalidClaims
        }
    }
}
