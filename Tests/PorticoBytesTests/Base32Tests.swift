import PorticoBytes
import Testing

@Suite("Base32") struct Base32Tests {
    @Test(
        "RFC 4648 §10: its examples",
        arguments: [
            ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="),
            ("foob", "MZXW6YQ="), ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
        ]
    )
    func examples(text: String, encoded: String) {
        let bare = encoded.filter { $0 != "=" }
        #expect(Base32.encode(text.utf8) == bare)
        for spelling in [encoded, bare, bare.lowercased()] {
            #expect(Base32.decode(spelling) == Array(text.utf8))
        }
    }

    @Test(
        "RFC 4648 §12: what no encoder writes is refused",
        arguments: ["1", "M", "MZ", "MY=A", "=MY", "MZX", "MZXW6Y", "M Y", "M\u{e9}", "08"]
    )
    func refused(_ text: String) {
        #expect(Base32.decode(text) == nil)
    }
}
