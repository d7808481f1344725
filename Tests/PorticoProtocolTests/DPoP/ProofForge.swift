import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import PorticoBytes
import PorticoProtocol

/// Makes proofs that a ``DPoPKey`` never would: any header, any claims, signed properly. So a row of
/// a table differs from a right proof by one thing.
enum ProofForge {
    static let now: Int64 = 1_800_000_000
    static let address = "https://op.example.com/token"
    static let request = DPoPJudge.Request(method: .post, address: address)
    static let claims: JSONObject = [
        "jti": "j-1", "htm": "POST", "htu": .string(address), "iat": .integer(now),
    ]

    /// The public key of ``TokenForge``, as a proof has it.
    static func publicKey(_ algorithm: SignatureAlgorithm = .es256) throws -> JSONObject {
        try TokenForge.key(algorithm).verificationKey.jwk.object
            .with("kid", nil).with("use", nil).with("alg", nil)
    }

    static func header(_ algorithm: SignatureAlgorithm = .es256) throws -> JSONObject {
        [
            "typ": "dpop+jwt", "alg": .string(algorithm.rawValue),
            "jwk": .object(try publicKey(algorithm)),
        ]
    }

    static func proof(
        header: JSONObject,
        _ claims: JSONObject = claims,
        by algorithm: SignatureAlgorithm = .es256
    ) throws -> String {
        let input = TokenForge.input(text(header), text(claims))
        return TokenForge.token(input, signature: try signature(of: input, by: algorithm))
    }

    /// A right header with other claims.
    static func proof(_ claims: JSONObject = claims) throws -> String {
        try proof(header: header(), claims)
    }

    static func text(_ object: JSONObject) -> String {
        String(decoding: object.serialized(), as: UTF8.self)
    }

    private static func signature(of input: String, by algorithm: SignatureAlgorithm) throws
        -> [UInt8]
    {
        let stored = try TokenForge.key(algorithm).revealStored()
        let message = Data(input.utf8)
        switch algorithm {
        case .es256:
            let key = try P256.Signing.PrivateKey(rawRepresentation: stored)
            return Array(try key.signature(for: message).rawRepresentation)
        case .edDSA:
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: stored)
            return Array(try key.signature(for: message))
        case .rs256, .ps256:
            let key = try _RSA.Signing.PrivateKey(derRepresentation: stored)
            let padding: _RSA.Signing.Padding = algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5
            return Array(try key.signature(for: message, padding: padding).rawRepresentation)
        }
    }
}
