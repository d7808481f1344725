import Crypto
import CryptoExtras
import Foundation
import PorticoBytes
import PorticoProtocol

/// Makes tokens that our own ``SigningKey`` never would: any header, any payload, signed properly.
/// So a row of a table differs from a working token by one thing.
enum TokenForge {
    static let p256 = signingKey(.es256, keyID: "ec1")
    static let ed25519 = signingKey(.edDSA, keyID: "ed1")
    static let rs256 = signingKey(.rs256, keyID: "rs1")
    /// The same RSA key under another name: tests need not wait for a second one.
    static let ps256 = storedKey(.ps256, rs256.revealStored(), keyID: "ps1")

    static let claims = #"{"iss":"https://op.example.com","sub":"alice","aud":"web1"}"#

    static func key(_ algorithm: SignatureAlgorithm) -> SigningKey {
        switch algorithm {
        case .es256: p256
        case .edDSA: ed25519
        case .rs256: rs256
        case .ps256: ps256
        }
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
            by: SignatureAlgorithm.allCases.map { key($0).verificationKey },
            allowing: algorithms,
            types: types
        )
    }

    private static func signingKey(_ algorithm: SignatureAlgorithm, keyID: String) -> SigningKey {
        do {
            return try SigningKey(generating: algorithm, keyID: keyID, random: .system)
        } catch {
            fatalError("no key for the tests: \(error)")
        }
    }

    private static func storedKey(
        _ algorithm: SignatureAlgorithm,
        _ stored: [UInt8],
        keyID: String
    ) -> SigningKey {
        do {
            return try SigningKey(algorithm, stored: stored, keyID: keyID)
        } catch {
            fatalError("no key for the tests: \(error)")
        }
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
