import Crypto
import Foundation
import PorticoBytes
import Testing

@testable import PorticoSeals

@Suite("Sealed at rest")
struct SealedAtRestTests {
    let secret = Array("-----a private key-----".utf8)

    @Test("A secret at rest opens for its purpose and its owner only")
    func separation() throws {
        let ring = try ring()
        let keys = SealedAtRest(ring: ring, purpose: "signing key")
        let sealed = keys.seal(secret, for: "demo/1", random: .system)
        #expect(try keys.open(sealed, for: "demo/1") == secret)
        #expect(throws: SealError.doesNotOpen) { try keys.open(sealed, for: "demo/2") }
        #expect(throws: SealError.doesNotOpen) {
            try SealedAtRest(ring: ring, purpose: "client secret").open(sealed, for: "demo/1")
        }
        #expect(sealed.firstRange(of: secret) == nil)
    }

    @Test("The format is fixed: purpose in key and associated data, the owner in the latter")
    func knownAnswer() throws {
        let rest = SealedAtRest(ring: try ring(), purpose: "signing key")
        let sealed = rest.seal(secret, for: "demo", random: counting(from: 0xA0))
        #expect(sealed[0] == 2)
        #expect(sealed[1..<5].elementsEqual([1, 2, 3, 4]))
        #expect(sealed[5..<17].elementsEqual(0xA0...0xAB))
        // The same, from RFC 5869 and AES-GCM alone.
        func field(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
        let purpose = field(Array("signing key".utf8))
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(5...36) as [UInt8]),
            info: field(Array("portico rest 1".utf8)) + purpose,
            outputByteCount: 32
        )
        let plaintext = try AES.GCM.open(
            AES.GCM.SealedBox(combined: sealed.dropFirst(5)),
            using: key,
            authenticating: purpose + field(Array("demo".utf8)) + field(Array(sealed[0..<5]))
        )
        #expect(Array(plaintext) == secret)
    }

    @Test("A secret at rest does not open as a seal, nor a seal as a secret at rest")
    func notASeal() throws {
        let ring = try ring()
        let rest = SealedAtRest(ring: ring, purpose: "code")
        let seal = Seal(ring: ring, purpose: "code", realm: "")
        let atRest = rest.seal(secret, for: "", random: .system)
        #expect(throws: SealError.doesNotOpen) {
            try seal.open(Base64URL.encode(atRest), at: noon, within: 60)
        }
        let sealed = try #require(Base64URL.decode(seal.seal(secret, at: noon, random: .system)))
        #expect(throws: SealError.doesNotOpen) { try rest.open(sealed, for: "") }
    }

    @Test("A secret at rest with any one bit changed, or cut short, never opens")
    func bitFlips() throws {
        let rest = SealedAtRest(ring: try ring(), purpose: "signing key")
        let sealed = rest.seal(secret, for: "demo", random: .system)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SealError.doesNotOpen) { try rest.open(changed, for: "demo") }
            #expect(throws: SealError.doesNotOpen) {
                try rest.open(Array(sealed.prefix(index)), for: "demo")
            }
        }
    }

    @Test("A secret at rest tells when an older master key sealed it, and still opens")
    func rotation() throws {
        let old = try ring()
        let (both, added) = try old.adding(random: counting(from: 99))
        let rotated = SealedAtRest(ring: try both.activating(added), purpose: "signing key")
        let sealed = SealedAtRest(ring: old, purpose: "signing key")
            .seal(secret, for: "demo", random: .system)
        #expect(try rotated.open(sealed, for: "demo") == secret)
        #expect(rotated.isOutdated(sealed))
        #expect(!rotated.isOutdated(rotated.seal(secret, for: "demo", random: .system)))
    }
}
