import Testing

@testable import PorticoProtocol

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
