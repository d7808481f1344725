import PorticoStores
import Testing

@Suite("Normal forms") struct NormalFormTests {
    @Test(
        "UAX 15: two encodings of a character become one",
        arguments: [
            (NormalForm.nfc, "cafe\u{301}", "caf\u{E9}"), (.nfc, "\u{FB01}", "\u{FB01}"),
            (.nfc, "\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), (.nfkc, "\u{FB01}", "fi"),
            (.nfkc, "\u{FF21}", "A"), (.nfc, "a\0b", "a\0b"), (.nfc, "", ""),
        ]
    )
    func forms(_ form: NormalForm, _ text: String, _ expected: String) throws {
        let normal = try #require(form(text))
        #expect(Array(normal.utf8) == Array(expected.utf8))
    }

    @Test("A text over 1 KiB is not normalised, and is no one's user name")
    func tooLong() {
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: 16 * 1024)
        #expect(NormalForm.nfc(marks) == nil)
        #expect(LoginName.folded(marks).isEmpty)
        #expect(LoginName.folded(String(repeating: "a", count: 1025)).isEmpty)
        #expect(NormalForm.nfc(String(repeating: "a", count: 1024)) != nil)
    }

    @Test("RFC 8265 §3.3: white space around a user name is not part of it")
    func trimmed() {
        #expect(LoginName.folded("\u{3000} \tAlice\u{A0}\r\n") == "alice")
        #expect(LoginName.folded(" ").isEmpty)
    }

    @Test(
        "RFC 5892 §A.1, §A.2: a joiner belongs to a user name where it can be seen, and nowhere else",
        arguments: [
            // Persian "nilufar" with a non-joiner, and two that need a virama.
            ("\u{646}\u{6CC}\u{644}\u{200C}\u{641}\u{631}", true),
            ("\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}", true), ("\u{915}\u{94D}\u{200C}\u{937}", true),
            // Between other letters two names would look the same.
            ("al\u{200C}ice", false), ("al\u{200D}ice", false), ("\u{200C}\u{646}\u{6CC}", false),
            ("\u{646}\u{6CC}\u{200C}", false), ("\u{62F}\u{200C}\u{6CC}", false),
            ("\u{646}\u{200D}\u{6CC}", false), ("\u{646}\u{200C}\u{200C}\u{6CC}", false),
            ("\u{200D}", false), ("\u{646}\u{200B}\u{6CC}", false),
        ]
    )
    func joiners(_ text: String, _ isName: Bool) {
        #expect(LoginName.isName(LoginName.folded(text)) == isName)
    }
}
