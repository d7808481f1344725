import Testing

@testable import PorticoProtocol

@Suite("RSA strength")
struct RSAStrengthTests {
    @Test("RFC 7518 §3.3: from 2048 to 8192 bits, and an odd modulus")
    func bits() {
        func isSufficient(_ bits: Int, last: UInt8 = 0xFF) -> Bool {
            var modulus = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
            modulus[0] = 0xFF >> UInt8((8 - bits % 8) % 8)
            modulus[modulus.count - 1] = last
            return RSAStrength.isSufficient(modulus: modulus, exponent: [1, 0, 1])
        }
        for bits in [2048, 2049, 3072, 8192] {
            #expect(isSufficient(bits))
            #expect(!isSufficient(bits, last: 0xFE))
        }
        for bits in [8, 512, 1024, 2047, 8193, 16_384] {
            #expect(!isSufficient(bits))
        }
        #expect(!RSAStrength.isSufficient(modulus: [], exponent: [1, 0, 1]))
    }

    @Test("RFC 7518 §3.3: an odd exponent from 3 up to 32 bits")
    func exponent() {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        for exponent in [[3], [17], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
            #expect(RSAStrength.isSufficient(modulus: modulus, exponent: exponent))
        }
        for exponent in [[], [1], [2], [1, 0, 0], [1, 0, 0, 0, 1]] as [[UInt8]] {
            #expect(!RSAStrength.isSufficient(modulus: modulus, exponent: exponent))
        }
    }
}
