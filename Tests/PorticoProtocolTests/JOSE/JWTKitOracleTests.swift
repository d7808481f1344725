import Crypto
import CryptoExtras
import Foundation
import JWTKit
import PorticoBytes
import PorticoProtocol
import Testing

/// jwt-kit agrees with us about signatures, in both directions.
@Suite("jwt-kit as the oracle")
struct JWTKitOracleTests {
    private struct Claims: JWTPayload, Equatable {
        var iss = "https://op.example.com"
        var sub = "alice é\u{1F600}\"\\"
        var exp = 1_700_000_000

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    private func collection(_ algorithm: SignatureAlgorithm) async throws -> JWTKeyCollection {
        let key = try TokenForge.key(algorithm)
        let kid = JWKIdentifier(string: key.keyID)
        let keys = JWTKeyCollection()
        switch algorithm {
        case .es256:
            let backing = try P256.Signing.PrivateKey(rawRepresentation: key.revealStored())
            await keys.add(ecdsa: try ECDSA.PrivateKey<P256>(backing: backing), kid: kid)
        case .edDSA:
            let backing = try Curve25519.Signing.PrivateKey(rawRepresentation: key.revealStored())
            await keys.add(eddsa: EdDSA.PrivateKey(backing: backing), kid: kid)
        case .rs256, .ps256:
            let backing = try _RSA.Signing.PrivateKey(derRepresentation: key.revealStored())
            let rsa = try Insecure.RSA.PrivateKey(backing: backing)
            if algorithm == .rs256 {
                await keys.add(rsa: rsa, digestAlgorithm: .sha256, kid: kid)
            } else {
                await keys.add(pss: rsa, digestAlgorithm: .sha256, kid: kid)
            }
        }
        return keys
    }

    @Test("What we sign, jwt-kit verifies", arguments: SignatureAlgorithm.allCases)
    func signs(algorithm: SignatureAlgorithm) async throws {
        let keys = try await collection(algorithm)
        let expected = Claims()
        let claims: JSONObject = [
            "iss": .string(expected.iss), "sub": .string(expected.sub), "exp": 1_700_000_000,
        ]
        for type in JWTType.allCases {
            let token = try TokenForge.key(algorithm).sign(claims: claims, type: type)
            #expect(try await keys.verify(token, as: Claims.self) == expected)
        }
    }

    @Test("What jwt-kit signs, we verify", arguments: SignatureAlgorithm.allCases)
    func verifies(algorithm: SignatureAlgorithm) async throws {
        let keys = try await collection(algorithm)
        let kid = try TokenForge.key(algorithm).keyID
        let token = try await keys.sign(Claims(), kid: JWKIdentifier(string: kid))
        let verified = try TokenForge.verify(token, allowing: [algorithm])
        #expect(verified.claims.string("sub") == Claims().sub)
        #expect(verified.claims.int64("exp") == 1_700_000_000)
        #expect(verified.header.keyID == kid)
    }

    @Test(
        "jwt-kit reads the key set that we publish",
        arguments: [SignatureAlgorithm.es256, .edDSA, .rs256]
    )
    func readsSet(algorithm: SignatureAlgorithm) async throws {
        let key = try TokenForge.key(algorithm)
        let json = String(
            decoding: JWKSet([key.verificationKey]).serialized(),
            as: UTF8.self
        )
        let keys = try await JWTKeyCollection().add(jwksJSON: json)
        let token = try key.sign(
            claims: ["iss": "https://op.example.com", "sub": "bob", "exp": 1],
            type: .accessToken
        )
        #expect(try await keys.verify(token, as: Claims.self).sub == "bob")
    }
}
