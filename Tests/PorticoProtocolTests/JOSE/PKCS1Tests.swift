import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import PorticoProtocol

/// The forms that `SecKey` needs on Apple systems, checked here against CryptoExtras.
@Suite("PKCS#1")
struct PKCS1Tests {
    private func privateKey() throws -> _RSA.Signing.PrivateKey {
        try _RSA.Signing.PrivateKey(derRepresentation: TokenForge.rs256.revealStored())
    }

    @Test("RFC 8017 A.1.1: a public key is encoded as CryptoExtras encodes it")
    func publicKey() throws {
        let key = try privateKey().publicKey
        let primitives = try key.getKeyPrimitives()
        let der = PKCS1.publicKey(
            modulus: Array(primitives.modulus),
            exponent: Array(primitives.publicExponent)
        )
        #expect(der == Array(key.pkcs1DERRepresentation))
        let numbers = try #require(PKCS1.numbers(ofPublicKey: der))
        #expect(numbers.modulus == Array(primitives.modulus))
        #expect(numbers.exponent == Array(primitives.publicExponent))
    }

    @Test("RFC 5208 §5: the private key within PKCS#8 is found, and nothing else taken for one")
    func pkcs8() throws {
        let key = try privateKey()
        let pkcs8 = Array(key.pkcs8DERRepresentation)
        #expect(PKCS1.privateKey(fromPKCS8: pkcs8) == Array(key.derRepresentation))
        #expect(PKCS1.privateKey(fromPKCS8: Array(key.derRepresentation)) == nil)
        let other = Array(P256.Signing.PrivateKey().derRepresentation)
        #expect(PKCS1.privateKey(fromPKCS8: other) == nil)
        for length in 0..<64 {
            #expect(PKCS1.privateKey(fromPKCS8: Array(pkcs8[..<length])) == nil)
        }
        #expect(PKCS1.privateKey(fromPKCS8: pkcs8 + [0]) == nil)
        #expect(PKCS1.numbers(ofPublicKey: [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(PKCS1.numbers(ofPublicKey: [0x30, 0x80]) == nil)
    }
}
