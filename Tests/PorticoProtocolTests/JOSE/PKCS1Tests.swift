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

@Suite("P-256 signature form")
struct P256SignatureTests {
    @Test("RFC 7518 §3.4: r and s lie in 1..<n")
    func range() {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let zero = [UInt8](repeating: 0, count: 32)
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63,
            0x25, 0x51,
        ]
        let last = Array(order.dropLast()) + [0x50]
        #expect(P256Signature.isInRange(one + one))
        #expect(P256Signature.isInRange(last + last))
        for (r, s) in [(zero, one), (one, zero), (order, one), (one, order)] {
            #expect(!P256Signature.isInRange(r + s))
        }
        #expect(!P256Signature.isInRange(one + one + [0]))
        #expect(!P256Signature.isInRange(Array((one + one).dropFirst())))
    }
}
