import Crypto
import Foundation
import PorticoBytes
import Testing

@testable import PorticoSeals

/// Bytes that count up from `first`: the same in every run.
func counting(from first: UInt8) -> RandomSource {
    let next = Locked(first)
    return RandomSource { count in
        next.withLock { next in
            (0..<count).map { _ in
                defer { next &+= 1 }
                return next
            }
        }
    }
}

func ring(_ first: UInt8 = 1) throws -> KeyRing {
    try KeyRing(random: counting(from: first))
}

/// 2033-05-18 03:33:20 UTC.
let noon = Date(timeIntervalSince1970: 2_000_000_000)

@Suite("Seals")
struct SealTests {
    let secret = Array("the request under way".utf8)

    @Test(
        "A seal opens for its purpose and realm, and says what was sealed",
        arguments: [0, 1, 21, 900]
    )
    func opens(length: Int) throws {
        let seal = Seal(ring: try ring(), purpose: "code", realm: "demo")
        let plaintext = [UInt8](repeating: 7, count: length)
        let text = seal.seal(plaintext, at: noon, random: .system)
        #expect(try seal.open(text, at: noon, within: 60) == plaintext)
    }

    @Test("The format is fixed: version, key, day, nonce, ciphertext and tag, byte for byte")
    func knownAnswer() throws {
        let seal = Seal(ring: try ring(), purpose: "code", realm: "demo")
        let text = seal.seal(Array("hello".utf8), at: noon, random: counting(from: 0xA0))
        #expect(text == "AQECAwQAAFpsoKGio6SlpqeoqaqrynuyGd1u63ZlNwX-pSisqYy2XdtnllbARcKftoA")
        let bytes = try #require(Base64URL.decode(text))
        #expect(bytes[0] == 1)
        #expect(bytes[1..<5].elementsEqual([1, 2, 3, 4]))
        #expect(bytes[5..<9].elementsEqual([0, 0, 0x5A, 0x6C]))
        #expect(bytes[9..<21].elementsEqual(0xA0...0xAB))
        // The same, from RFC 5869 and AES-GCM alone.
        func field(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }
        let info =
            field(Array("portico seal 1".utf8)) + field(Array("code".utf8))
            + field(Array("demo".utf8)) + field([0, 0, 0x5A, 0x6C])
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(5...36) as [UInt8]),
            info: info,
            outputByteCount: 32
        )
        let box = try AES.GCM.SealedBox(combined: bytes.dropFirst(9))
        let plaintext = try AES.GCM.open(
            box,
            using: key,
            authenticating: field(Array("code".utf8)) + field(Array("demo".utf8))
                + field(Array(bytes[0..<9]))
        )
        #expect(Array(plaintext) == [0, 0, 1, 0xD1, 0xA9, 0x4A, 0x20, 0] + Array("hello".utf8))
    }

    @Test(
        "A seal for one purpose is nothing as another, and of one realm nothing in another"
    )
    func separation() throws {
        let ring = try ring()
        let text = Seal(ring: ring, purpose: "attempt", realm: "demo")
            .seal(secret, at: noon, random: .system)
        for other in [
            Seal(ring: ring, purpose: "session", realm: "demo"),
            Seal(ring: ring, purpose: "attempt", realm: "other"),
            Seal(ring: ring, purpose: "attempt", realm: ""),
            // The fields do not slide into each other.
            Seal(ring: ring, purpose: "attemptd", realm: "emo"),
            Seal(ring: ring, purpose: "attemp", realm: "tdemo"),
        ] {
            #expect(throws: SealError.doesNotOpen) { try other.open(text, at: noon, within: 60) }
        }
    }

    @Test("Purpose and realm separate the key as well as the associated data")
    func keysAreSeparate() throws {
        let ring = try ring()
        let keys = [["a", "bc"], ["ab", "c"], ["abc", ""], ["", "abc"]].map { label in
            ring.derive(label.map { Array($0.utf8) }, from: ring.activeID, remembering: false)
        }
        #expect(Set(keys.map { $0?.withUnsafeBytes { Array($0) } }).count == 4)
    }

    @Test("A seal with any one bit changed never opens")
    func bitFlips() throws {
        let seal = Seal(ring: try ring(), purpose: "code", realm: "demo")
        let sealed = try #require(
            Base64URL.decode(seal.seal(secret, at: noon, random: .system))
        )
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: SealError.doesNotOpen) {
                    try seal.open(Base64URL.encode(changed), at: noon, within: 60)
                }
            }
        }
        for length in 0..<sealed.count {
            #expect(throws: SealError.doesNotOpen) {
                try seal.open(Base64URL.encode(sealed.prefix(length)), at: noon, within: 60)
            }
        }
    }

    @Test("RFC 4648 §3.5: a seal has one text; padding, blanks and stray bits are refused")
    func oneText() throws {
        let seal = Seal(ring: try ring(), purpose: "code", realm: "demo")
        // 49 + 45 bytes: the last character carries four unused bits.
        let text = seal.seal([1], at: noon, random: .system)
        #expect(text.utf8.count % 4 == 2)
        #expect(try seal.open(text, at: noon, within: 60) == [1])
        let last = try #require(text.utf8.last)
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
        )
        let position = try #require(alphabet.firstIndex(of: last))
        #expect(position % 16 == 0)
        let sibling = text.dropLast() + String(decoding: [alphabet[position + 1]], as: UTF8.self)
        for other in [
            String(sibling), "\(text)==", "\(text)\n", " \(text)", "\(text)A", "\(text)\0",
        ] {
            #expect(throws: SealError.doesNotOpen) { try seal.open(other, at: noon, within: 60) }
        }
    }

    @Test("A seal expires when its life is over, not before")
    func expires() throws {
        let seal = Seal(ring: try ring(), purpose: "code", realm: "demo")
        let text = seal.seal(secret, at: noon, random: .system)
        #expect(try seal.open(text, at: noon.addingTimeInterval(59.9), within: 60) == secret)
        for late in [60, 61, 86_400, 400 * 86_400] as [TimeInterval] {
            #expect(throws: SealError.expired) {
                try seal.open(text, at: noon.addingTimeInterval(late), within: 60)
            }
        }
    }

    @Test("A seal from more than 60 seconds in the future is refused, across midnight too")
    func future() throws {
        let seal = Seal(ring: try ring(), purpose: "code", realm: "demo")
        for start in [noon, Date(timeIntervalSince1970: 23_150 * 86_400)] {
            let text = seal.seal(secret, at: start, random: .system)
            #expect(try seal.open(text, at: start.addingTimeInterval(-60), within: 600) == secret)
            // On the day before, the day alone is enough to refuse it.
            #expect(throws: SealError.self) {
                try seal.open(text, at: start.addingTimeInterval(-61), within: 600)
            }
            #expect(throws: SealError.doesNotOpen) {
                try seal.open(text, at: start.addingTimeInterval(-86_400), within: 600)
            }
        }
        #expect(throws: SealError.fromTheFuture) {
            let text = seal.seal(secret, at: noon, random: .system)
            return try seal.open(text, at: noon.addingTimeInterval(-61), within: 600)
        }
    }

    @Test("A megabyte is refused before any key is derived")
    func tooLong() throws {
        let ring = try ring()
        let seal = Seal(ring: ring, purpose: "code", realm: "demo")
        let long = seal.seal([UInt8](repeating: 0, count: 1_000_000), at: noon, random: .system)
        let before = ring.remembered
        let empty = try KeyRing(keys: ring.keys, active: ring.activeID)
        let fresh = Seal(ring: empty, purpose: "code", realm: "demo")
        #expect(throws: SealError.doesNotOpen) { try fresh.open(long, at: noon, within: 60) }
        #expect(empty.remembered == 0)
        #expect(before == 1)
        #expect(
            try seal.open(long, at: noon, within: 60, maximumLength: 2_000_000).count == 1_000_000
        )
    }

    @Test("Days that a stranger makes up do not fill the memory")
    func boundedMemory() throws {
        let ring = try ring()
        let seal = Seal(ring: ring, purpose: "code", realm: "demo")
        var sealed = try #require(Base64URL.decode(seal.seal(secret, at: noon, random: .system)))
        for day in UInt16(0)...3000 {
            sealed[7] = UInt8(day >> 8)
            sealed[8] = UInt8(day & 0xFF)
            #expect(throws: SealError.doesNotOpen) {
                try seal.open(Base64URL.encode(sealed), at: noon, within: 60)
            }
        }
        #expect(ring.remembered == 1)
        for realm in 0..<(2 * KeyRing.mostRemembered) {
            _ = Seal(ring: ring, purpose: "code", realm: "\(realm)")
                .seal(secret, at: noon, random: .system)
        }
        #expect(ring.remembered <= KeyRing.mostRemembered)
    }

    @Test("Ten thousand random texts neither open nor trap")
    func fuzz() throws {
        let ring = try ring()
        let seal = Seal(ring: ring, purpose: "code", realm: "demo")
        let good = Array(seal.seal(secret, at: noon, random: .system).utf8)
        var generator = SystemRandomNumberGenerator()
        for round in 0..<10_000 {
            var text = round.isMultiple(of: 2) ? good : RandomSource.system.bytes(round % 200)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !text.isEmpty {
                let index = Int.random(in: text.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: text[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: text.remove(at: index)
                default: text.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            guard text != good else { continue }
            #expect(throws: SealError.self) { try seal.open(text, at: noon, within: 60) }
        }
    }

    @Test("A clock outside all reason does not trap")
    func strangeClocks() throws {
        let seal = Seal(ring: try ring(), purpose: "code", realm: "demo")
        let text = seal.seal(secret, at: noon, random: .system)
        for time in [-1e300, -1, 0, 1e300, .infinity, -.infinity, .nan] {
            let date = Date(timeIntervalSince1970: time)
            #expect(throws: SealError.self) { try seal.open(text, at: date, within: 60) }
            _ = seal.seal(secret, at: date, random: .system)
        }
        #expect(throws: SealError.self) { try seal.open(text, at: noon, within: .nan) }
    }
}
