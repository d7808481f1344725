import Foundation
import PorticoBytes
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    @Test(
        "RFC 4648 §10: the vectors, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(text: String, encoded: String) {
        #expect(Base64URL.encode(text.utf8) == encoded)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test("RFC 7515 appendix C: the alphabet for URLs, no padding")
    func appendixC() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == [3, 236, 255, 224, 193])
    }

    @Test(
        "RFC 7515 §2: what is not the one text of some bytes is refused",
        arguments: [
            "A", "AAAAA", "Zg==", "Zm8=", "Zg=", "=", "Zm9v=", " Zm9v", "Zm9v ", "Zm\n9v", "Zm9v\n",
            "A+z/", "A-z/", "A+z_", "Zm.v", "Zm9é", "Zm9\u{0}", "Zm%39",
            "=Q", "é", "!A", "!AA", "A!A", "Zm9v=Q", "Zm9v!AA", "!m9v", "Z!9v", "Zm!v", "Zm9!",
            // The bits that the last character does not use are not zero.
            "AQIDBB", "Zh", "Zm9", "Zv", "Zm-",
        ]
    )
    func refuses(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("RFC 7515 §2: of the last characters only those with unused bits of zero are right")
    func oneTextOnly() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let one = alphabet.filter { Base64URL.decode("A\($0)") != nil }
        let two = alphabet.filter { Base64URL.decode("AA\($0)") != nil }
        #expect(one == "AQgw")
        #expect(two == "AEIMQUYcgkosw048")
    }

    @Test("Foundation's encoder agrees on every length and byte")
    func oracle() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 3) }
        for length in 0..<300 {
            let part = bytes[length..<(2 * length)]
            let expected = Data(part).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(Base64URL.encode(part) == expected)
            #expect(Base64URL.decode(expected) == Array(part))
            #expect(Base64URL.encodedBytes(part) == Array(expected.utf8))
        }
    }
}
