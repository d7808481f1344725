import Crypto
import CryptoExtras
import Foundation
import PorticoBytes
import PorticoProtocol
import Testing

@Suite("Signing key")
struct SigningKeyTests {
    @Test("OIDCC-2-7: a header has alg, typ and kid, and nothing else", arguments: JWTType.allCases)
    func header(type: JWTType) throws {
        for algorithm in SignatureAlgorithm.allCases {
            let key = try TokenForge.key(algorithm)
            let token = try key.sign(claims: [:], type: type)
            let header = try JWT(parsing: token).header
            #expect(
                header.members == [
                    "alg": .string(algorithm.rawValue), "typ": .string(type.rawValue),
                    "kid": .string(key.keyID),
                ]
            )
        }
    }

    @Test("A key that was kept signs under the same name", arguments: SignatureAlgorithm.allCases)
    func stored(algorithm: SignatureAlgorithm) throws {
        let key = try TokenForge.key(algorithm)
        let again = try SigningKey(algorithm, stored: key.revealStored(), keyID: key.keyID)
        #expect(again.verificationKey == key.verificationKey)
        let token = try again.sign(claims: ["sub": "alice"], type: .jwt)
        #expect(try TokenForge.verify(token).key == key.verificationKey)
    }

    @Test("RFC 7638 §1: a key without a name is named by its thumbprint")
    func namesItself() throws {
        let key = try SigningKey(generating: .es256, random: .system)
        #expect(key.keyID == JWKThumbprint(key.verificationKey.jwk).text)
        #expect(key.verificationKey.keyID == key.keyID)
        #expect(throws: JWKError.keyIDTooLong) {
            try SigningKey(
                generating: .edDSA,
                keyID: String(repeating: "k", count: 257),
                random: .system
            )
        }
    }

    @Test("An imported RSA key may come as PKCS#8")
    func readsPKCS8() throws {
        let key = try _RSA.Signing.PrivateKey(derRepresentation: TokenForge.rs256.revealStored())
        let imported = try SigningKey(
            .rs256,
            stored: Array(key.pkcs8DERRepresentation),
            keyID: "rs1"
        )
        #expect(try imported.verificationKey == TokenForge.rs256.verificationKey)
        #expect(try imported.revealStored() == TokenForge.rs256.revealStored())
    }

    @Test("Bytes that are no private key are refused", arguments: SignatureAlgorithm.allCases)
    func refusesJunk(algorithm: SignatureAlgorithm) {
        let zero = [UInt8](repeating: 0, count: 32)
        for bytes in [[], [1], zero + [0], [UInt8](repeating: 0xFF, count: 31)] {
            #expect(throws: JWKError.invalidPrivateKey) {
                try SigningKey(algorithm, stored: bytes)
            }
        }
        if algorithm == .es256 {
            for scalar in [zero, [UInt8](repeating: 0xFF, count: 32)] {
                #expect(throws: JWKError.invalidPrivateKey) {
                    try SigningKey(.es256, stored: scalar)
                }
            }
        }
    }

    @Test("RFC 7518 §3.3: an RSA key of 1024 bits does not sign")
    func refusesSmallRSA() throws {
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024))
        #expect(throws: JWKError.invalidPrivateKey) {
            try SigningKey(.rs256, stored: Array(small.derRepresentation))
        }
    }

    @Test("A generator that gives no usable number makes no key, and no endless loop")
    func stopsOnBadRandomness() {
        let broken = RandomSource { [UInt8](repeating: 0xFF, count: $0) }
        #expect(throws: JWKError.invalidPrivateKey) {
            try SigningKey(generating: .es256, random: broken)
        }
    }

    @Test("The generator given is the one used")
    func usesGenerator() throws {
        let fixed = RandomSource { [UInt8](repeating: 7, count: $0) }
        for algorithm in [SignatureAlgorithm.es256, .edDSA] {
            let one = try SigningKey(generating: algorithm, random: fixed)
            let other = try SigningKey(generating: algorithm, random: fixed)
            #expect(one.keyID == other.keyID)
            #expect(one.revealStored() == [UInt8](repeating: 7, count: 32))
        }
    }

    @Test("A signing key never shows its private half")
    func redacts() throws {
        let key = try TokenForge.p256
        let secret = key.revealStored()
        var dumped = ""
        dump([key], to: &dumped)
        for text in ["\(key)", String(reflecting: key), "\([key])", dumped] {
            #expect(!text.contains(Base64URL.encode(secret)))
            #expect(!text.contains("\(secret)"))
            #expect(!text.contains("PrivateKey"))
        }
        #expect("\(key)" == "SigningKey(ES256, ec1)")
    }
}
