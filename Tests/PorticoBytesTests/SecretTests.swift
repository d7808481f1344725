import PorticoBytes
import Testing

@Suite("Secrets, digests and randomness")
struct SecretTests {
    @Test("A secret never shows in a description, a debug description, a dump or a container")
    func redacts() {
        let secret = SecretText("hunter2-hunter2")
        var dumped = ""
        dump([secret], to: &dumped)
        let shown = [
            "\(secret)", secret.debugDescription, String(reflecting: secret), "\([secret])",
            "\(String(describing: Optional(secret)))", dumped,
        ]
        for text in shown {
            #expect(!text.contains("hunter2"))
        }
        #expect(secret.reveal() == "hunter2-hunter2")
    }

    @Test("Secrets are equal when their bytes are")
    func compares() {
        #expect(SecretText("abc") == SecretText("abc"))
        #expect(SecretText("abc") != SecretText("abd"))
        #expect(SecretText("\u{E9}") != SecretText("e\u{301}"))
    }

    @Test("FIPS 180-4: SHA-256 of abc")
    func digest() {
        let digest = Hash256(of: "abc")
        let hexadecimal = digest.bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(
            hexadecimal.joined()
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(digest == Hash256(kept: digest.bytes))
        #expect(digest != Hash256(of: "abd"))
        for other in [[], Array(digest.bytes.dropLast()), digest.bytes + [0]] {
            #expect(digest != Hash256(kept: other))
        }
        for index in 0..<32 {
            var bytes = digest.bytes
            bytes[index] ^= 1
            #expect(digest != Hash256(kept: bytes))
        }
        #expect(Set([digest, Hash256(of: Array("abc".utf8))]).count == 1)
    }

    @Test("RFC 6749 §10.10: the system's source gives as many bytes as asked, never the same twice")
    func random() {
        for count in [0, 1, 7, 8, 9, 16, 32, 33] {
            #expect(RandomSource.system.bytes(count).count == count)
        }
        #expect(RandomSource.system.text(16).utf8.count == 22)
        #expect(RandomSource.system.text(32).utf8.count == 43)
        let drawn = Set((0..<1000).map { _ in RandomSource.system.text(16) })
        #expect(drawn.count == 1000)
    }

    @Test("A source of one's own is used as it is")
    func ownSource() {
        let source = RandomSource { [UInt8](repeating: 7, count: $0) }
        #expect(source.bytes(3) == [7, 7, 7])
        #expect(source.text(3) == "BwcH")
    }
}
