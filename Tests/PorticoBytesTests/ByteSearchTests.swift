import PorticoBytes
import Testing

@Suite("Bytes within a text")
struct ByteSearchTests {
    @Test(
        "a part is found wherever it is, and only as it is spelt",
        arguments: [
            ("", "", true), ("", "a", false), ("a", "", true), ("abc", "a", true),
            ("abc", "c", true), ("aab", "ab", true), ("abab", "abb", false), ("ab", "abc", false),
            ("Firefox/140.0", "Firefox", true), ("firefox", "Firefox", false),
            ("caf\u{E9}", "\u{E9}", true), ("cafe\u{301}", "\u{E9}", false),
        ] as [(String, StaticString, Bool)]
    )
    func found(text: String, part: StaticString, isThere: Bool) {
        #expect(text.hasBytes(part) == isThere)
    }
}
