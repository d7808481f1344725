import PorticoPages
import Testing

@Suite("QR codes") struct QRCodeTests {
    private static func text(_ length: Int) -> String {
        String(
            String.UnicodeScalarView(
                (0..<length).map { Unicode.Scalar(UInt8(33 + ($0 * 7 + length) % 90)) }
            )
        )
    }

    private static func rows(_ code: QRCode) -> [[Bool]] {
        (0..<code.size).map { y in (0..<code.size).map { code.isDark($0, y) } }
    }

    /// Length, mask, size, and a checksum (FNV-1a) of the modules as swift-qrcode-generator 2.0.2 made
    /// them; zbar read each of the texts out of ours.
    private static let samples: [(Int, Int, Int, UInt64)] = [
        (0, 0, 21, 0x594ccb8531955da1),
        (1, 1, 21, 0x98c928decbdb0af1),
        (14, 6, 21, 0xfd10b68a85707a7d),
        (15, 7, 25, 0x8c3e7d9a10cbaf41),
        (26, 2, 25, 0xc1054102992747fd),
        (40, 0, 29, 0xdd0f392bc3c5d7a5),
        (62, 6, 33, 0x4bb30f4ccbf4b2a2),
        (84, 4, 37, 0x1be5f24c15767bb5),
        (106, 2, 41, 0xeaed1367115a048a),
        (121, 1, 45, 0xb1d08cf6ff2df67e),
        (122, 2, 45, 0x1f61618df0df3369),
        (152, 0, 49, 0xdaaf4b05991a0c01),
        (180, 4, 53, 0xc1c737c58a199149),
        (213, 5, 57, 0xac8e07a33fb7da13),
        (250, 2, 61, 0x940cde70f6abf361),
        (287, 7, 65, 0xf36d50d28e4d4ad2),
        (331, 3, 69, 0xd48261dbab171c5b),
        (362, 2, 73, 0xd7abaf38a5e504c1),
        (412, 4, 77, 0xaf67dbd51ab2d7aa),
        (450, 2, 81, 0x81837af002c2d342),
        (504, 0, 85, 0x838498e6f2b49a85),
        (560, 0, 89, 0x18c54cde76f13a0f),
        (624, 0, 93, 0x352915bad51d21b7),
        (665, 1, 97, 0xb1f3d7dd784552),
        (666, 2, 97, 0x6181f31a3ef6ad39),
    ]

    @Test(
        "ISO/IEC 18004: every version, with every mask, is what another encoder makes",
        arguments: samples
    )
    func known(_ length: Int, _ mask: Int, _ size: Int, _ checksum: UInt64) throws {
        let code = try #require(QRCode(Self.text(length), mask: mask))
        #expect(code.size == size)
        let sum = Self.rows(code).joined().reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ ($1 ? 1 : 0)) &* 0x100_0000_01B3
        }
        #expect(sum == checksum)
    }

    @Test("ISO/IEC 18004 §7.8: without a given one, the code is one of the eight masks")
    func mask() throws {
        let code = try #require(QRCode(Self.text(100)))
        let all = (0..<8).compactMap { QRCode(Self.text(100), mask: $0) }
        #expect(all.count == 8 && all.contains(code))
        #expect(Set(all.map { Self.rows($0).joined().count(where: \.self) }).count > 1)
    }

    @Test("A text that is too long is none, whatever is in it")
    func tooLong() {
        #expect(QRCode(Self.text(667)) == nil)
        #expect(QRCode(String(repeating: "\u{301}", count: 334)) == nil)
        #expect(QRCode(String(repeating: "\u{301}", count: 333)) != nil)
    }
}
