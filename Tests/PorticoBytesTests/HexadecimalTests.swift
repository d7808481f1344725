import PorticoBytes
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("RFC 4648 §8: bytes have two digits each, and come back")
    func roundTrip() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = Hexadecimal.text(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hexadecimal.bytes(text.utf8) == bytes)
        #expect(Hexadecimal.bytes(text.uppercased().utf8) == bytes)
    }

    @Test(
        "what is no pair of digits is none",
        arguments: ["0", "000", "0g", "g0", " 0", "+1", "é"]
    )
    func malformed(text: String) {
        #expect(Hexadecimal.bytes(text.utf8) == nil)
    }

    @Test("RFC 3986 §2.1: an escape has capitals, and is decoded once")
    func percent() {
        var escaped: [UInt8] = []
        for byte in [0x25, 0x2F, 0xFF] as [UInt8] {
            Hexadecimal.append(byte, after: "%", to: &escaped)
        }
        #expect(escaped == Array("%25%2F%FF".utf8))
        #expect(Hexadecimal.percentDecoded(escaped) == [0x25, 0x2F, 0xFF])
        #expect(Hexadecimal.percentDecoded("a%2fb+c%252F".utf8) == Array("a/b+c%2F".utf8))
        for text in ["%", "%2", "%2g", "%g2", "a%", "%%41", "%+1"] {
            #expect(Hexadecimal.percentDecoded(text.utf8) == nil, "\(text)")
        }
    }
}
