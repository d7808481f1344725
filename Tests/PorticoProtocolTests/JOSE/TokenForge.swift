import Crypto
import CryptoExtras
import Foundation
import PorticoBytes
import PorticoProtocol

/// Makes tokens that our own ``SigningKey`` never would: any header, any payload, signed properly.
/// So a row of a table differs from a working token by one thing.
enum TokenForge {
    static var p256: SigningKey { get throws { try keys.p256.get() } }
    static var ed25519: SigningKey { get throws { try keys.ed25519.get() } }
    static var rs256: SigningKey { get throws { try keys.rs256.get() } }
    static var ps256: SigningKey { get throws { try keys.ps256.get() } }

    /// Made once; the first use shows whether that worked.
    private static let keys = Keys()

    private struct Keys {
        let p256 = Result { try made(.es256, "ec1") }
        let ed25519 = Result { try made(.edDSA, "ed1") }
        let rs256: Result<SigningKey, any Error>
        /// The same RSA key under another name: tests need not wait for a second one.
        let ps256: Result<SigningKey, any Error>

        init() {
            let rsa = Result { try Self.made(.rs256, "rs1") }
            rs256 = rsa
            ps256 = Result {
                try SigningKey(.ps256, stored: rsa.get().revealStored(), keyID: "ps1")
            }
        }

        private static func made(_ algorithm: SignatureAlgorithm, _ keyID: String) throws
            -> SigningKey
        {
            try SigningKey(generating: algorithm, keyID: keyID, random: .system)
        }
    }

    static let claims = #"{"iss":"https://op.example.com","sub":"alice","aud":"web1"}"#

    static func key(_ algorithm: SignatureAlgorithm) throws -> SigningKey {
        switch algorithm {
        case .es256: try p256
        case .edDSA: try ed25519
        case .rs256: try rs256
        case .ps256: try ps256
        }
    }

    /// The public key, for tables of arguments; empty where it could not be made.
    static func jwk(_ algorithm: SignatureAlgorithm) -> JSONObject {
        // `try?`: what an empty object is given to fails.
        (try? key(algorithm).verificationKey.jwk.object) ?? [:]
    }

    /// The signing input of a header and a payload.
    static func input(_ header: String, _ payload: String = claims) -> String {
        Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
    }

    /// A token with an ES256 signature of ``p256``.
    static func token(_ header: String, _ payload: String = claims) throws -> String {
        let input = input(header, payload)
        let key = try P256.Signing.PrivateKey(rawRepresentation: p256.revealStored())
        let signature = try key.signature(for: Data(input.utf8)).rawRepresentation
        return input + "." + Base64URL.encode(signature)
    }

    static func token(_ input: String, signature: [UInt8]) -> String {
        input + "." + Base64URL.encode(signature)
    }

    static func verify(
        _ token: String,
        allowing algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        types: Set<JWTType> = [.jwt]
    ) throws -> VerifiedJWT {
        try JWT(parsing: token).verified(
            by: SignatureAlgorithm.allCases.map { try key($0).verificationKey },
            allowing: algorithms,
            types: types
        )
    }
}

extension JSONObject {
    /// With one member set or, where `value` is `nil`, taken away.
    func with(_ name: String, _ value: JSONValue?) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
