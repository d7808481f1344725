import Foundation
import PorticoBytes
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test("RFC 4648 §4: every length is encoded and decoded as Foundation does, with and without =")
    func oracle() {
        let bytes = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 3) }
        for length in 0..<300 {
            let part = bytes[length..<(2 * length)]
            let text = Data(part).base64EncodedString()
            let bare = text.replacingOccurrences(of: "=", with: "")
            #expect(Base64.encode(part) == text)
            #expect(Base64.encode(part, padded: false) == bare)
            #expect(Base64.decode(text.utf8) == Array(part))
            #expect(Base64.decode(bare.utf8, padded: false) == Array(part))
        }
    }

    @Test(
        "RFC 4648 §3.3: what is not the one text of some bytes is refused",
        arguments: ["Zg", "Zg=", "Zg===", "Zm9v=", "=", "Zh==", "A-z_", " Zm9v", "Zm9v\n", "Zm9é"]
    )
    func refuses(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
        if text != "Zg" { #expect(Base64.decode(text.utf8, padded: false) == nil) }
    }
}
